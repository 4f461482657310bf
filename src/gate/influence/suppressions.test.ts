// Which comments count as suppressions, and what the text is without those that were added.
import { expect, test } from "vitest";
import { withoutAddedSuppressions } from "./suppressions.js";

test.each([
  ["a.ts", "// @ts-ignore", "// @xx-xxxxxx"],
  ["a.js", "/* eslint-disable no-undef */", "/* xxxxxx-xxxxxxx no-undef */"],
  ["a.js", "x(); // eslint-disable-line", "x(); // xxxxxx-xxxxxxx-xxxx"],
  ["a.js", "/* c8 ignore next */", "/* xx xxxxxx next */"],
  ["a.py", "import os  # noqa: F401", "import os  # xxxx: F401"],
  ["a.py", "x = 1  # type: ignore[assignment]", "x = 1  # xxxx: xxxxxx[assignment]"],
  ["a.py", "def f():  # pragma: no cover", "def f():  # xxxxxx: xx xxxxx"],
  ["a.go", "x() //nolint:errcheck", "x() //xxxxxx:errcheck"],
  ["a.rs", "#[allow(dead_code)]", ""],
  ["a.rs", "#![allow(warnings)]", ""],
  ["A.java", '  @SuppressWarnings("all")', ""],
  ["a.c", '#pragma GCC diagnostic ignored "-Wall"', ""],
  ["a.c", "int x; // NOLINT", "int x; // xxxxxx"],
  ["a.sh", "# shellcheck disable=SC2086", "# xxxxxxxxxx xxxxxxx=SC2086"],
  ["a.rb", "# rubocop:disable all", "# xxxxxxx:xxxxxxx all"],
  ["a.php", "// @phpstan-ignore-next-line", "// @xxxxxxx-xxxxxx-xxxx-xxxx"],
])("%s: %j is blanked", (path, line, blanked) => {
  expect(withoutAddedSuppressions(path, undefined, `a\n${line}\nb`)).toEqual({
    text: `a\n${blanked}\nb`,
    count: 1,
  });
});

test("those that were there stay, also moved and indented; one more of them is added", () => {
  const line = "x = 1  # noqa";
  expect(withoutAddedSuppressions("a.py", `${line}\ny`, `y\n  ${line}`)).toBeUndefined();
  expect(withoutAddedSuppressions("a.py", line, `${line}\n${line}`)).toEqual({
    text: `${line}\nx = 1  # xxxx`,
    count: 1,
  });
});

test.each([
  ["a.txt", "# noqa"],
  ["a.js", "// ignore this"],
  ["a.py", "# nobody: quarrels"],
  ["a.go", "// nolinting here"],
  ["a.ts", "const allow = (x) => x;"],
])("%s: %j is none", (path, line) => {
  expect(withoutAddedSuppressions(path, undefined, line)).toBeUndefined();
});
