// Finds the project a command is about, from the folder it was started in (contract §1), and the folder that
// its work is done in. Leaves its settings to load.ts.
import path from "node:path";
import type { Files } from "../../system/ports.js";
import { GO_BACKLOG, GO_SETTINGS, PROJECT_FILES } from "../read/places.js";

/** Where the walk begins, and what it looks for. */
export interface Walk {
  /** Absolute. */
  start: string;
  /** Absolute. */
  home: string;
  /** The task file: absolute when it was typed, else relative to whichever folder is the project. */
  taskFile: string;
}

/**
 * The project's folder, absolute: walking up, not above the git root: the nearest folder with settings or the task file; else the git root; else the
 * start. The home folder and `/` are taken only when the walk starts there.
 */
export async function findProject(files: Files, walk: Walk): Promise<string> {
  const start = (await files.realPath(walk.start)) ?? walk.start;
  const home = (await files.realPath(walk.home)) ?? walk.home;
  const taskFile = path.isAbsolute(walk.taskFile) ? await realFile(files, walk.taskFile) : walk.taskFile;
  const folders = foldersAbove(start, home);
  const gitRoot = await firstWhere(folders, async (folder) => exists(files, path.join(folder, ".git")));
  const searched = gitRoot === undefined ? folders : folders.slice(0, folders.indexOf(gitRoot) + 1);
  const marked = await firstWhere(searched, (folder) => isMarked(files, folder, taskFile));
  return marked ?? gitRoot ?? start;
}

/** The start and what is above it, nearest first; nothing from the home folder or `/` on, unless it is the start. */
function foldersAbove(start: string, home: string): string[] {
  const folders = [start];
  let folder = path.dirname(start);
  while (start !== home && folder !== home && folder !== path.dirname(folder)) {
    folders.push(folder);
    folder = path.dirname(folder);
  }
  return folders;
}

async function isMarked(files: Files, folder: string, taskFile: string): Promise<boolean> {
  const isTyped = path.isAbsolute(taskFile);
  if (isTyped && folderOf(taskFile) === folder) return true;
  for (const name of [...(isTyped ? [] : [taskFile]), ...PROJECT_FILES, GO_BACKLOG, ...GO_SETTINGS])
    if (await exists(files, path.join(folder, name))) return true;
  const manifest = path.join(folder, "package.json");
  const text = (await exists(files, manifest)) ? await files.read(manifest) : undefined;
  if (text === undefined) return false;
  const { readPackageSettings } = await import("../read/settings-text.js");
  return readPackageSettings(manifest, new TextDecoder().decode(text)) !== undefined;
}

/** The folder that a task file counts from: of one in `.looper/` the project's, as in the Go program. */
export function folderOf(taskFile: string): string {
  const folder = path.dirname(taskFile);
  return path.basename(folder) === ".looper" ? path.dirname(folder) : folder;
}

/** The path with its folder's symlinks resolved; the file itself need not exist, and a symlink stays one. */
async function realFile(files: Files, file: string): Promise<string> {
  const folder = path.dirname(file);
  return path.join((await files.realPath(folder)) ?? folder, path.basename(file));
}

async function exists(files: Files, file: string): Promise<boolean> {
  return (await files.stat(file)) !== undefined;
}

async function firstWhere<T>(
  items: readonly T[],
  holds: (item: T) => Promise<boolean>,
): Promise<T | undefined> {
  for (const item of items) if (await holds(item)) return item;
  return undefined;
}

/** A project, as far as its folders are concerned; both absolute. */
interface WorkPlace {
  folder: string;
  todoFile: string;
}

/**
 * `project.root` as a folder; `undefined` unless it is one, inside the project when every symlink is followed. It counts from
 * the task file's folder; for a file in `.looper/` from the project's, and only then from `.looper/` itself.
 */
export async function findRootFolder(
  files: Files,
  project: WorkPlace,
  root: string | undefined,
): Promise<string | undefined> {
  if (root === undefined) return project.folder;
  const home = await files.realPath(project.folder);
  if (home === undefined) return undefined;
  for (const from of new Set([folderOf(project.todoFile), path.dirname(project.todoFile)])) {
    const folder = path.resolve(from, root);
    if (await isFolderIn(files, home, folder)) return folder;
  }
  return undefined;
}

/** Why work cannot be done in `project.root`, and what mends it; `undefined` if it can. */
export async function whyNotRoot(
  files: Files,
  project: WorkPlace,
  root: string | undefined,
): Promise<{ message: string; hint: string } | undefined> {
  if ((await findRootFolder(files, project, root)) !== undefined) return undefined;
  return {
    message: `project.root is ${JSON.stringify(root)}, which is not a folder inside ${project.folder}`,
    hint: path.isAbsolute(root ?? "")
      ? "remove it with `looper fmt --fix`: work is then done in the project's folder"
      : "correct it: a path relative to the task file, inside the project",
  };
}

async function isFolderIn(files: Files, home: string, folder: string): Promise<boolean> {
  const real = await files.realPath(folder);
  if (real === undefined || (await files.stat(real))?.kind !== "folder") return false;
  const inside = path.relative(home, real);
  return inside !== ".." && !inside.startsWith("../");
}

/** Where agents, hooks and checks work, where that is not the project's folder. */
export async function describeWorkFolder(
  files: Files,
  project: WorkPlace,
  root: string | undefined,
): Promise<string | undefined> {
  const folder = await findRootFolder(files, project, root);
  if (folder === undefined || (await files.realPath(folder)) === (await files.realPath(project.folder)))
    return undefined;
  const shown = path.relative(project.folder, folder);
  return `agents, hooks and checks work in ${shown} (\`project.root\` in ${path.relative(project.folder, project.todoFile)})`;
}
