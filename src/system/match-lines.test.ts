import { expect, test } from "vitest";
import { matchLines } from "./match-lines.js";

test("the lines that match, in their order", () => {
  expect(matchLines("^a\\d", ["a1", "b1", "ba1", "a2"], 1000)).toEqual(["a1", "a2"]);
});

test("an expression that is none, and one that never ends, are problems", () => {
  expect(matchLines("(", ["x"], 1000)).toHaveProperty("problem");
  const endless = matchLines("^(a+)+$", [`${"a".repeat(60)}!`], 50);
  expect(endless).toEqual({ problem: "^(a+)+$: takes too long on this text; use a simpler expression" });
});
