// Finds what only the whole attempt makes pass: it fails in a room that has less of it. Pure.
import { endsWell, isSameCommand } from "./flaky.js";
import type { Ran } from "../verdict.js";

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
