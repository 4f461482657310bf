import { expect, test } from "vitest";
import { createUnifiedDiff } from "./unified-diff.js";

test("a name with a line break cannot imitate a line of the diff", () => {
  const diff = createUnifiedDiff([{ path: "a\n+++ b/b.txt", before: "one\n", after: "two\n" }]);
  expect(diff.split("\n").slice(0, 2)).toEqual([
    String.raw`--- "a/a\n+++ b/b.txt"`,
    String.raw`+++ "b/a\n+++ b/b.txt"`,
  ]);
});
