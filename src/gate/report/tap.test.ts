// TAP line by line: points, plans, versions, subtests, and lines that only look like them.
import { expect, test } from "vitest";
import { readTap } from "./tap.js";

/** Each case as `status: name`. */
function cases(...lines: string[]): string[] {
  const report = readTap(lines.join("\n"), (part) => part);
  return report.how === "read" ? report.cases.map(({ name, status }) => `${status}: ${name}`) : [report.how];
}

const MISSED = "failed: (as many tests as planned)";

test.each([
  ["ok", "passed: (no name)"],
  ["ok 3", "passed: 3"],
  ["ok 3 -", "passed: 3"],
  ["ok -", "passed: (no name)"],
  ["ok - a", "passed: a"],
  ["ok 12 - a", "passed: a"],
  ["ok 12 a b", "passed: a b"],
  ["not ok 12 a", "failed: a"],
  ["not ok - a", "failed: a"],
  ["ok 1 - a # SKIP", "skipped: a"],
  ["ok 1 - a  #  skip why", "skipped: a"],
  ["not ok 1 - a # TODO", "skipped: a"],
  ["ok 1 - a  # time=3ms", "passed: a"],
  ["ok 1 - a # todos", "passed: a # todos"],
  ["ok 1 - # SKIP", "skipped: 1"],
  ["ok 1 - a\\#b \\\\ c", "passed: a#b \\ c"],
])("a line is read as a point: %s", (line, expected) => {
  expect(cases(line)).toEqual([expected]);
});

test.each([
  "look ok 3 done",
  "is not ok 3 done",
  "ok then",
  "ok3",
  "OK 1 - a",
  "ok one - a",
  "a 1..2",
  "2..3",
  "1..2b",
  "1..x",
  "He said: Bail out!",
  "Bail out",
])("a line is not read as TAP: %s", (line) => {
  expect(cases(line, "ok 1 - a")).toEqual(["passed: a"]);
});

test("a plan may have more than nine points", () => {
  expect(cases("1..10", "ok 1 - a")).toEqual(["passed: a", MISSED]);
  const ten = Array.from({ length: 10 }, (_, n) => `ok ${n + 1} - t${n + 1}`);
  expect(cases("1..10", ...ten)).toEqual(ten.map((line) => line.replace(/ok \d+ - /, "passed: ")));
});

test("the last line needs no line end, and a line may be one character long", () => {
  expect(cases("TAP version 14", "ok 1 - ab")).toEqual(["passed: ab"]);
  expect(cases("x", "ok 1 - ab", "ok 2 - c", "")).toEqual(["passed: ab", "passed: c"]);
  expect(cases("", "", "ok 1 - a")).toEqual(["passed: a"]);
});

test("a version line begins a document, but not a line that only contains one", () => {
  expect(cases("1..2", "ok 1 - a", "TAP version 13", "ok 1 - b")).toEqual(["passed: a", MISSED, "passed: b"]);
  for (const line of ["see TAP version 13", "TAP version 13 it is", "TAP version x", "TAP version "]) {
    expect(cases("1..2", "ok 1 - a", line, "ok 2 - b")).toEqual(["passed: a", "passed: b"]);
  }
});

test("a subtest has its announced name, but not from a line that only mentions one", () => {
  expect(cases("# Subtest: x", "    ok 1 - a")).toEqual(["passed: x > a"]);
  expect(cases("say # Subtest: x", "    ok 1 - a")).toEqual(["passed: a"]);
  expect(cases("# Subtests: x", "    ok 1 - a")).toEqual(["passed: a"]);
});

test("a line indented too deep for a subtest is ignored", () => {
  expect(cases("    ok 1 - a", "            ok 2 - printed", "ok 1 - x")).toEqual([
    "passed: x > a",
    "passed: x",
  ]);
  expect(cases("        ok 1 - printed", "ok 1 - x")).toEqual(["passed: x"]);
  expect(cases("    ok 1 - a", "        ok 1 - in", "    ok 2 - b", "ok 1 - x")).toEqual([
    "passed: x > a",
    "passed: x > b > in",
    "passed: x > b",
    "passed: x",
  ]);
});

test("a block of YAML belongs to the point right before it, blank lines aside", () => {
  expect(cases("---", "ok 1 - a")).toEqual(["passed: a"]);
  expect(cases("ok 1 - a", "", "    ---", "    ok 2 - b", "    ...", "ok 3 - c")).toEqual([
    "passed: a",
    "passed: c",
  ]);
  expect(cases("ok 1 - a", "# text", "---", "ok 2 - b")).toEqual(["passed: a", "passed: b"]);
  expect(cases("ok 1 - a", "---", "ok 2 - b", "...", "ok 3 - c")).toEqual(["passed: a", "passed: c"]);
  expect(cases("ok 1 - a", "...", "    ok 1 - b", "ok 2 - c")).toEqual([
    "passed: a",
    "passed: c > b",
    "passed: c",
  ]);
});

test("points after a plan at the end belong to another document", () => {
  expect(cases("ok 1 - a", "1..1", "ok 1 - b", "1..2")).toEqual(["passed: a", "passed: b", MISSED]);
  expect(cases("1..1", "ok 1 - a", "ok 2 - b")).toEqual(["passed: a", "passed: b", MISSED]);
  expect(cases("# Subtest: x", "    1..2", "    ok 1 - a")).toEqual([
    "passed: x > a",
    MISSED.replace("(", "x > ("),
  ]);
});
