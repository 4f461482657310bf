// The facts of a project and of an attempt that sorting is given, and questions that a path alone answers.
// Pure. Leaves reading all this from git to rooms/study.ts.
import { posix } from "node:path";
import ignore from "ignore";
import { exists, type Version } from "../../git/base/read/diff.js";
import { FOREIGN, MADE, SOURCES, TEST_WORD } from "./names.js";

/** Part of the program; of what checks it; or neither for certain. */
export type FileKind = "source" | "check" | "doubt";

/** A path that an attempt changed, with its texts; `undefined` where there is none, or it is too long. */
export interface ChangedFile {
  /** Text, from the top of the repository. */
  path: string;
  from: Version;
  to: Version;
  before: string | undefined;
  after: string | undefined;
}

/** The project at the reference. Paths are text, from the top of the repository. */
export interface ReferenceFiles {
  paths: readonly string[];
  has: (path: string) => boolean;
  /** The text of a small file; `undefined` where it has none, or it was not read yet. */
  text: (path: string) => string | undefined;
  /** Files whose text contains a word; may be more than these. */
  mentions: (word: string) => readonly string[];
}

export function isNew({ from, to }: ChangedFile): boolean {
  return !exists(from) && exists(to);
}

/** The folder of a path; "" is the top. */
export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}

/** Every folder that a path is in, the nearest first; the top is the last. */
export function foldersAbove(path: string): string[] {
  const found: string[] = [];
  for (let at = folderOf(path); at !== ""; at = folderOf(at)) found.push(at);
  return [...found, ""];
}

/** Whether a path is in a folder, or in one below; "" is the top. */
export function isBelow(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

/** A path as it is named from a folder that it is in; a path outside of it is left as it is. */
export function relative(folder: string, path: string): string {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

/** A path that a file at `folder` names; `undefined` if it leads out of the project. */
export function pathAt(folder: string, name: string): string | undefined {
  const path = posix.normalize(posix.join(folder, name)).replace(/\/$/, "");
  return path.startsWith("../") || path === ".." || path.startsWith("/")
    ? undefined
    : path === "."
      ? ""
      : path;
}

/** Whether patterns as in .gitignore name a path, written from where they count. */
export function matchPatterns(patterns: readonly string[]): (path: string) => boolean {
  const rules = ignore({ ignorecase: false, allowRelativePaths: true }).add([...patterns]);
  return (path) => path !== "" && rules.ignores(path.replaceAll(/[\n\r\u2028\u2029]/gu, "_"));
}

/** Looper's own settings, which a general pattern such as `*.json` would match. */
const SETTINGS_OF_LOOPER = /(?:^|\/)(?:\.looper\/|looper\.config\.[^/]*$)/iu;

/** Whether a task's `changes`, from the project's folder, name a path: a person allows to change it. */
export function matchAllowed(patterns: readonly string[], project: string): (path: string) => boolean {
  const matches = matchPatterns(patterns);
  return (path) => {
    const local = relative(project, path);
    return isBelow(path, project) && !SETTINGS_OF_LOOPER.test(local) && matches(local);
  };
}

/** Installed, copied in or made: never the project's own program. */
export function isForeign(path: string): boolean {
  if (FOREIGN.test(path)) return true;
  const made = MADE.exec(path);
  return made !== null && !SOURCES.test(path.slice(0, made.index + 1));
}

/** Whether a word in any part of a path says that it serves tests. */
export function isTestish(path: string): boolean {
  return path.split("/").some((part) => wordsIn(part).some((word) => TEST_WORD.test(word)));
}

function wordsIn(name: string): string[] {
  return name.split(/[^A-Za-z0-9]|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
}
