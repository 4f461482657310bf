// The folder that agents, hooks and checks work in, from the backlog's `project.root`.
import { dirname, relative, resolve } from "node:path";
import type { Files } from "../../system/ports.js";
import type { Project } from "./open-project.js";
import { folderOf } from "./project.js";

/**
 * `project.root` as a folder; `undefined` unless it is one, inside the project when every symlink is followed. It counts from
 * the task file's folder; for a file in `.looper/` from the project's, and only then from `.looper/` itself.
 */
export async function findRootFolder(
  files: Files,
  project: Pick<Project, "folder" | "todoFile">,
  root: string | undefined,
): Promise<string | undefined> {
  if (root === undefined) return project.folder;
  const home = await files.realPath(project.folder);
  if (home === undefined) return undefined;
  for (const from of new Set([folderOf(project.todoFile), dirname(project.todoFile)])) {
    const folder = resolve(from, root);
    if (await isFolderIn(files, home, folder)) return folder;
  }
  return undefined;
}

async function isFolderIn(files: Files, home: string, folder: string): Promise<boolean> {
  const real = await files.realPath(folder);
  if (real === undefined || (await files.stat(real))?.kind !== "folder") return false;
  const inside = relative(home, real);
  return inside !== ".." && !inside.startsWith("../");
}

/** Where agents, hooks and checks work, where that is not the project's folder. */
export async function describeWorkFolder(
  files: Files,
  project: Pick<Project, "folder" | "todoFile">,
  root: string | undefined,
): Promise<string | undefined> {
  const folder = await findRootFolder(files, project, root);
  if (folder === undefined || (await files.realPath(folder)) === (await files.realPath(project.folder)))
    return undefined;
  const shown = relative(project.folder, folder);
  return `agents, hooks and checks work in ${shown} (\`project.root\` in ${relative(project.folder, project.todoFile)})`;
}
