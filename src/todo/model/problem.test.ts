import { expect, test } from "vitest";
import { didYouMean, show } from "./problem.js";

test.each([
  [[1], "an array"],
  [{ a: 1 }, "an object"],
  [null, "null"],
  [true, "true"],
  [1.5, "1.5"],
  ['a "b"', '"a \\"b\\""'],
  ["x".repeat(60), `"${"x".repeat(60)}"`],
  ["x".repeat(61), `"${"x".repeat(59)}…"`],
])("%j is shown as %s", (value, shown) => {
  expect(show(value)).toBe(shown);
});

test("a suggestion names a similar word, or the alternative", () => {
  expect(didYouMean('a "b"', "look again")).toBe('did you mean "a \\"b\\""?');
  expect(didYouMean(undefined, "look again")).toBe("look again");
});
