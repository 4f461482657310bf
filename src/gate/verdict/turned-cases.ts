// Finds test cases that only the whole attempt makes pass: they fail in a room that has less of it. Pure.
import { isSameCommand } from "./flaky.js";
import type { Ran } from "../verdict.js";

/**
 * The names of these cases. A check that failed before may still fail in both rooms; one that passes with all changes and
 * fails without some of them was turned by those. Contract: of each command the better of its two runs (`settleRuns`).
 */
export function findTurnedCases(some: readonly Ran[], whole: readonly Ran[]): string[] {
  return some.flatMap((one) => {
    const tests = whole.find((other) => isSameCommand(other, one))?.tests ?? {};
    return Object.entries(one.tests ?? {})
      .filter(
        ([name, status]) => status === "failed" && Object.hasOwn(tests, name) && tests[name] === "passed",
      )
      .map(([name]) => name);
  });
}
