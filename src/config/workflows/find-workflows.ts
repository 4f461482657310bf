// Finds workflows: the project's own, then the user's, then those that Looper brings. Leaves reading one to load-workflow.ts.
import path from "node:path";
import { usageError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { NAME_PATTERN } from "../../workflow/words.js";
import type { Project } from "../project/open-project.js";
import { findUserFolder, type Env } from "../read/places.js";

/** Where a workflow comes from. */
export type WorkflowOrigin = "project" | "user" | "shipped";

/** The folders, all absolute. */
export interface WorkflowPlaces {
  /** The project's folder; its workflows are in `.looper/workflows`. */
  project: string;
  /** The folder of the user's settings; the workflows are in `workflows` there. */
  user: string;
  /** The folder of the workflows that Looper brings. */
  shipped: string;
}

/** A workflow's file. */
export interface WorkflowFile {
  name: string;
  origin: WorkflowOrigin;
  /** Absolute. */
  file: string;
  /** As shown to people: relative in a project. */
  shown: string;
}

/** The folder of a project's own workflows. */
export const OWN_WORKFLOWS = path.join(".looper", "workflows");
const ENDINGS = [".json", ".yaml", ".yml"] as const;

const ORIGINS: readonly WorkflowOrigin[] = ["project", "user", "shipped"];

function folderOf(places: WorkflowPlaces, origin: WorkflowOrigin): string {
  if (origin === "project") return path.join(places.project, OWN_WORKFLOWS);
  return origin === "user" ? path.join(places.user, "workflows") : places.shipped;
}

/** The file of a workflow, the nearest one; `undefined` if there is none. Two files of one name in a folder are a `usage` error. */
export async function findWorkflowFile(
  files: Files,
  places: WorkflowPlaces,
  name: string,
): Promise<WorkflowFile | undefined> {
  if (!NAME_PATTERN.test(name)) return undefined;
  for (const origin of ORIGINS) {
    const folder = folderOf(places, origin);
    const found: string[] = [];
    for (const ending of ENDINGS) {
      const file = path.join(folder, `${name}${ending}`);
      // A link that leads nowhere is a mistake to be told of, not a file that is not there.
      if ((await files.stat(file, { link: true })) !== undefined) found.push(file);
    }
    const [first, second] = found.map((file) => shownAs(places, origin, file));
    if (first !== undefined && second !== undefined)
      throw usageError(`two files of one workflow: ${first} and ${second}`, "keep one of them");
    const [file] = found;
    if (file !== undefined && first !== undefined) return { name, origin, file, shown: first };
  }
  return undefined;
}

/** Every workflow that can be named, by name; `hides`: the places further down that have one of the same name. */
export async function listWorkflowFiles(
  files: Files,
  places: WorkflowPlaces,
): Promise<(WorkflowFile & { hides: WorkflowOrigin[] })[]> {
  const found = new Map<string, WorkflowFile & { hides: WorkflowOrigin[] }>();
  for (const origin of ORIGINS) {
    const folder = folderOf(places, origin);
    for (const entry of await files.list(folder)) {
      const ending = ENDINGS.find((one) => entry.endsWith(one));
      if (ending === undefined) continue;
      const name = entry.slice(0, -ending.length);
      const known = found.get(name);
      const file = path.join(folder, entry);
      if (known === undefined)
        found.set(name, { name, origin, file, shown: shownAs(places, origin, file), hides: [] });
      else if (known.origin !== origin && !known.hides.includes(origin)) known.hides.push(origin);
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function shownAs(places: WorkflowPlaces, origin: WorkflowOrigin, file: string): string {
  return origin === "project" ? path.relative(places.project, file) : file;
}

/** Where the workflows of a project are; `workflowsFolder`: of those that Looper brings, absolute. */
export function workflowPlaces(facts: {
  project: Pick<Project, "folder">;
  env: Env;
  home: string;
  workflowsFolder: string;
}): WorkflowPlaces {
  const { project, env, home, workflowsFolder } = facts;
  return { project: project.folder, user: findUserFolder(env, home), shipped: workflowsFolder };
}
