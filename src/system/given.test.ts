import { expect, test } from "vitest";
import { given } from "./given.js";

test("given keeps null, false and empty texts, and drops undefined with its key", () => {
  const fields = given({ a: undefined, b: null, c: false, d: "", e: 0 });
  expect(Object.entries(fields)).toEqual([
    ["b", null],
    ["c", false],
    ["d", ""],
    ["e", 0],
  ]);
});
