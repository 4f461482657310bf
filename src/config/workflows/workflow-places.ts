import type { Project } from "../project/open-project.js";
import { findUserFolder, type Env } from "../read/places.js";
import type { WorkflowPlaces } from "./find-workflows.js";

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
