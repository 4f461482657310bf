// Whether a path is named like a test or the settings of checks, whatever else is in the project: enough for a question to a person.
// Pure. sort.ts also looks at the project.
import { posix } from "node:path";
import { matchPatterns } from "./files.js";
import {
  BY_NAME,
  NO_TEST,
  OF_LOOPER,
  SETTINGS,
  SETTINGS_AT_TOP,
  TESTS,
  TEST_FOLDER,
  matcherOf,
} from "./names.js";
import { isManifest } from "./manifests.js";

/** A pattern, and whether it begins with `!`: what it matches is source. */
export interface UserRule {
  takesOut: boolean;
  /** Whether it names a path, as it is written from the project's folder. */
  matches: (path: string) => boolean;
}

/** Each pattern has its own matcher: in one list, a file below a protected folder could not be excluded again. */
export function userRule(pattern: string): UserRule {
  const takesOut = pattern.startsWith("!");
  return { takesOut, matches: matchPatterns([takesOut ? pattern.slice(1) : pattern]) };
}

const isSetting = matcherOf([...OF_LOOPER, ...BY_NAME, ...SETTINGS, ...SETTINGS_AT_TOP]);
const isTest = matcherOf(TESTS);
const isNoTest = matcherOf(NO_TEST);

/** `patterns`: `verify.protected`, which come last. */
export function namesCheck(patterns: readonly string[]): (path: string) => boolean {
  const users = patterns.map(userRule);
  return (path) => {
    const last = users.findLast(({ matches }) => matches(path));
    if (last !== undefined) return !last.takesOut;
    const folders = posix.dirname(path).split("/");
    const isInTests = folders.some((folder) => TEST_FOLDER.test(folder) || /^(?:specs?|t)$/.test(folder));
    return ((isTest(path) || isInTests) && !isNoTest(path)) || isSetting(path) || isManifest(path);
  };
}
