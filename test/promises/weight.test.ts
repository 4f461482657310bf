// The program stays small: no floor has more lines or files than its budget.
import { expect, test } from "vitest";
import BUDGET from "../../docs/weight-budget.json" with { type: "json" };
import { countLines, isCounted, weigh } from "../../scripts/weight.mjs";

const budget: Record<string, { lines: number; files: number }> = BUDGET;

const ADVICE =
  "the floor is over its budget in docs/weight-budget.json. With each cut lower the number there (npm run weight -- --write); a commit that must raise it says why";

test.each(Object.entries(weigh()))("%s is within its budget", (floor, { lines, files }) => {
  expect(lines, ADVICE).toBeLessThanOrEqual(budget[floor]?.lines ?? 0);
  expect(files, ADVICE).toBeLessThanOrEqual(budget[floor]?.files ?? 0);
});

test("tests and what they need are not counted; a long line counts once for each 110 characters", () => {
  const named = [
    "cmd/looper.ts",
    "src/todo/store/store.ts",
    "src/gate/runners/node-hook.ts",
    "api/looper.ts",
  ];
  expect(named.filter(isCounted)).toEqual(named);
  const others = [
    "src/a.test.ts",
    "src/loop/testing/a.ts",
    "cmd/testing/testdata/a.ts",
    "test/rig/rig.ts",
    "src/a.json",
  ];
  expect(others.filter(isCounted)).toEqual([]);
  expect(countLines(`short\n\n${"x".repeat(110)}\n${"x".repeat(111)}\n`)).toBe(5);
});
