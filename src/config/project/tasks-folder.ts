import type { Project } from "./open-project.js";

/** The folder below which each task in a workflow has one, absolute: always in the main tree, never in a worktree. */
export function tasksFolder({ paths }: Pick<Project, "paths">): string {
  return paths.tasksDir;
}
