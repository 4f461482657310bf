import { expect, test } from "vitest";
import { plural, showCost, showCount, showDuration, showMoment, showSpent, showTokens } from "./amounts.js";

test.each([
  [0, "0.0s"],
  [-5, "0.0s"],
  [449, "0.4s"],
  [9_949, "9.9s"],
  [9_950, "10s"],
  [59_499, "59s"],
  [59_500, "1m00s"],
  [185_000, "3m05s"],
  [3_599_499, "59m59s"],
  [3_600_000, "1h00m"],
  [7_620_000, "2h07m"],
])("%d ms are %s", (ms, shown) => {
  expect(showDuration(ms)).toBe(shown);
});

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1.0k"],
  [999_949, "999.9k"],
  [999_950, "1.0M"],
])("%d is %s", (value, shown) => {
  expect(showCount(value)).toBe(shown);
});

test("costs keep what is below a cent, and what was not told is not shown", () => {
  expect([showCost(0), showCost(0.004), showCost(1.239)]).toEqual(["$0.00", "$0.004", "$1.24"]);
  expect([showSpent({ tokens: 0 }), showSpent({ tokens: 5 }), showSpent({ tokens: 1500, cost: 2 })]).toEqual([
    "",
    "5 tokens",
    "1.5k tokens, $2.00",
  ]);
});

test("one is one, and all else is many", () => {
  expect([plural(1, "task"), plural(0, "task"), plural(2, "process", "processes")]).toEqual([
    "1 task",
    "0 tasks",
    "2 processes",
  ]);
});

test("one token is one", () => {
  expect([1, 0, 2, 1_000_000].map(showTokens)).toEqual(["1 token", "0 tokens", "2 tokens", "1.0M tokens"]);
});

test("a moment is the local time of day, with its date on another day", () => {
  const now = new Date(2026, 10, 21, 23, 59, 58).getTime();
  expect(
    [now, now + 1000, now + 2000, new Date(2027, 0, 2, 3, 4, 5).getTime()].map((at) => showMoment(at, now)),
  ).toEqual(["23:59:58", "23:59:59", "2026-11-22 00:00:00", "2027-01-02 03:04:05"]);
});
