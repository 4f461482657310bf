// Where the outputs of stages are. They are always in the project's own folder, never in a worktree.
import path from "node:path";
import type { Project } from "../../src/config/project/open-project.js";

/** Absolute path of the folder below which each task in a workflow has one of its own. */
export function tasksFolder({ folder }: Project): string {
  return path.resolve(folder, ".looper/tasks");
}
