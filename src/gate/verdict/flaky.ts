// Combines one or two runs of a command: a test case that passed in one and failed in the other is flaky. Pure.
import { matchPlaceholders } from "../report/placeholder.js";
import type { CommandEnd, Ran, TestStatus } from "../verdict.js";

/** The result of a test case over both runs. */
export type CaseOutcome = TestStatus | "flaky";

/** The combined result of a command's two runs. */
export interface Both {
  ends: "well" | "badly" | "flaky";
  /** Set if at least one run wrote a report. */
  tests: ReadonlyMap<string, CaseOutcome> | undefined;
}

/** Whether two runs are of the same command, in the same list. */
export function isSameCommand(one: Ran, other: Ran): boolean {
  return one.command === other.command && one.own === other.own;
}

/** Whether a command ended successfully. */
export function endsWell(end: CommandEnd): boolean {
  return end.how === "exited" && end.code === 0;
}

/** Combines both runs; without a second the result is the first. */
export function combineRuns(first: Ran, second: Ran | undefined): Both {
  const ends = endsWell(first.end)
    ? "well"
    : second !== undefined && endsWell(second.end)
      ? "flaky"
      : "badly";
  return { ends, tests: bothTests(first.tests, second) };
}

/** The better of both runs, as the next task's baseline: only a test that then fails twice has become worse. */
export function pickBetter(first: Ran, second: Ran | undefined): Ran {
  const { ends, tests } = combineRuns(first, second);
  const end: CommandEnd = ends === "flaky" ? { how: "exited", code: 0 } : first.end;
  if (tests === undefined) return { ...first, end };
  const settled = [...tests].map(
    ([name, outcome]) => [name, outcome === "flaky" ? "passed" : outcome] as const,
  );
  return { ...first, end, tests: Object.fromEntries(settled) };
}

/** The better of both runs of each command, in the order of the first runs. */
export function settleRuns({ ran, again }: { ran: readonly Ran[]; again: readonly Ran[] }): Ran[] {
  return ran.map((one) =>
    pickBetter(
      one,
      again.find((second) => isSameCommand(one, second)),
    ),
  );
}

function bothTests(
  first: Ran["tests"],
  second: Ran | undefined,
): ReadonlyMap<string, CaseOutcome> | undefined {
  if (first === undefined && second?.tests === undefined) return undefined;
  const once = new Map(Object.entries(first ?? {}));
  const twice = new Map(Object.entries(second?.tests ?? {}));
  const stands = matchPlaceholders([...twice.keys()].filter((name) => !once.has(name)));
  const both = new Map<string, CaseOutcome>();
  for (const [name, status] of once) {
    const again = twice.get(name);
    const healed = status === "failed" && again === undefined && stands({ name, failed: true });
    both.set(name, healed ? "flaky" : outcomeOf(status, again));
  }
  for (const [name, status] of twice) {
    if (!once.has(name)) both.set(name, status);
  }
  return both;
}

function outcomeOf(once: TestStatus, twice: TestStatus | undefined): CaseOutcome {
  const failed = once === "failed" || twice === "failed";
  if (once === "passed" || twice === "passed") return failed ? "flaky" : "passed";
  return failed ? "failed" : "skipped";
}
