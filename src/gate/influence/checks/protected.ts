// Classifies paths for the gate: held as at the base, a setting of runners and CI, a test, a file that hides a real one, or
// the work. Pure. protected-patterns.ts has the lists, and name-rules.ts applies the result.
import { posix } from "node:path";
import ignore from "ignore";
import type { Version } from "../../../git/base/read/diff.js";
import {
  CONFIG,
  HELD,
  NO_TESTS,
  PROGRAMS,
  PYTHON_LIBRARY,
  PYTHON_MODULES,
  PYTHON_RUNNERS,
  TESTS,
  UTILITIES,
} from "./protected-patterns.js";
import type { Named } from "./protected-commands.js";

/**
 * `held`: always as at the base, even if added. `config`: the same, but a new one may exist in the pass with new tests.
 * `test`: existing ones are as at the base, new ones are allowed. `shadow`: an added file that would be found before the
 * real one. `free`: the work itself.
 */
export type PathKind = "held" | "config" | "test" | "shadow" | "free";

export interface ProtectionRules {
  /** `verify.protected`, in order: patterns as in .gitignore, relative to the project. */
  patterns: readonly string[];
  /** The project's folder and the folder of work, from the top of the repository; "" is the top. */
  project: string;
  work: string;
  named: Named;
}

/** Classifies paths (text, from the top of the repository). */
export interface Protection {
  kindOf: (path: string) => Exclude<PathKind, "shadow">;
  /** The kind by names and by what a person says, the commands left aside. */
  kindByName: (path: string) => Exclude<PathKind, "shadow">;
  /** The kind of a path that the base does not have. */
  kindOfNew: (path: string, version: Version) => PathKind;
  /** Whether the last matching pattern of the user excludes the path from protection. */
  isTakenOut: (path: string) => boolean;
  /** Whether the last matching pattern of the user protects the path. */
  isPutIn: (path: string) => boolean;
}

type Matcher = (path: string) => boolean;

/** Builds the classification of paths for one task. */
export function protect(rules: ProtectionRules): Protection {
  const held = matcher(HELD);
  const config = matcher(CONFIG);
  const tests = matcher(TESTS);
  const noTests = matcher(NO_TESTS);
  const tools = matcher([...rules.named.patterns]);
  const users = rules.patterns.map(userRule);
  const localOf = (path: string): string =>
    insideOf(rules.project, path).replaceAll(/[\n\r\u2028\u2029]/g, "_");

  const kindByDefault = (local: string, isNamed: boolean): Exclude<PathKind, "shadow"> => {
    if (held(local)) return "held";
    // A test that a command names is still a test.
    if (!config(local) && tests(local) && !noTests(local)) return "test";
    if (isNamed || tools(local)) return "held";
    return config(local) ? "config" : "free";
  };
  const kindBy = (path: string, isNamed: boolean): Exclude<PathKind, "shadow"> => {
    const local = localOf(path);
    let kind = kindByDefault(local, isNamed);
    for (const { takesOut, matches } of users) {
      if (!matches(local)) continue;
      if (takesOut) kind = "free";
      else if (kind !== "test") kind = "held";
    }
    return kind;
  };
  const kindOf = (path: string): Exclude<PathKind, "shadow"> => kindBy(path, rules.named.paths.has(path));
  const lastOf = (path: string): boolean | undefined =>
    users.findLast(({ matches }) => matches(localOf(path)))?.takesOut;
  const isTakenOut = (path: string): boolean => lastOf(path) === true;
  return {
    kindOf,
    kindByName: (path) => kindBy(path, false),
    kindOfNew: (path, version) => {
      const kind = kindOf(path);
      const mayHide = (kind === "free" || kind === "test") && !isTakenOut(path);
      return mayHide && isShadow(rules, path, version) ? "shadow" : kind;
    },
    isTakenOut,
    isPutIn: (path) => lastOf(path) === false,
  };
}

function matcher(patterns: readonly string[]): Matcher {
  const rules = ignore({ ignorecase: false, allowRelativePaths: true }).add([...patterns]);
  return (path) => rules.ignores(path);
}

/** Each pattern has its own matcher: in one list, a file below a protected folder could not be excluded again. */
function userRule(pattern: string): { takesOut: boolean; matches: Matcher } {
  const takesOut = pattern.startsWith("!");
  return { takesOut, matches: matcher([takesOut ? pattern.slice(1) : pattern]) };
}

/** The path relative to the project's folder; a path outside stays relative to the top. */
function insideOf(folder: string, path: string): string {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function isShadow(rules: ProtectionRules, path: string, version: Version): boolean {
  const name = posix.basename(path);
  const folder = folderOf(path);
  const isProgram = version.mode !== "100644" || posix.basename(folder) === "bin";
  if (PROGRAMS.has(name) || (UTILITIES.has(name) && rules.named.programs.has(name))) return isProgram;
  if (!/\.(?:py|pyc|so|pyd)$/.test(name)) return false;
  const module = name.replace(/\..*$/, "");
  const here = new Set(["", rules.project, rules.work, ...rules.named.folders]);
  const isLoaded =
    PYTHON_MODULES.has(module) || (PYTHON_LIBRARY.has(module) && rules.named.modules.has(module));
  if (here.has(folder) && isLoaded) return true;
  // `unittest.py` or `unittest/__init__.py` in any folder.
  return PYTHON_RUNNERS.has(module) || PYTHON_RUNNERS.has(posix.basename(folder));
}

function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}
