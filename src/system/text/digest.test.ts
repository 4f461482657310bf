import { expect, test } from "vitest";
import { digest } from "./digest.js";

// The published test vectors of FNV-1a, 64 bits.
test.each([
  ["", "cbf29ce484222325"],
  ["a", "af63dc4c8601ec8c"],
  ["foobar", "85944171f73967e8"],
])("%j", (text, expected) => {
  expect(digest([text])).toBe(expected);
});

test("the parts count as one text", () => {
  expect(digest(["foo", "", "bar"])).toBe(digest(["foobar"]));
  expect(digest(["é"])).not.toBe(digest(["e"]));
});
