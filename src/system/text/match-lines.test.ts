import { expect, test } from "vitest";
import { lineMatcher, matchLines } from "./match-lines.js";

const bounds = { most: 100, timeoutMs: 5000 };

test("the lines that match, whatever their ends", () => {
  const match = lineMatcher(/o$/);
  expect(match("one\ntwo\r\nfoo", bounds)).toEqual({ lines: [1, 2] });
  expect(match("", bounds)).toEqual({ lines: [] });
  expect(match("o\n".repeat(9), { ...bounds, most: 2 })).toEqual({ lines: [0, 1] });
  expect(lineMatcher(/^$/)("a\n\nb\n", bounds)).toEqual({ lines: [1] });
});

test("a pattern that backtracks without end is ended", () => {
  expect(lineMatcher(/(a+)+$/)(`${"a".repeat(60)}!`, { most: 1, timeoutMs: 50 })).toEqual({ slow: true });
});

test("of a few lines, those that match, in their order", () => {
  expect(matchLines("^a\\d", ["a1", "b1", "ba1", "a2"], 1000)).toEqual(["a1", "a2"]);
  expect(matchLines("^$", ["a", "", ""], 1000)).toEqual(["", ""]);
});

test("an expression that is none, and one that never ends, are problems", () => {
  expect(matchLines("(", ["x"], 1000)).toHaveProperty("problem");
  const endless = matchLines("^(a+)+$", [`${"a".repeat(60)}!`], 50);
  expect(endless).toEqual({ problem: "^(a+)+$: takes too long on this text; use a simpler expression" });
});
