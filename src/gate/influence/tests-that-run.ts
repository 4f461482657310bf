// Which tests in source run: whether the checks run the examples in documentation, and which files of the program a test runner is
// given. Read from the commands, and from the settings, scripts and tests at the reference. Pure.
// Leaves what becomes of these tests to tests-in-source.ts.
import { hasExamples } from "./tests-in-source.js";
import type { ChangedFile, ReferenceFiles } from "../sort/files.js";
import type { Sorter } from "../sort/sort.js";

/** The tests in source that the checks run. */
export interface TestsThatRun {
  /** They run the examples in documentation. */
  runsExamples: boolean;
  /** Whether a test runner is given a file, or takes it by its name. */
  isRun: (path: string) => boolean;
}

const RUNS_EXAMPLES = /doctest|\bcargo["',]*\s+["']?(?:test|t)\b/i;
/** Words of texts that may match. */
const PROBES = ["doctest", "cargo"];
/** pytest is told to look for tests in every module. */
const TAKES_MODULES = /\bpython_files["']?\s*=[^\n]{0,200}(?<![\w])\*\.py/;

/** Finds out which tests in source run; looks into the project only if a changed file asks for it. */
export function testsThatRun(
  changes: readonly ChangedFile[],
  { mentions, text }: ReferenceFiles,
  { sorter, commands }: { sorter: Pick<Sorter, "isCheck" | "isTest" | "isRun">; commands: readonly string[] },
): TestsThatRun {
  const saidByChecks = (words: readonly string[], what: RegExp): boolean =>
    words.some((word) => mentions(word).some((path) => sorter.isCheck(path) && what.test(text(path) ?? "")));
  const may = changes.some(({ path, before, after }) => hasExamples(path, before ?? after ?? ""));
  const runsExamples =
    may && (commands.some((one) => RUNS_EXAMPLES.test(one)) || saidByChecks(PROBES, RUNS_EXAMPLES));
  const takesModules =
    changes.some(({ path }) => path.endsWith(".py")) && saidByChecks(["python_files"], TAKES_MODULES);
  return {
    runsExamples,
    isRun: (path) => sorter.isRun(path) || sorter.isTest(path) || (takesModules && path.endsWith(".py")),
  };
}
