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

test.each([
  'print("eslint-disable");',
  "print('eslint-disable');",
  "print(`eslint-disable`);",
  String.raw`print("\"eslint-disable");`,
  String.raw`print(\"eslint-disable");`,
  `print("it's eslint-disable");`,
  "a *= 'eslint-disable';",
])("%j is a text that the program prints, and no suppression", (line) => {
  expect(withoutAddedSuppressions("a.js", "", line)).toBeUndefined();
});

test.each([
  [`print("a"); @ts-ignore`, `print("a"); @xx-xxxxxx`],
  [String.raw`print("\\"); @ts-ignore`, String.raw`print("\\"); @xx-xxxxxx`],
  ["*it's @ts-ignore", "*it's @xx-xxxxxx"],
  ["   * it's @ts-ignore", "   * it's @xx-xxxxxx"],
  ["let it = 'a'; /* it's @ts-ignore */", "let it = 'a'; /* it's @xx-xxxxxx */"],
])("%j is one outside of a text", (line, blanked) => {
  expect(withoutAddedSuppressions("a.js", "", line)).toBe(blanked);
});

test.each([
  ["a.c", '  # 12 "a.h" 3 4\nint x;', "\nint x;"],
  ["a.c", '#line  12 "a.h" 3\nint x;', "\nint x;"],
  ["a.pm", "no warnings\n;f();", "\nf();"],
  ["a.pm", "no warnings\nf", "\nf"],
  ["a.pm", "no warnings; f();", " f();"],
  ["A.java", "@nowarn def f", " def f"],
  ["A.java", '@SuppressWarnings({"a"', '({"a"'],
  ["A.java", '@SuppressWarnings({"a" /* NOSONAR */}) int x;', " int x;"],
  ["A.java", '// NOSONAR\n@Suppress("x") int y;', "// xxxxxxx\n int y;"],
])("%s: %j ends where its tool ends it", (path, text, blanked) => {
  expect(withoutAddedSuppressions(path, "", text)).toBe(blanked);
});

test.each([
  ["a.py", "x = 1  # noqa: A", "y = 1  # noqa: B\nx = 1  # noqa: A", "y = 1  # xxxx: B\nx = 1  # noqa: A"],
  ["a.rs", "#[allow(a)]\nfn x() {}", "#[allow(b)]\nfn x() {}", "\nfn x() {}"],
  ["a.rs", "#[allow(a)]\nfn x() {}", "fn y() {}\n  #[allow(a)]", undefined],
  ["a.py", "x = 1  # noqa: A", "x = 2  # noqa: A\r\n", undefined],
])("%s: %j to %j blanks what is new", (path, before, after, blanked) => {
  expect(withoutAddedSuppressions(path, before, after)).toBe(blanked);
});

test.each(["a.css", "a.scss", "a.less", "a.json5", "a.jsonc", "a.html", "a.yml", "a.yaml", "a.HTML"])(
  "%s is checked by tools too, though it has no code",
  (path) => {
    expect(withoutAddedSuppressions(path, "", "/* stylelint-disable */")).toBe("/* xxxxxxxxx-xxxxxxx */");
    expect(withoutAddedSuppressions(`${path}.txt`, "", "/* stylelint-disable */")).toBeUndefined();
  },
);

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

/** Marks by the documentation of their tools. `·`: where it allows none, one or several spaces. */
const MARKS: readonly (readonly [path: string, marks: readonly string[]])[] = [
  [
    "a.ts",
    [
      ...["// @ts-ignore", "// @ts-expect-error", "// @ts-nocheck", "// eslint-disable", "// tslint:disable"],
      ...["// eslint-disable-next-line x", "// stylelint-disable", "// oxlint-disable", "// jscs:disable"],
      ...["// standard-disable", "// biome-ignore lint: x", "// rome-ignore x", "// dprint-ignore"],
      ...["// deno-lint-ignore x", "// deno-fmt-ignore", "// svelte-ignore x", "// html-validate-ignore"],
      ...["/* v8 ignore next */", "/* istanbul  ignore else */", "/* node:coverage disable */"],
      ...[
        "// $FlowFixMe",
        "// $FlowIgnore",
        "// $FlowIgnoreNext",
        "// $FlowExpectedError[x]",
        "// @flow-ignore",
      ],
      ...[
        "/* jshint ignore:line */",
        "/** @knipignore */",
        "/* eslint  no-undef·: 0 */",
        "/* eslint @a/b-c: 0 */",
      ],
    ],
  ],
  [
    "a.py",
    [
      ...["#·noqa", "#·type:·ignore", "#·pyright:·ignore", "#·pyright:·basic", "#·pyright:·off"],
      ...["#·mypy:·ignore-errors", "#·mypy:·disable-error-code", "#·mypy:·allow-untyped-defs"],
      ...["#·pyre-ignore", "#·pyre-fixme[1]", "#·pyre-unsafe", "#·pytype:·disable=x", "#·pytype:·skip-file"],
      ...["#·pragma:·no·cover", "#·pragma:·no·branch", "#·coverage:·ignore", "#·pylint:·disable=x"],
      ...["#·pylint:·skip-file", "#·ruff:·noqa", "#·ruff:·ignore[x]", "#·ruff:·disable[x]", "#·flake8:·noqa"],
      ...["#·fmt:·off", "#·fmt:·skip", "#·autopep8:·off", "#·yapf:·disable", "#·isort:·skip", "#·isort:·off"],
      ...["#·nosec", "#·codespell:·ignore x", "#·nosemgrep"],
    ],
  ],
  [
    "a.go",
    [
      ...["//·nolint", "//·lint:ignore x", "//·lint:file-ignore x", "//·nosec", "//·#nosec G101"],
      ...["//·coverage:ignore", "//·revive:disable", "//·exhaustive:ignore", "//·gosec:disable"],
    ],
  ],
  [
    "a.rb",
    [
      ...["#·rubocop:·disable all", "#·rubocop:·todo x", "#·standard:·disable x", "#·:nocov:"],
      ...["#·simplecov:disable", "#·steep:ignore", "#·typed:·false", "#·typed:·ignore", "#·:reek:x"],
      "#·brakeman:ignore",
    ],
  ],
  [
    "a.php",
    [
      ...[
        "// @phpstan-ignore",
        "// @phpstan-ignore-line",
        "/** @psalm-suppress X */",
        "/** @phan-suppress X */",
      ],
      ...["// phpcs:·ignoreFile", "// phpcs:·disable", "// @codingStandardsIgnoreFile"],
      ...["// @codeCoverageIgnoreStart", "/** @infection-ignore-all */"],
    ],
  ],
  [
    "A.java",
    [
      ...["// CHECKSTYLE:·OFF", "// CHECKSTYLE.·OFF", "// NOPMD", "// NOSONAR", "//noinspection X"],
      ...[
        "// ktlint-disable",
        "// spotless:off",
        "// @formatter:off",
        "@SuppressFBWarnings",
        "@SuppressLint(1)",
      ],
      ...['@Suppress("x")', "@Generated", "@nowarn"],
    ],
  ],
  [
    "a.scala",
    ["// scalastyle:·off", "// scalafix:·off", "// scalafmt:·off", "// $COVERAGE-OFF$", "// @noinspection X"],
  ],
  [
    "a.c",
    [
      ...[
        "// NOLINTNEXTLINE",
        "// NOLINTBEGIN(x)",
        "// cppcheck-suppress x",
        "// GCOV_EXCL_LINE",
        "// LCOV-EXCL·START",
      ],
      ...[
        "// GCOVR_EXCL_LINE",
        "// grcov-excl-line",
        "// kcov-ignore",
        "// clang-format  off",
        "// coverity[x]",
      ],
      ...[
        '#·pragma clang diagnostic  ignored "-W"',
        "#·pragma warning·(·disable : 1)",
        "#pragma warning(push·,·0)",
      ],
      ...[
        '_Pragma·(·"clang diagnostic  ignored x")',
        '_Pragma("warning·(·disable:1)")',
        '·#·2· "a.h"·3',
        '#·line 2 "a.h" 3',
      ],
    ],
  ],
  [
    "a.cs",
    [
      "// ReSharper  disable x",
      "#·pragma  warning  disable",
      "[·SuppressMessage(1)]",
      "[·assembly:·SuppressMessage(1)]",
    ],
  ],
  ["b.cs", ["[System.Diagnostics.ExcludeFromCodeCoverage]", "[UnconditionalSuppressMessage(1)]"]],
  ["a.swift", ["// swiftlint:disable x", "// swift-format-ignore", "// periphery:ignore"]],
  ["a.sh", ["#·shellcheck disable·=SC1", "#·shfmt:ignore"]],
  ["a.pm", ["##·no critic", "#·uncoverable branch", "no  warnings;", "{·no strict;"]],
  ["a.ex", ["#·credo:disable-for-this-file", "#·coveralls-ignore-start", "#·sobelow_skip", "@dialyzer :x"]],
  ["a.yaml", ["#·yamllint  disable"]],
  ["a.lua", ["--·luacheck:·ignore", "--·luacheck:·push", "--·luacheck:·no unused", "--·stylua:·ignore"]],
  ["b.lua", ["---·@diagnostic  disable", "--·selene:·allow(x)"]],
  [
    "a.md",
    [
      ...["<!--·markdownlint-configure-file -->", "<!--·markdownlint-capture -->", "<!--·vale  off -->"],
      ...["<!--·lint disable x-->", "<!--·textlint-disable -->", "<!--·cspell:ignore x -->"],
    ],
  ],
  [
    "a.rs",
    [
      "#[expect·(x)]",
      "#[rustfmt::skip]",
      "#![coverage(off)]",
      "#[no_coverage]",
      "#[·cfg_attr(x, expect(y))]",
    ],
  ],
];

test.each(MARKS.flatMap(([path, marks]) => marks.map((mark) => [path, mark] as const)))(
  "%s: %s is one, however it is spaced",
  (path, mark) => {
    const spaces = mark.includes("·") ? ["", " ", "   "] : [" "];
    for (const space of spaces) {
      const line = mark.replaceAll("·", space);
      const found = withoutAddedSuppressions(path, "", line);
      expect([line, found === undefined]).toEqual([line, false]);
      expect([line, withoutAddedSuppressions(path, "", found ?? "")]).toEqual([line, undefined]);
    }
  },
);
