// Reads from the path of a file alone its folder, whether it is generated or copied in, and whether it is named as serving tests. Pure.
import { posix } from "node:path";

/** The files of a project at the reference. Paths are text, from the top of the repository. */
export interface ProjectFiles {
  paths: readonly string[];
  has: (path: string) => boolean;
  /** The text of a small file; `undefined` where it has none, or it was not read. */
  text: (path: string) => string | undefined;
  /** The folder of the project, if it is not the top. */
  home?: string;
}

/** The project at the reference, with what is known of its checks. */
export interface RootFiles extends ProjectFiles {
  /** Whether checks run a file that is not a test by its name: what is beside it may serve them. */
  isRunByChecks?: (path: string) => boolean;
  /** Whether a file is a test or a setting by its name. */
  isHeld?: (path: string) => boolean;
}

/** The folder of a path; "" is the top. */
export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}

/** Every folder that a path is in, the nearest first; the top is none. */
export function foldersAbove(path: string): string[] {
  const found: string[] = [];
  for (let at = folderOf(path); at !== ""; at = folderOf(at)) found.push(at);
  return found;
}

/** Whether a path is in a folder, or in one below; "" is the top. */
export function isBelow(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

/** A path as it is named from a folder that it is in. */
export function relative(root: string, path: string): string {
  return root === "" ? path : path.slice(root.length + 1);
}

/** Folders of what is installed or copied in, and folders with a dot. */
const OTHERS = /(?:^|\/)(?:node_modules|bower_components|site-packages|vendor|third[_-]party|\.[^/]+)\//;
/** Folders of outputs; inside a folder of sources the name means a part of the program. */
const OUTPUTS = /(?:^|\/)(?:dist|build|out|target|coverage)\//;
const SOURCES = /(?:^|\/)(?:src|lib|cmd|pkg|internal)\//;

/** Installed, copied in or made: never the project's own program. */
export function isForeign(path: string): boolean {
  if (OTHERS.test(path)) return true;
  const made = OUTPUTS.exec(path);
  return made !== null && !SOURCES.test(path.slice(0, made.index + 1));
}

/**
 * A name that says test, fixture, mock or helper in one of its words, or that a folder above has. `home`: the project's folder, whose
 * own name says nothing.
 */
export function isTestish(path: string, home = ""): boolean {
  const inside = home !== "" && isBelow(path, home) ? path.slice(home.length + 1) : path;
  return inside.split("/").some((part) => wordsOf(part).some((word) => TEST_WORD.test(word)));
}

const TEST_WORD =
  /^(?:test(?:s|ing|er|ers|data|utils?|kit|bed|suites?|cases?|lib|base|env|setup|runner|help|helpers?)?|specs?|fixtures?|mocks?|stubs?|fakes?|helpers?|conftest|e2e|snapshots?|golden|expected)$/;

/** Whether a folder's name says specification, and in no other way that it serves tests. */
export function isOnlySpec(folder: string): boolean {
  const words = folder.split("/").flatMap(wordsOf);
  return (
    words.some((word) => /^specs?$/.test(word)) &&
    !words.some((word) => !/^specs?$/.test(word) && TEST_WORD.test(word))
  );
}

function wordsOf(name: string): string[] {
  return name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
}

/** A file of C comes with the header of its name. */
export function headersOf(path: string): string[] {
  const stem = /^(.*)\.(?:c|cc|cpp|cxx)$/.exec(path)?.[1];
  return stem === undefined ? [] : [`${stem}.h`, `${stem}.hpp`];
}
