import { expect, test } from "vitest";
import { quoteIfNeeded } from "./quote.js";

test("a word is quoted only where the shell would change it", () => {
  expect(["a/b-1.ts", "", "a b", "it's", "$HOME"].map(quoteIfNeeded)).toEqual([
    "a/b-1.ts",
    "''",
    "'a b'",
    "'it'\\''s'",
    "'$HOME'",
  ]);
});
