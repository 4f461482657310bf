import { expect, test } from "vitest";
import { readEntries, findChangelog } from "./changelog.js";

test.each([
  [
    "## 1.2.0\n\n- one\n\n## 1.1.0\n- two\n",
    [
      ["1.2.0", "- one"],
      ["1.1.0", "- two"],
    ],
  ],
  [
    "# Changes\n\n## [Unreleased]\n\n- next\n\n## [1.2.0] - 2024-01-01\n### Added\n- one\n\n[1.2.0]: https://x/1.2.0\n",
    [["1.2.0", "### Added\n- one"]],
  ],
  ["## v1.2.0\r\n\r\n- one\r\n", [["1.2.0", "- one"]]],
  ["## looper 1.2.0-rc.1 (soon)\n- one\n", [["1.2.0-rc.1", "- one"]]],
  [
    "1.2.0 (2024-01-01)\n------------------\n\n* one\n\n1.1.0\n-----\n\n* two\n",
    [
      ["1.2.0", "* one"],
      ["1.1.0", "* two"],
    ],
  ],
  ["Version 1.2.0\n  one\n", [["1.2.0", "one"]]],
  ["## 1.2.0\n\n1.5 times as fast.\n", [["1.2.0", "1.5 times as fast."]]],
  ["## 1.2.0\n\n### Upgrading from 1.1.0\n\n- one\n", [["1.2.0", "### Upgrading from 1.1.0\n\n- one"]]],
  [
    "## 1.2.0\n\n## 1.1.0\n- two\n",
    [
      ["1.2.0", ""],
      ["1.1.0", "- two"],
    ],
  ],
  ["nothing yet\n", []],
  ["", []],
])("%j", (text, expected) => {
  expect(readEntries(text).map((entry) => [entry.version, entry.text])).toEqual(expected);
});

test.each([
  [["README.md", "CHANGELOG.md"], "CHANGELOG.md"],
  [["HISTORY.rst", "changelog"], "changelog"],
  [["NEWS"], "NEWS"],
  [["changelog.js", "CHANGELOG.md.bak"], undefined],
])("of %j it is %s", (names, expected) => {
  expect(findChangelog(names)).toBe(expected);
});
