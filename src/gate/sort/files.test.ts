// Questions that a path alone answers.
import { expect, test } from "vitest";
import {
  folderOf,
  foldersAbove,
  isBelow,
  isForeign,
  isNew,
  isTestish,
  matchAllowed,
  matchPatterns,
  pathAt,
  relative,
} from "./files.js";

const NOTHING = { mode: "000000", oid: "" };
const FILE = { mode: "100644", oid: "1" };

test.each([
  [NOTHING, FILE, true],
  [FILE, FILE, false],
  [FILE, NOTHING, false],
  [NOTHING, NOTHING, false],
])("a path from %j to %j has come: %s", (from, to, isThere) => {
  expect(isNew({ path: "a", from, to, before: undefined, after: undefined })).toBe(isThere);
});

test("the folder of a path, and all above it", () => {
  expect([folderOf("a.js"), folderOf("src/a/b.js")]).toEqual(["", "src/a"]);
  expect(foldersAbove("src/a/b.js")).toEqual(["src/a", "src", ""]);
  expect(foldersAbove("a.js")).toEqual([""]);
});

test.each([
  ["src/a.js", "src", true],
  ["src", "src", true],
  ["src/a.js", "", true],
  ["srcs/a.js", "src", false],
  ["a/src/b.js", "src", false],
])("%s is below %j: %s", (path, folder, is) => {
  expect(isBelow(path, folder)).toBe(is);
});

test.each([
  ["src", "src/a/b.js", "a/b.js"],
  ["src/a", "src/a/b.js", "b.js"],
  ["", "src/a.js", "src/a.js"],
  ["src", "srcs/a.js", "srcs/a.js"],
  ["src", "a/src/b.js", "a/src/b.js"],
  ["src", "lib/src/", "lib/src/"],
  ["src", "src", "src"],
])("from %j, %s is %s", (folder, path, local) => {
  expect(relative(folder, path)).toBe(local);
});

test.each([
  ["src", "./a.js", "src/a.js"],
  ["src", "../lib/", "lib"],
  ["src", "..", ""],
  ["", ".", ""],
  ["", "./", ""],
  ["", "..a/b.js", "..a/b.js"],
  ["", "a/..b", "a/..b"],
  ["", "..", undefined],
  ["src", "../..", undefined],
  ["", "../a.js", undefined],
  ["src", "../../a.js", undefined],
  ["", "/etc/a.js", undefined],
  ["src", "/a.js", "src/a.js"],
])("the path that a file in %j calls %s is %j", (folder, name, path) => {
  expect(pathAt(folder, name)).toBe(path);
});

test.each([
  ["*.js", "src/a.js", true],
  ["/a.js", "src/a.js", false],
  ["readme.md", "README.md", false],
  ["*", "../a.js", true],
  ["*", "", false],
  ["a?b", "a\nb", true],
  ["a?b", "a\u2028b", true],
  ["ab", "a\nb", false],
])("the pattern %s names %j: %s", (pattern, path, is) => {
  expect(matchPatterns([pattern])(path)).toBe(is);
});

test.each([
  ["node_modules/a/a.js", true],
  ["src/vendor/a.js", true],
  [".cache/a.js", true],
  ["dist/a.js", true],
  ["packages/a/out/a.js", true],
  ["build/src/a.js", true],
  ["src/build/a.js", false],
  ["app/lib/dist/a.js", false],
  ["src/a.js", false],
  ["distance/a.js", false],
])("%s is made, installed or copied in: %s", (path, is) => {
  expect(isForeign(path)).toBe(is);
});

test.each([
  ["test/a.js", true],
  ["Tests/a.js", true],
  ["a/t/b.js", true],
  ["a/edge-test/b.js", true],
  ["a/edge--test.js", true],
  ["a/edgeTest.js", true],
  ["a/edge2Test.js", true],
  ["a/latest.js", false],
  ["a/greatest/b.js", false],
  ["cat/a.js", false],
  ["a/b.js", false],
])("%s says that it serves tests: %s", (path, is) => {
  expect(isTestish(path)).toBe(is);
});

test.each([
  ["looper.config.json", false],
  ["looper.config.d/a.json", true],
  ["my.looper/a.json", true],
  ["mylooper.config.json", true],
  [".LOOPER/a.json", false],
])("a pattern for all files allows %s: %s", (path, is) => {
  expect(matchAllowed(["*"], "")(path)).toBe(is);
});
