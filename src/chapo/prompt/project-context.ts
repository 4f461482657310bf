// Reads the project's manifests and its guides for agents. describe-project.ts interprets the manifests.
import { describeProject, MANIFEST_FILES, type ProjectDescription } from "./describe-project.js";
import { readGuides, type Guide, type GuidePlace } from "./guides.js";
import { findGitPlace } from "./git-place.js";
import { readInside } from "../read-inside.js";

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
  guides: readonly Guide[];
}

/** Reads the context. It never fails: files that cannot be read are left out. */
export async function readProjectContext(place: GuidePlace): Promise<ProjectContext> {
  const names: readonly string[] = await place.files.list(place.root).catch(() => []);
  const texts = new Map<string, string>();
  for (const file of MANIFEST_FILES) {
    const read = names.includes(file) ? await readInside(place, file, LARGEST_MANIFEST) : undefined;
    if (read !== undefined) texts.set(file, read.text);
  }
  return {
    ...describeProject(names, texts),
    root: place.root,
    branch: (await findGitPlace(place.files, place.root))?.branch,
    entries: names.filter((name) => !name.startsWith(".")).slice(0, MOST_ENTRIES),
    guides: await readGuides(place),
  };
}
