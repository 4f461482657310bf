// Combines one or two runs of a command, and compares the cases of two runs: every verdict on cases is read from these changes. Pure.
import type { CommandEnd, Ran, TestStatus } from "../verdict.js";
import { BETWEEN } from "../report/test-names.js";

/** The combined result of a command's two runs. */
export interface Both {
  ends: "well" | "badly" | "flaky";
  /** The better result of each case; set if at least one run wrote a report. */
  tests: Ran["tests"];
  /** The cases that failed in one run and passed in the other. */
  flaky: ReadonlySet<string>;
}

/** A test case in two runs; `undefined` where it is not reported. */
export interface CaseChange {
  name: string;
  was: TestStatus | undefined;
  is: TestStatus | undefined;
  /** It stood for a file that could not be loaded, and whose cases run now. */
  isReplaced: boolean;
}

/** Whether two runs are of the same command, in the same list. */
export function isSameCommand(one: Ran, other: Ran): boolean {
  return one.command === other.command && one.own === other.own;
}

/** Whether a command ended successfully. */
export function endsWell(end: CommandEnd): boolean {
  return end.how === "exited" && end.code === 0;
}

/** Whether a case ran. */
export function isRun(status: TestStatus | undefined): boolean {
  return status !== undefined && status !== "skipped";
}

/** Whether any case ran. */
export function hasRunCases(tests: Ran["tests"]): boolean {
  return Object.values(tests ?? {}).some(isRun);
}

/** Every case of two runs, those of the first in their order, then those that only the second has. */
export function compareTests(before: Ran["tests"] = {}, now: Ran["tests"] = {}): CaseChange[] {
  const added = Object.keys(now).filter((name) => isRun(now[name]) && !Object.hasOwn(before, name));
  const isReplaced = matchPlaceholders(added);
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].map((name) => {
    const [was, is] = [before, now].map((tests) => (Object.hasOwn(tests, name) ? tests[name] : undefined));
    return {
      ...{ name, was, is },
      isReplaced: is === undefined && isReplaced({ name, failed: was === "failed" }),
    };
  });
}

/** Combines both runs; without a second the result is the first. */
export function combineRuns(first: Ran, second: Ran | undefined): Both {
  const isFlaky = second !== undefined && endsWell(second.end);
  const ends = endsWell(first.end) ? "well" : isFlaky ? "flaky" : "badly";
  const flaky = new Set<string>();
  if (first.tests === undefined && second?.tests === undefined) return { ends, tests: undefined, flaky };
  const better = compareTests(first.tests, second?.tests).map(({ name, was, is, isReplaced }) => {
    const failed = was === "failed" || is === "failed";
    const passed = was === "passed" || is === "passed" || (failed && isReplaced);
    if (failed && passed) flaky.add(name);
    return [name, passed ? "passed" : failed ? "failed" : "skipped"] as const;
  });
  return { ends, tests: Object.fromEntries(better), flaky };
}

/** The better of both runs, as the next baseline: only a test that then fails twice is worse. */
export function pickBetter(first: Ran, second: Ran | undefined): Ran {
  const { ends, tests } = combineRuns(first, second);
  const end: CommandEnd = ends === "flaky" ? { how: "exited", code: 0 } : first.end;
  return tests === undefined ? { ...first, end } : { ...first, end, tests };
}

/** The better of both runs of each command, in the order of the first runs. */
export function settleRuns({ ran, again }: { ran: readonly Ran[]; again: readonly Ran[] }): Ran[] {
  const secondOf = (one: Ran): Ran | undefined => again.find((second) => isSameCommand(one, second));
  return ran.map((one) => pickBetter(one, secondOf(one)));
}

/** Whether a run started a test runner that ran no case. */
export function ranNothing({ runner, tests }: Ran): boolean {
  return runner !== undefined && !hasRunCases(tests);
}

// Placeholders: runners report a file that cannot be loaded as one failing test named after it. That test
// disappears when the file loads, and this is not tampering.

/** Names of placeholders: the path of a file (node, vitest, jest), or the runner's own words (go, JUnit). */
const FOR_A_FILE =
  /^(?:\S+\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|cs|exs?|lua|p[lm]|t|sh|bats|dart)|\[\w+ failed\]|initializationError)$/;

/** Whether a missing case was a placeholder whose tests are there now; `added` are the names that are new. */
export function matchPlaceholders(
  added: readonly string[],
): (gone: { name: string; failed: boolean }) => boolean {
  let groups: Set<string> | undefined;
  return ({ name, failed }) => {
    if (added.length === 0) return false;
    if (failed && FOR_A_FILE.test(ownPart(name))) return true;
    groups ??= new Set(added.flatMap((one) => [...groupsOf(one)]));
    return groups.has(name);
  };
}

/** The groups of a test: `a > b.C > d` is in `a`, `a > b` (pytest's module of a class) and `a > b.C`. */
function* groupsOf(name: string): Generator<string> {
  for (let at = name.indexOf(BETWEEN); at !== -1; at = name.indexOf(BETWEEN, at + 1)) {
    const group = name.slice(0, at);
    const start = at - ownPart(group).length;
    for (let end = at; end > start; end = group.lastIndexOf(".", end - 1)) yield group.slice(0, end);
  }
}

function ownPart(name: string): string {
  return name.split(BETWEEN).at(-1) ?? "";
}
