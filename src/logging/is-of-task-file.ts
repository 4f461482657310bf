// Whether a run worked on a task file, by the first line of its log. Pure.
import { relative } from "node:path";

/** A project's folder, its log folder and its task file; absolute. */
export interface LogPlace {
  folder: string;
  logDir: string;
  todoFile: string;
}

/** The project and the task file that the first line of a log names. */
export interface NamedPlace {
  project?: unknown;
  todo_file?: unknown;
}

/**
 * Logs inside a project move with it, as do those of a copy: there the place of the file in its project counts. A log folder
 * outside may be shared by projects, so there only the path itself does.
 */
export function isOfTaskFile(named: NamedPlace, { folder, logDir, todoFile }: LogPlace): boolean {
  const { project, todo_file: file } = named;
  if (file === todoFile) return true;
  if (typeof project !== "string" || typeof file !== "string" || isOutside(relative(folder, logDir)))
    return false;
  return relative(project, file) === relative(folder, todoFile);
}

function isOutside(path: string): boolean {
  return path === ".." || path.startsWith("../");
}
