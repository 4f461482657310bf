// The words in which changed paths are judged: what is given of a change and of the project, and what becomes of it. Types alone.
// Leaves the judgement to classify.ts, and reading all this from git to rooms/influence-study.ts.
import type { Version } from "../../../git/base/read/diff.js";
import type { Family } from "./families.js";
import type { SearchPath } from "./resolve-imports.js";
import type { ProjectFiles } from "./project-paths.js";

/** Part of the program; of what checks it; or neither for certain. */
export type Influence = "source" | "check" | "doubt";

/** A path that an attempt changed, with its texts: `undefined` where it does not exist, or is not a small text. */
export interface ChangedFile {
  /** Text, from the top of the repository. */
  path: string;
  from: Version;
  to: Version;
  before: string | undefined;
  after: string | undefined;
}

/** The project at the reference. */
export interface ReferenceFiles extends ProjectFiles {
  /** Files whose text contains a word; may be more than these. */
  mentions: (word: string) => readonly string[];
  /** Symbolic links, and where each leads as it is written. */
  links?: readonly string[];
  link?: (path: string) => string | undefined;
}

/**
 * The kind of a path by its name. `command`: a command runs the file, and its exit code counts. `script`: a check runs or sources it.
 * `settings`: named like a tool's configuration, but of no tool that is known.
 */
export type NameKind = "source" | "test" | "check" | "command" | "script" | "settings" | "unknown";

/** The rules for a path by its name, by the commands, and by the user's settings. */
export interface NameRules {
  kindOf: (change: ChangedFile) => NameKind;
  /** Whether a file at the reference is a test, a setting or a script of checks. How it is run does not matter. */
  isHeld: (path: string) => boolean;
  /** How checks run a file; `undefined`: they do not. It is held then, unless it is plainly the program's. */
  runOf?: (path: string) => "command" | "script" | undefined;
  /** Whether the words of a command name a file or its folder. */
  isNamedByCommands?: (path: string) => boolean;
  /** The folder in which commands run, if it is not the top. */
  home?: string;
  /** Folders of scripts that check: what else is in them serves these. */
  checkFolders: readonly string[];
  /** Folders that commands give to a test runner, which takes only tests from folders of the program. */
  testFolders?: readonly string[];
  /** Where modules are looked up besides the folder of the file that imports them. */
  search: SearchPath;
  /** Files that do not exist at the reference, and that checks run or source if they are there. */
  optional?: ReadonlySet<string>;
  /** Folders that commands put on PATH. */
  pathFolders?: ReadonlySet<string>;
  /** Modules that commands load by name: `python -m NAME`. */
  modules?: ReadonlySet<string>;
  /** Whether a language's library or an installed package has a file or module of this name: `json`, `Test/More.pm`, `assert.h`; `shell`: a program. */
  isInstalled?: (family: Family, name: string) => boolean;
}

/** The kind of a path, and the reason in a few words for a person. */
export interface Classified {
  path: string;
  kind: Influence;
  why: string;
}

/** The mode of a side that does not exist. */
export const GONE = "000000";

/** A regular file as if it had been written again without a change. */
export function unchanged(path: string): ChangedFile {
  const version = { mode: "100644", oid: "" };
  return { path, from: version, to: version, before: undefined, after: undefined };
}
