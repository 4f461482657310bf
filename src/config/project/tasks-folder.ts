import path from "node:path";
import type { Project } from "./open-project.js";

/** The folder below which each task in a workflow has one, absolute: always in the project's own folder, never in a worktree. */
export function tasksFolder({ folder }: Pick<Project, "folder">): string {
  return path.join(folder, ".looper", "tasks");
}
