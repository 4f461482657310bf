import { expect, test } from "vitest";
import {
  describeDoubt,
  formatDoubt,
  needsLook,
  whyNotVerified,
  type CheckBefore,
  type Doubtful,
  type JudgedCommand,
} from "./reasons.js";

const diff = (...lines: string[]): string => ["--- a/x", "+++ b/x", "@@ -1 +1 @@", ...lines].join("\n");
const influence = (more: Partial<Doubtful>): Doubtful => ({
  verdict: "unverified",
  because: "influence",
  ...more,
});

test.each<[Doubtful, boolean]>([
  [{ verdict: "unverified", because: "influence" }, true],
  [{ verdict: "unverified", because: "no-report" }, true],
  [{ verdict: "unverified", because: "no-checks" }, false],
  [{ verdict: "unverified", because: "red-before" }, false],
  [{ verdict: "unverified" }, false],
  [{ verdict: "passed", because: "influence" }, false],
])("%j needs a look: %s", (found, needs) => {
  expect(needsLook(found)).toBe(needs);
  expect(describeDoubt(found) !== undefined).toBe(needs);
});

test("without a sentence of the gate the files are named", () => {
  const needs = [
    { path: "pyproject.toml", diff: diff(" [pytest]", "-old", '+addopts = "--deselect a"') },
    { path: "test/a.test.js", diff: diff("-  expect(1).toBe(2)", "-}") },
    { path: "logo.png", diff: "Binary files differ" },
  ];
  expect(describeDoubt(influence({ needs }))).toBe(
    "passes only with pyproject.toml, test/a.test.js, logo.png",
  );
});

test("a sentence stays on one line, and names at most three files", () => {
  const needs = ["a\nb", "c", "d", "e", "f"].map((path) => ({ path, diff: diff(`+${"x".repeat(500)}`) }));
  const text = describeDoubt(influence({ needs })) ?? "";
  expect(text).toBe("passes only with a b, c, d and 2 more");
});

test("a task that needs only checks of earlier tasks names these", () => {
  expect(describeDoubt(influence({ on: ["T3", "T4"] }))).toBe(
    "passes only with the checks that T3 and T4 changed",
  );
});

test("the evidence has every diff", () => {
  const needs = [{ path: "a.js", diff: diff("-1", "+2", "") }];
  expect(formatDoubt(influence({ needs }))).toBe(
    [
      "not verified: passes only with a.js",
      "",
      "a.js:",
      "--- a/x",
      "+++ b/x",
      "@@ -1 +1 @@",
      "-1",
      "+2",
    ].join("\n"),
  );
});

test("the gate's own sentence is taken where there is one", () => {
  const warnings = [
    "a file was put back",
    "not verified, since it passes only with a.js (+1)",
    "not verified, since b",
  ];
  expect(describeDoubt(influence({ on: ["T3"], warnings }))).toBe("passes only with a.js (+1)");
});

const red = (command: string): JudgedCommand => ({
  command,
  verdict: "pre-existing",
  end: "exited",
  exit_code: 1,
});
const green = (command: string): JudgedCommand => ({
  command,
  verdict: "passed",
  end: "exited",
  exit_code: 0,
});
const was = (command: string, how: string, line: string, cannotRun = false): CheckBefore => ({
  command,
  red: { how, line, cannot_run: cannotRun },
});
const why = (commands: JudgedCommand[], before: CheckBefore[] = [], warnings: string[] = []) =>
  whyNotVerified({ verdict: "unverified", commands, warnings }, before);

test("a task without checks is unverified because there are none", () => {
  expect(why([])).toEqual(["no checks are configured"]);
});

test("a check that still fails is named with its exit code and the line that explains it", () => {
  expect(why([red("npm test")], [was("npm test", "exit code 1", "1 test fails: adds")])).toEqual([
    '"npm test" failed before the work and still fails (exit code 1): 1 test fails: adds',
  ]);
  expect(why([red("npm test")])).toEqual(['"npm test" failed before the work and still fails (exit code 1)']);
});

test("a check that cannot run is reported as one that cannot run", () => {
  const before = [was("nosuch", "exit code 127", "sh: nosuch: not found", true)];
  expect(why([{ ...red("nosuch"), exit_code: 127 }], before)).toEqual([
    '"nosuch" cannot run (exit code 127): sh: nosuch: not found',
  ]);
});

test("every check that fails as before is named, and no other", () => {
  expect(why([green("green"), red("first"), red("second")])).toEqual([
    '"first" failed before the work and still fails (exit code 1)',
    '"second" failed before the work and still fails (exit code 1)',
  ]);
});

test("only warnings that explain the verdict are reasons", () => {
  const warnings = [
    "it changes files that decide its checks: check.sh; this run's checks use the old version",
    "not verified, since the checked files differ from the commit: a.txt changed while the checks ran",
    "not verified, since the checks passed with changes inside lib, which the commit does not hold",
  ];
  expect(why([green("npm test")], [], warnings)).toEqual([
    "the checked files differ from the commit: a.txt changed while the checks ran",
    "the checks passed with changes inside lib, which the commit does not hold",
  ]);
});

test("a check that was not run because it is not approved is the reason, not a lack of checks", () => {
  const warning = "not run, since it came after the question of trust: verify of T1: make check";
  expect(why([], [], [warning])).toEqual([warning]);
});

test.each(["passed", "failed", "tampered", "interrupted"] as const)(
  "no reasons for the verdict %s",
  (verdict) => {
    expect(whyNotVerified({ verdict, commands: [red("x")], warnings: [] }, [])).toEqual([]);
  },
);
