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
  ["a.c", String.raw`_Pragma("GCC diagnostic ignored \"-Wall\"")`, ""],
  ["a.c", '#define QUIET _Pragma("GCC system_header") x', "#define QUIET  x"],
  ["a.h", "#pragma GCC system_header", ""],
  ["a.c", "#  pragma clang system_header", ""],
  ["a.c", '# 1 "add.c" 3', ""],
  ["a.c", '#line 1 "add.c" 1 3', ""],
  ["a.c", "#pragma warning(push, 0)", ""],
  ["a.c", "int x; // NOLINT", "int x; // xxxxxx"],
  ["a.sh", "# shellcheck disable=SC2086", "# xxxxxxxxxx xxxxxxx=SC2086"],
  ["a.rb", "# rubocop:disable all", "# xxxxxxx:xxxxxxx all"],
  ["a.php", "// @phpstan-ignore-next-line", "// @xxxxxxx-xxxxxx-xxxx-xxxx"],
])("%s: %j is blanked", (path, line, blanked) => {
  expect(withoutAddedSuppressions(path, undefined, `a\n${line}\nb`)).toBe(`a\n${blanked}\nb`);
});

test("those that were there stay, also moved and indented; one more of them is added", () => {
  const line = "x = 1  # noqa";
  expect(withoutAddedSuppressions("a.py", `${line}\ny`, `y\n  ${line}`)).toBeUndefined();
  expect(withoutAddedSuppressions("a.py", line, `${line}\n${line}`)).toBe(`${line}\nx = 1  # xxxx`);
});

test.each([
  ["a.txt", "# noqa"],
  ["a.js", "// ignore this"],
  ["a.py", "# noisy: quarrels"],
  ["a.go", "// nolinting here"],
  ["a.ts", "const allow = (x) => x;"],
  ["a.h", "#pragma once"],
  ["a.c", '#line 3 "a.y"'],
  ["a.c", '_Pragma("omp parallel for")'],
])("%s: %j is none", (path, line) => {
  expect(withoutAddedSuppressions(path, undefined, line)).toBeUndefined();
});

test.each([
  ["a.rs", "#[allow(dead_code)] fn f() {}", " fn f() {}"],
  ["a.rs", "#[cfg_attr(x, allow(dead_code))]", ""],
  ["A.java", '@SuppressWarnings({"a", "b"}) void f() {}', " void f() {}"],
  ["A.java", "int x; // NOSONAR", "int x; // xxxxxxx"],
  ["A.kt", '@file:Suppress("unused")', ""],
  ["A.cs", "[ExcludeFromCodeCoverage] class A {}", " class A {}"],
  ["a.cs", "#pragma warning disable CS0168", ""],
  ["a.py", "import os  # NoQA", "import os  # xxxx"],
  ["a.py", "# pyright: reportMissingImports=false", "# xxxxxxx: xxxxxxMissingImports=false"],
  ["a.js", '/* eslint no-undef: "off" */', '/* xxxxxx no-undef: "off" */'],
  ["a.js", 'x(); /"/.test(y); // eslint-disable-line "', 'x(); /"/.test(y); // xxxxxx-xxxxxxx-xxxx "'],
  ["a.vue", "<!-- eslint-disable -->", "<!-- xxxxxx-xxxxxxx -->"],
  ["a.php", "// @codingStandardsIgnoreLine", "// @xxxxxxxxxxxxxxxxxxxxxxxxx"],
  ["a.php", "// phpcs:ignore", "// xxxxx:xxxxxx"],
  ["a.ts", "/* istanbul ignore file */", "/* xxxxxxxx xxxxxx file */"],
  ["a.ts", "// biome-ignore lint: x", "// xxxxx-xxxxxx lint: x"],
  ["a.ts", "// prettier-ignore", "// xxxxxxxx-xxxxxx"],
  ["a.css", "/* stylelint-disable */", "/* xxxxxxxxx-xxxxxxx */"],
  ["a.md", "<!-- markdownlint-disable -->", "<!-- xxxxxxxxxxxx-xxxxxxx -->"],
])("%s: %j goes, and the rest still is code", (path, line, blanked) => {
  expect(withoutAddedSuppressions(path, "", `a\n${line}\nb`)).toBe(`a\n${blanked}\nb`);
});

test("a suppression over several lines goes with all of them, and the lines keep their numbers", () => {
  const text = '@SuppressWarnings({\n  "a",\n  "b"\n})\nvoid f() {}';
  expect(withoutAddedSuppressions("A.java", "", text)).toBe("\n\n\n\nvoid f() {}");
  expect(withoutAddedSuppressions("a.js", "", "/*\neslint-disable\n*/")).toBe("/*\nxxxxxx-xxxxxxx\n*/");
});

test("a pragma with a continued line goes with all of it", () => {
  const text = '#pragma \\\nGCC diagnostic ignored "-Wall"\nint x;\n';
  expect(withoutAddedSuppressions("a.c", "", text)).toBe("\n\nint x;\n");
});

test("a suppression that stays while its line changes is not added", () => {
  expect(withoutAddedSuppressions("a.py", "x = 1  # noqa: E501", "x = 2  # noqa: E501")).toBeUndefined();
  expect(withoutAddedSuppressions("a.py", "x = 1  # noqa: E501", "x = 2  # noqa")).toBe("x = 2  # xxxx");
});

test("a text that the program prints is not a suppression", () => {
  expect(withoutAddedSuppressions("a.js", "", 'print("eslint-disable");')).toBeUndefined();
});

test("a file of 1 MB is read in a moment", () => {
  const text = "x = '#' * 3  # noqa: E501 @Suppressed( [[[(((\n".repeat(20_000);
  expect(withoutAddedSuppressions("a.py", "", text)?.match(/# xxxx:/g)).toHaveLength(20_000);
});

test("a pragma of Perl that silences warnings goes as a whole", () => {
  const before = "use strict;\nuse warnings;\nsub f { return 1 }\n";
  const after =
    "use strict;\nuse warnings;\nno warnings qw(once void);\nsub f { no strict 'refs'; return 1 }\n";
  const found = withoutAddedSuppressions("lib/A.pm", before, after);
  expect(found?.split("\n")[2]?.trim()).toBe("");
  expect(found).not.toMatch(/\bno (?:warnings|strict)/);
});
