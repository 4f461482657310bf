import path from "node:path";
import type { Project } from "../../../src/config/project/open-project.js";

/** The folder of the documents and outputs of tasks, absolute. */
export function tasksFolder({ folder }: Pick<Project, "folder">): string {
  return path.join(folder, ".looper/tasks");
}
