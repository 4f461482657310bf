// Finds the project a command is about, from the folder it was started in (contract §1).
// Leaves loading the project's settings to load.ts.
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

/** The folder that a task file counts from: one in `.looper/` counts from the project's folder, as in the Go program. */
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
