// Whether a path is named like a test or the configuration of checks. Pure. classify.ts also looks at what a file is for.
import ignore from "ignore";
import { CONFIG, HELD, NO_TESTS, TESTS } from "./protected-patterns.js";

/** `patterns`: `verify.protected`, which come last. */
export function namesCheck(patterns: readonly string[]): (path: string) => boolean {
  const tests = matcher(TESTS);
  const noTests = matcher(NO_TESTS);
  const others = matcher([...CONFIG, ...HELD, ...MANIFESTS]);
  const users = patterns.map((pattern) => ({
    isCheck: !pattern.startsWith("!"),
    matches: matcher([pattern.replace(/^!/u, "")]),
  }));
  return (path) => {
    const last = users.findLast(({ matches }) => matches(path));
    return last?.isCheck ?? ((tests(path) && !noTests(path)) || others(path));
  };
}

function matcher(patterns: readonly string[]): (path: string) => boolean {
  const rules = ignore({ ignorecase: false }).add([...patterns]);
  return (path) => rules.ignores(path.replaceAll(/[\n\r\u2028\u2029]/gu, "_"));
}

/** Files that have the commands and settings of checks beside other things. */
const MANIFESTS = ["package.json", "pyproject.toml", "tsconfig*.json", "Makefile", "makefile", "GNUmakefile"];
