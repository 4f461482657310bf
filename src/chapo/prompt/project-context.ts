// Looks at the project Chapo works in: what its manifests say, and what its people wrote down for agents.
// Leaves what manifests mean to describe-project.ts.
import { describeProject, TELLING_FILES, type ProjectDescription } from "./describe-project.js";
import { readInside } from "../read-inside.js";
import type { ProjectFolder } from "../paths.js";

/** Files written for agents; the first one wins where two say the same. */
const GUIDES = ["AGENTS.md", "CLAUDE.md"] as const;
/** Bytes of one that a prompt holds. */
const LARGEST_GUIDE = 12 * 1024;
const LARGEST_MANIFEST = 512 * 1024;
const MOST_ENTRIES = 60;

/** What is known of a project. */
export interface ProjectContext extends ProjectDescription {
  /** Its folder, absolute. */
  root: string;
  /** The first names in its folder, hidden ones left out. */
  entries: readonly string[];
  /** What is to be heeded; `cut`: the file is longer. */
  guides: readonly { file: string; text: string; cut: boolean }[];
}

/** What can be seen now. Never fails: what cannot be read is not told. */
export async function readProjectContext(place: ProjectFolder): Promise<ProjectContext> {
  const names: readonly string[] = await place.files.list(place.root).catch(() => []);
  const texts = new Map<string, string>();
  for (const file of TELLING_FILES) {
    const read = names.includes(file) ? await readInside(place, file, LARGEST_MANIFEST) : undefined;
    if (read !== undefined) texts.set(file, read.text);
  }
  const guides: { file: string; text: string; cut: boolean }[] = [];
  for (const file of GUIDES) {
    const read = await readInside(place, file, LARGEST_GUIDE);
    const said = read !== undefined && guides.some(({ text }) => text === read.text);
    if (read !== undefined && read.text.trim() !== "" && !said) guides.push({ file, ...read });
  }
  return {
    ...describeProject(names, texts),
    root: place.root,
    entries: names.filter((name) => !name.startsWith(".")).slice(0, MOST_ENTRIES),
    guides,
  };
}
