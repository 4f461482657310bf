// Finds workflows: the project's own, then the user's, then those that Looper brings.
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
const ENDINGS: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"]);

const ORIGINS: readonly WorkflowOrigin[] = ["project", "user", "shipped"];

function folderOf(places: WorkflowPlaces, origin: WorkflowOrigin): string {
  if (origin === "project") return path.join(places.project, OWN_WORKFLOWS);
  return origin === "user" ? path.join(places.user, "workflows") : places.shipped;
}

/** The files that can be a workflow's, the nearest place first; also links that lead nowhere. */
async function allFiles(files: Files, places: WorkflowPlaces): Promise<WorkflowFile[]> {
  const found: WorkflowFile[] = [];
  for (const origin of ORIGINS) {
    const folder = folderOf(places, origin);
    for (const entry of await files.list(folder)) {
      const { name, ext } = path.parse(entry);
      const file = path.join(folder, entry);
      const shown = origin === "project" ? path.relative(places.project, file) : file;
      if (ENDINGS.has(ext)) found.push({ name, origin, file, shown });
    }
  }
  return found;
}

/** The nearest file of a workflow, if there is one. Two of one name in a folder are a `usage` error. */
export async function findWorkflowFile(
  files: Files,
  places: WorkflowPlaces,
  name: string,
): Promise<WorkflowFile | undefined> {
  if (!NAME_PATTERN.test(name)) return undefined;
  const [first, ...others] = (await allFiles(files, places)).filter((one) => one.name === name);
  const second = others.find(({ origin }) => origin === first?.origin);
  if (first !== undefined && second !== undefined)
    throw usageError(`two files of one workflow: ${first.shown} and ${second.shown}`, "keep one of them");
  return first;
}

/** Every workflow that can be named, by name; each from the nearest place that has one. */
export async function listWorkflowFiles(files: Files, places: WorkflowPlaces): Promise<WorkflowFile[]> {
  const found = new Map<string, WorkflowFile>();
  for (const file of (await allFiles(files, places)).reverse()) found.set(file.name, file);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
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
