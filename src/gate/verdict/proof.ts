// Finds what the work of a task turned from red to green, by the runs with it and without it. Pure. A case is red only if it fails
// twice: of each command the better of its two runs counts (`settleRuns` in flaky.ts).
import { matchPlaceholders } from "../report/placeholder.js";
import type { Ran, Turned } from "../verdict.js";
import { endsWell, isSameCommand } from "./flaky.js";

/** The cases and commands that failed before and pass now. A command counts as a whole only where no case explains its failure. */
export function findTurnedGreen(before: readonly Ran[], now: readonly Ran[]): Turned[] {
  return now.flatMap((ran) => {
    const base = before.find((one) => isSameCommand(one, ran));
    return base === undefined ? [] : turnedIn(base, ran);
  });
}

function turnedIn(base: Ran, now: Ran): Turned[] {
  const { command } = now;
  const [was, is] = [base.tests ?? {}, now.tests ?? {}];
  const passing = namesOf(is, "passed");
  const failed = namesOf(was, "failed");
  // A file that could not be loaded stands for its tests, which are there now.
  const isReplaced = matchPlaceholders(passing.filter((name) => !Object.hasOwn(was, name)));
  const turned = failed.filter(
    (name) => is[name] === "passed" || (!Object.hasOwn(is, name) && isReplaced({ name, failed: true })),
  );
  if (turned.length > 0) return turned.map((name) => ({ command, name }));
  const isWhole = failed.length === 0 && !endsWell(base.end) && endsWell(now.end);
  return isWhole && !ranNothing(now) ? [{ command }] : [];
}

/** The runs that show what new tests are worth. */
export interface TestOrder {
  /** At the reference. */
  before: readonly Ran[];
  /** The whole attempt without its source. */
  without: readonly Ran[];
  whole: readonly Ran[];
  /** Whether a command without a report counts: not if the attempt changed a script or setting, which may decide how it ends. */
  byCommand: boolean;
}

/** The cases and commands that pass with the whole attempt, and without its source fail, or are new and cannot run. */
export function findProvingTests({ before, without, whole, byCommand }: TestOrder): Turned[] {
  return whole.flatMap((ran) => {
    const { command } = ran;
    const bare = without.find((one) => isSameCommand(one, ran));
    if (bare === undefined) return [];
    const was = before.find((one) => isSameCommand(one, ran))?.tests ?? {};
    const is = bare.tests ?? {};
    const cases = provingNames(ran.tests ?? {}).filter(
      (name) => is[name] === "failed" || !(Object.hasOwn(is, name) || Object.hasOwn(was, name)),
    );
    if (cases.length > 0) return cases.map((name) => ({ command, name }));
    const isWhole = ran.tests === undefined && endsWell(ran.end) && !endsWell(bare.end);
    return byCommand && isWhole && !ranNothing(ran) ? [{ command }] : [];
  });
}

/** The cases that passed. A file of a runner of JavaScript, which passes because it loads, is one only where there are no others. */
function provingNames(tests: NonNullable<Ran["tests"]>): string[] {
  const passing = namesOf(tests, "passed");
  const cases = passing.filter((name) => !/^\S+\.[cm]?[jt]sx?$/.test(name));
  return cases.length > 0 ? cases : passing;
}

/** How many cases, and commands without any, passed before and pass now. */
export function countPassing(before: readonly Ran[], now: readonly Ran[]): number {
  let count = 0;
  for (const ran of now) {
    const base = before.find((one) => isSameCommand(one, ran));
    if (base === undefined) continue;
    const passing = namesOf(ran.tests ?? {}, "passed");
    if (ran.tests === undefined) count += endsWell(base.end) && endsWell(ran.end) ? 1 : 0;
    else count += passing.filter((name) => base.tests?.[name] === "passed").length;
  }
  return count;
}

/** Whether a run started a test runner that ran no case. */
export function ranNothing({ runner, tests = {} }: Ran): boolean {
  return runner !== undefined && !Object.values(tests).some((status) => status !== "skipped");
}

function namesOf(tests: NonNullable<Ran["tests"]>, status: "passed" | "failed"): string[] {
  return Object.keys(tests).filter((name) => tests[name] === status);
}

/**
 * Whether a case or a command fails with some of the changes and passes with all. One that failed before may still fail in both
 * rooms. Contract: of each command the better of its two runs (`settleRuns`).
 */
export function needsMore(some: readonly Ran[], whole: readonly Ran[]): boolean {
  return some.some((one) => {
    const all = whole.find((other) => isSameCommand(other, one));
    if (all === undefined) return false;
    if (endsWell(all.end) && !endsWell(one.end)) return true;
    return Object.entries(one.tests ?? {}).some(
      ([name, status]) => status === "failed" && all.tests?.[name] === "passed",
    );
  });
}
