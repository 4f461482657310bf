// Verdicts "unverified" as the log has them, and the reasons that are reported for them.
import { expect, test } from "vitest";
import { whyUnverified, type CheckBefore, type JudgedCommand } from "./why-unverified.js";

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
  whyUnverified({ verdict: "unverified", commands, warnings }, before);

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
    "the checks passed with changes inside lib, which the commit does not hold: the task is not verified",
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
    expect(whyUnverified({ verdict, commands: [red("x")], warnings: [] }, [])).toEqual([]);
  },
);
