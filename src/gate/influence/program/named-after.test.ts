// Which names of tests are the name of a file with a word for a test.
import { expect, test } from "vitest";
import { isNamedAfter } from "./named-after.js";

test.each([
  ["edge.test.js", "lib/edge.js"],
  ["test/edge-test.mjs", "edge.mjs"],
  ["tests/test_edge.py", "shop/edge.py"],
  ["edge_test.py", "edge.py"],
  ["EdgeTest.php", "Edge.php"],
  ["spec/edge_spec.rb", "edge.rb"],
  ["t/01-edge.t", "Edge.pm"],
  ["test_two_words.c", "two-words.c"],
])("%s is named after %s", (one, path) => {
  expect(isNamedAfter(one, path)).toBe(true);
});

test.each([
  ["edge.test.js", "same.js"],
  ["all.test.js", "edge.js"],
  ["test.js", "edge.js"],
  ["test.js", ".js"],
])("%s is not named after %s", (one, path) => {
  expect(isNamedAfter(one, path)).toBe(false);
});
