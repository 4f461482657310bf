import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDuration } from "./duration.js";

test.each([
  ["90s", 90_000],
  ["30m", 1_800_000],
  ["2h", 7_200_000],
  ["7d", 604_800_000],
  ["1d12h", 129_600_000],
  ["1.5d", 129_600_000],
  ["0.5h", 1_800_000],
  ["1.5h30m", 7_200_000],
  ["2.5s", 2_500],
  ["90", 90_000],
  ["0", 0],
  ["0s", 0],
  ["0.5", 500],
  [90, 90_000],
  [0.25, 250],
])("%j is %i ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  "",
  " ",
  "5m banana",
  "1,5h",
  "1.h",
  ".5h",
  "1.5.5h",
  "-5m",
  "m",
  "5 m",
  "12h1d",
  "5m5m",
  "5x",
  "1e3",
  "30M",
  "30min",
  "9".repeat(40),
  -1,
  Number.NaN,
  Infinity,
])("%j is not a duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test("any composition of units is their sum", () => {
  const part = fc.nat(1000);
  fc.assert(
    fc.property(part, part, part, part, (d, h, m, s) => {
      const text = `${String(d)}d${String(h)}h${String(m)}m${String(s)}s`;
      expect(parseDuration(text)).toBe((((d * 24 + h) * 60 + m) * 60 + s) * 1000);
    }),
  );
});
