import { expect, test } from "vitest";
import { readPatterns, whyWrong } from "./changes.js";

test.each([
  "test/dates.test.js",
  "test/",
  "**/*.snap",
  "package.json",
  "*.config.js",
  "docs/*.[ch]",
  "src/a b.js",
  "a..b/c",
  "[!a-z]1.txt",
  "[!_]*/a.js",
  "**/config.json",
  "test/to-do.json",
  "[l-p]*.config.js",
  "a-[b-d].{x}.js",
  "\\[x\\].js",
  ".github/workflows/ci.yml",
])("%j may be changed", (pattern) => {
  expect(whyWrong(pattern)).toBeUndefined();
});

test.each([
  ["", "it is empty"],
  ["  ", "it is empty"],
  ["**", "it allows every file"],
  ["*", "it allows every file"],
  ["**/*", "it allows every file"],
  ["./", "it allows every file"],
  ["*.*", "it allows every file"],
  ["/etc/passwd", "absolute"],
  ["~/x", "absolute"],
  ["C:\\x", "absolute"],
  ["../other/x.js", "leaves the project"],
  ["test/../../x", "leaves the project"],
  ["!test/a.js", "it excludes files"],
  ["#test", "comment"],
  [" test/a.js", "white space"],
  ["test/a.js\nsrc/", "line end"],
  ["test/[a.js", "not valid"],
  ["test/[z-a].js", "not valid"],
  ["test/a\\", "not valid"],
  [".looper/config.json", "Looper's own files"],
  [".looper", "Looper's own files"],
  ["**/.looper/", "Looper's own files"],
  [".Looper-x", "Looper's own files"],
  [".loop*/", "Looper's own files"],
  ["looper.config.*", "Looper's own files"],
  ["[.]looper/config.json", "Looper's own files"],
  ["[.l]looper/config.json", "Looper's own files"],
  ["**/\\.looper/config.json", "Looper's own files"],
  ["?looper/config.json", "Looper's own files"],
  [".[k-m]ooper/**", "Looper's own files"],
  [".loope[!a]/**", "Looper's own files"],
  ["[l]ooper.config.js", "Looper's own files"],
  ["[kl]ooper.config.*", "Looper's own files"],
  ["to-do.json", "task file"],
  ["./to-do.json", "task file"],
  ["to[-]do.json", "task file"],
])("%j does not count", (pattern, why) => {
  expect(whyWrong(pattern)).toContain(why);
});

test("patterns that do not count are told apart from those that do", () => {
  expect(readPatterns(["test/", "**"])).toEqual({
    allowed: ["test/"],
    wrong: [{ pattern: "**", why: "it allows every file" }],
  });
});
