// Reads the project's manifests and its guides for agents. describe-project.ts interprets the manifests.
import { describeProject, MANIFEST_FILES, type ProjectDescription } from "./describe-project.js";
import { given } from "../../system/given.js";
import { findGitPlace } from "./git-place.js";
import { readInside } from "../read-inside.js";
import type { ProjectFolder } from "../paths.js";

/** Files written for agents. Of two equal files the first is used. */
const GUIDES = ["AGENTS.md", "CLAUDE.md"] as const;
/** The most bytes of a guide in a prompt. */
const LARGEST_GUIDE = 12 * 1024;
const LARGEST_MANIFEST = 512 * 1024;
const MOST_ENTRIES = 60;

/** The known facts of a project. */
export interface ProjectContext extends ProjectDescription {
  /** Its folder, absolute. */
  root: string;
  /** The branch that is checked out, if any. */
  branch?: string;
  /** The first names in its folder, without hidden ones. */
  entries: readonly string[];
  /** The guides for agents; `cut`: the file is longer. */
  guides: readonly { file: string; text: string; cut: boolean }[];
}

/** Reads the context. It never fails: files that cannot be read are left out. */
export async function readProjectContext(place: ProjectFolder): Promise<ProjectContext> {
  const names: readonly string[] = await place.files.list(place.root).catch(() => []);
  const texts = new Map<string, string>();
  for (const file of MANIFEST_FILES) {
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
    ...given({ branch: (await findGitPlace(place.files, place.root))?.branch }),
    entries: names.filter((name) => !name.startsWith(".")).slice(0, MOST_ENTRIES),
    guides,
  };
}
