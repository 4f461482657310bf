// Finds what the work of a task turned from red to green, by the runs with it and without it. Pure. A case is
// red only if it fails twice: of each command the better of its two runs counts (`settleRuns` in runs.ts).
import type { Because, GateReport, Proof, Ran, Turned } from "../verdict.js";
import { compareTests, endsWell, isSameCommand, ranNothing } from "./runs.js";

/** Cases that failed before and pass now; a command where no case explains its failure. */
export function findTurnedGreen(before: readonly Ran[], now: readonly Ran[]): Turned[] {
  return pairsOf(before, now).flatMap(([base, ran]): Turned[] => {
    const { command } = ran;
    const failed = compareTests(base.tests, ran.tests).filter(({ was }) => was === "failed");
    const turned = failed.filter(({ is, isReplaced }) => is === "passed" || isReplaced);
    if (turned.length > 0) return turned.map(({ name }) => ({ command, name }));
    const isWhole = failed.length === 0 && !endsWell(base.end) && endsWell(ran.end);
    return isWhole && !ranNothing(ran) ? [{ command }] : [];
  });
}

/** The runs that show what new tests are worth. */
export interface TestOrder {
  /** At the reference. */
  before: readonly Ran[];
  /** The whole attempt without its source. */
  without: readonly Ran[];
  whole: readonly Ran[];
  /** A command without a report counts: not if a changed script or setting may decide how it ends. */
  byCommand: boolean;
}

/** The cases and commands that pass with all, and fail without the source, or are new and cannot run. */
export function findProvingTests({ before, without, whole, byCommand }: TestOrder): Turned[] {
  const all = pairsOf(without, whole).map(([bare, ran]) => {
    const passing = compareTests(bare.tests, ran.tests).filter(({ is }) => is === "passed");
    return { bare, ran, passing };
  });
  // A file of a runner of JavaScript, which passes because it loads, is a case only where no command has others.
  const isCase = ({ name }: { name: string }): boolean => !/^\S+\.[cm]?[jt]sx?$/.test(name);
  const hasCases = all.some(({ passing }) => passing.some(isCase));
  return all.flatMap(({ bare, ran, passing }): Turned[] => {
    const { command } = ran;
    const known = before.find((one) => isSameCommand(one, ran))?.tests ?? {};
    const proving = passing
      .filter((one) => !hasCases || isCase(one))
      .filter(({ name, was }) => was === "failed" || (was === undefined && !Object.hasOwn(known, name)));
    if (proving.length > 0) return proving.map(({ name }) => ({ command, name }));
    const isWhole = ran.tests === undefined && endsWell(ran.end) && !endsWell(bare.end);
    return byCommand && isWhole && !ranNothing(ran) ? [{ command }] : [];
  });
}

const MOST_NAMES = 100;

/** The evidence in a report: the first names of each kind. */
export function makeProof(turned: readonly Turned[], added: readonly Turned[], passing: number): Proof {
  return {
    fail_to_pass: turned.slice(0, MOST_NAMES),
    new_tests: added.slice(0, MOST_NAMES),
    pass_to_pass: passing,
  };
}

/** Whether there is any. */
export function isProven({ fail_to_pass, new_tests }: Proof): boolean {
  return fail_to_pass.length + new_tests.length > 0;
}

/** Why work without evidence is unbroken, by its checks. */
export function whyNotProven({ commands }: Pick<GateReport, "commands">): Because {
  return commands.some(({ verdict }) => verdict === "pre-existing") ? "red-before" : "not-covered";
}

/** How many cases, and commands without any, passed before and pass now. */
export function countPassing(before: readonly Ran[], now: readonly Ran[]): number {
  const counts = pairsOf(before, now).map(([base, ran]) => {
    if (ran.tests === undefined) return endsWell(base.end) && endsWell(ran.end) ? 1 : 0;
    const cases = compareTests(base.tests, ran.tests);
    return cases.filter(({ was, is }) => was === "passed" && is === "passed").length;
  });
  return counts.reduce((sum, one) => sum + one, 0);
}

/**
 * Whether a case or a command fails with some of the changes and passes with all. One that failed before may
 * still fail in both rooms. Contract: of each command the better of its two runs (`settleRuns`).
 */
export function needsMore(some: readonly Ran[], whole: readonly Ran[]): boolean {
  return pairsOf(some, whole).some(([one, all]) => {
    if (endsWell(all.end) && !endsWell(one.end)) return true;
    return compareTests(one.tests, all.tests).some(({ was, is }) => was === "failed" && is === "passed");
  });
}

/** Each command that ran both times, in the order of the second runs. */
function pairsOf(before: readonly Ran[], now: readonly Ran[]): [before: Ran, now: Ran][] {
  return now.flatMap((ran): [Ran, Ran][] => {
    const base = before.find((one) => isSameCommand(one, ran));
    return base === undefined ? [] : [[base, ran]];
  });
}
