// Whether a path is named like a test or the settings of checks, whatever else is in the project: enough for a question to a person.
// Pure. sort.ts also looks at the project.
import { posix } from "node:path";
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
import { userRule } from "./user-rules.js";

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
