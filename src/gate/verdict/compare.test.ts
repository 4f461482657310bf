import { expect, test } from "vitest";
import { judge, mustRepeat, type GateOrder } from "./compare.js";
import { pickBetter } from "./runs.js";
import { bare, killed, order, run, timedOut, type Tests } from "../testing/testing.js";
import type { Baseline, Ran } from "../verdict.js";

/** The judgement of one command: the whole verdict, the command's, and the names of each kind. */
function said(base: Ran | undefined, ran: Ran, more: Partial<GateOrder> = {}): string[] {
  const { verdict, commands } = judge(order(base, ran, more));
  const names = Object.entries(commands[0]?.tests ?? {}).flatMap(([kind, list]) =>
    Array.isArray(list) && list.length > 0 ? [`${kind}: ${list.join(", ")}`] : [],
  );
  return [verdict, commands[0]?.verdict ?? "", ...names];
}

test("a command without a report is judged by its exit code", () => {
  expect(said(bare(0), bare(0))).toEqual(["passed", "passed"]);
  expect(said(bare(0), bare(1))).toEqual(["failed", "regressed"]);
  expect(said(bare(0), bare(killed))).toEqual(["failed", "regressed"]);
  expect(said(bare(0), bare(timedOut))).toEqual(["failed", "regressed"]);
  expect(said(bare(1), bare(0))).toEqual(["passed", "fixed"]);
  expect(said(bare(timedOut), bare(0))).toEqual(["passed", "fixed"]);
});

test("a check that failed before and still fails is listed, and with strict it fails the attempt", () => {
  expect(said(bare(1), bare(2))).toEqual(["passed", "pre-existing"]);
  expect(said(bare(1), bare(timedOut))).toEqual(["passed", "pre-existing"]);
  expect(said(bare(1), bare(2), { strict: true })).toEqual(["failed", "pre-existing"]);
  expect(said(bare(1), bare(0), { strict: true })).toEqual(["passed", "fixed"]);
});

test("an attempt without commands is unverified", () => {
  const report = judge({ ...order(undefined, bare(0)), ran: [] });
  expect(report).toEqual({ verdict: "unverified", cold: false, commands: [], tampered: [], evidence: "" });
});

test("every failure is new without a baseline", () => {
  expect(said(undefined, bare(0))).toEqual(["passed", "passed"]);
  expect(said(undefined, bare(1))).toEqual(["failed", "new"]);
  expect(said(undefined, run({ a: "failed", b: "passed" }))).toEqual(["failed", "new", "new: a"]);
  // A command that was added to the settings later does not have a baseline either.
  expect(said(bare(1, { command: "another" }), bare(1))).toEqual(["failed", "new"]);
});

test("the task's own command must pass, even if the same command of the project failed before", () => {
  expect(said(bare(1), bare(1, { own: true }))).toEqual(["failed", "new"]);
  expect(said(bare(1), bare(0, { own: true }))).toEqual(["passed", "passed"]);
  const base = run({ a: "failed", b: "passed" });
  expect(said(base, run({ a: "failed" }, 1, { own: true }))).toEqual(["failed", "new", "new: a"]);
  // Without a baseline no test can be missing from it.
  expect(said(base, run({ c: "passed" }, 0, { own: true }))).toEqual(["passed", "passed"]);
});

test("each test case is compared with its result before", () => {
  const base = run({ good: "passed", bad: "failed", worse: "passed", mended: "failed", idle: "skipped" });
  const now = run({
    good: "passed",
    bad: "failed",
    worse: "failed",
    mended: "passed",
    idle: "failed",
    added: "failed",
    fine: "passed",
  });
  expect(said(base, now)).toEqual([
    "failed",
    "regressed",
    "regressed: worse",
    "fixed: mended",
    "pre_existing: bad",
    "new: added, idle",
  ]);
});

test("a failing command whose failing cases all failed before fails nothing", () => {
  const base = run({ bad: "failed", good: "passed" });
  expect(said(base, base)).toEqual(["passed", "pre-existing", "pre_existing: bad"]);
  expect(said(base, base, { strict: true })).toEqual(["failed", "pre-existing", "pre_existing: bad"]);
  const allBad = run({ bad: "failed" });
  expect(said(allBad, allBad)).toEqual(["passed", "pre-existing", "pre_existing: bad"]);
  expect(said(run({ bad: "failed" }, 0), run({ bad: "failed" }, 0))).toEqual([
    "passed",
    "pre-existing",
    "pre_existing: bad",
  ]);
  expect(said(run({ bad: "failed" }), run({ bad: "passed" }))).toEqual(["passed", "fixed", "fixed: bad"]);
  expect(said(run({ bad: "failed" }, 0), run({ bad: "passed" }))).toEqual(["passed", "fixed", "fixed: bad"]);
  expect(said(run({}), run({}))).toEqual(["passed", "passed"]);
  const unsteady = { again: [run({ good: "passed", bad: "failed" })] };
  expect(said(base, run({ good: "failed", bad: "failed" }), unsteady)).toEqual([
    "passed",
    "pre-existing",
    "pre_existing: bad",
    "flaky: good",
  ]);
});

test("failing cases in a report count even if the command exits with 0", () => {
  expect(said(run({ a: "passed" }), run({ a: "failed" }, 0))).toEqual([
    "failed",
    "regressed",
    "regressed: a",
  ]);
});

test("a bad end that no failing case explains is judged on its own", () => {
  const good = run({ a: "passed" });
  expect(said(good, run({ a: "passed" }, 1))).toEqual(["failed", "regressed"]);
  expect(said(good, run({ a: "passed" }, killed))).toEqual(["failed", "regressed"]);
  expect(said(undefined, run({ a: "passed" }, 1))).toEqual(["failed", "new"]);
  expect(said(run({ a: "passed" }, 1), run({ a: "passed" }, 1))).toEqual(["passed", "pre-existing"]);
  // A failing case explains an exit code, but not a signal or a timeout.
  const bad = run({ a: "passed", b: "failed" }, 0);
  expect(said(bad, { ...bad, end: killed })).toEqual(["failed", "regressed", "pre_existing: b"]);
});

test("an exit code from before counts for every case if the baseline has no report", () => {
  expect(said(bare(0), run({ a: "failed", b: "passed" }))).toEqual(["failed", "regressed", "regressed: a"]);
  expect(said(bare(1), run({ a: "failed", b: "passed" }))).toEqual([
    "passed",
    "pre-existing",
    "pre_existing: a",
  ]);
  expect(said(bare(1), run({ a: "passed" }))).toEqual(["passed", "fixed"]);
});

test("a command that stopped reporting is run again, and is judged by its exit code", () => {
  expect(said(run({ a: "passed" }), bare(0))).toEqual(["passed", "passed"]);
  expect(said(run({ a: "failed" }), bare(1))).toEqual(["failed", "regressed"]);
  expect(mustRepeat({ commands: [run({ a: "passed" })] }, bare(0), false)).toBe(true);
});

test("a check is judged by its exit code if a report that no setting asks for is missing", () => {
  const runner = "vitest";
  expect(said(run({ a: "passed" }, 0, { runner }), bare(0, { runner }))).toEqual(["passed", "passed"]);
  expect(said(run({ a: "passed" }, 0, { runner }), bare(1, { runner }))).toEqual(["failed", "regressed"]);
  const base: Baseline = { commands: [run({ a: "passed" }, 0, { runner })] };
  expect(mustRepeat(base, bare(0, { runner }), false)).toBe(true);
});

test("only a command whose test cases are unknown counts by its exit code", () => {
  expect(judge(order(bare(0), bare(0))).commands[0]).toHaveProperty("by_exit_code", true);
  expect(judge(order(bare(0), run({ a: "passed" }))).commands[0]).not.toHaveProperty("by_exit_code");
});

test("tests that are missing from a run that was cut short have failed", () => {
  const base = run({ a: "passed", b: "passed", c: "failed" });
  const crashed = run({ "b.test.js": "failed" });
  expect(said(base, crashed)).toEqual([
    "failed",
    "regressed",
    "regressed: a, b",
    "pre_existing: c",
    "new: b.test.js",
  ]);
  expect(said(base, run({ a: "passed" }, timedOut))).toEqual([
    "failed",
    "regressed",
    "regressed: b",
    "pre_existing: c",
  ]);
  expect(said(base, run({ a: "skipped" }, killed))).toEqual([
    "failed",
    "regressed",
    "regressed: a, b",
    "pre_existing: c",
  ]);
  // No case explains its end.
  expect(said(run({ a: "passed", b: "passed" }), run({ a: "passed" }, 1))).toEqual([
    "failed",
    "regressed",
    "regressed: b",
  ]);
  // A command that fails only by failures from before was not cut short.
  expect(said(base, run({ a: "passed", c: "failed" }))).toEqual([
    "passed",
    "pre-existing",
    "pre_existing: c",
  ]);
});

test("the placeholder of a file that could not be loaded may disappear once the file loads", () => {
  const base = run({ "b.test.js": "failed", a: "passed" });
  expect(said(base, run({ a: "passed", b: "passed" }))).toEqual(["passed", "fixed", "fixed: b.test.js"]);
  expect(said(base, run({ a: "passed" }))).toEqual(["passed", "fixed"]);
});

test("tampering makes the verdict, whatever the commands did", () => {
  const tampered = [{ path: "test/a.test.js", what: "weakened", detail: "an assertion is gone" } as const];
  const report = judge(
    order(run({ a: "passed", b: "passed" }), run({ a: "passed" }), { tampered, cold: true }),
  );
  expect(report.verdict).toBe("tampered");
  expect(report.cold).toBe(true);
  expect(report.tampered).toEqual(tampered);
  expect(judge(order(bare(0), bare(1), { tampered })).verdict).toBe("tampered");
  expect(judge({ ...order(undefined, bare(0), { tampered }), ran: [] }).verdict).toBe("tampered");
});

test("a test that failed and then passed is listed as flaky and does not fail the attempt", () => {
  const base = run({ a: "passed", b: "passed" });
  const first = run({ a: "failed", b: "passed" });
  expect(said(base, first, { again: [base] })).toEqual(["passed", "flaky", "flaky: a"]);
  expect(said(base, first, { again: [first] })).toEqual(["failed", "regressed", "regressed: a"]);
  expect(said(bare(0), bare(1), { again: [bare(0)] })).toEqual(["passed", "flaky"]);
  expect(said(bare(0), bare(1), { again: [bare(1)] })).toEqual(["failed", "regressed"]);
  // A second run of another command, or of the task's own command, does not count for this one.
  expect(said(bare(0), bare(1), { again: [bare(0, { own: true })] })).toEqual(["failed", "regressed"]);
  expect(said(bare(0), bare(1), { again: [bare(0, { command: "b" })] })).toEqual(["failed", "regressed"]);
  // If each run fails another test, both tests are flaky, and no test explains that both exit codes are bad.
  const second = run({ a: "passed", b: "failed" });
  expect(said(base, first, { again: [second] })).toEqual(["failed", "regressed", "flaky: a, b"]);
});

test("a test or report that is missing from one of two runs is flaky as well", () => {
  const base = run({ a: "passed", b: "passed" });
  expect(said(base, run({ a: "passed" }), { again: [base] })).toEqual(["passed", "flaky"]);
  expect(said(base, run({ a: "passed", b: "skipped" }), { again: [base] })).toEqual(["passed", "flaky"]);
  expect(said(base, bare(1), { again: [base] })).toEqual(["passed", "flaky"]);
  expect(said(base, run({ a: "failed" }), { again: [run({ b: "failed" })] })).toEqual([
    "failed",
    "regressed",
    "regressed: a, b",
  ]);
  // The second run has no report: the first report counts.
  expect(said(base, run({ a: "failed", b: "passed" }), { again: [bare(1)] })).toEqual([
    "failed",
    "regressed",
    "regressed: a",
  ]);
  // A file that could not be loaded once.
  const broken = run({ a: "passed", "b.test.js": "failed" });
  expect(said(base, broken, { again: [base] })).toEqual(["passed", "flaky", "flaky: b.test.js"]);
  // The name of a file is not enough: no tests replaced it, or it failed again.
  const gone = run({ a: "passed", "b.js": "failed" });
  expect(said(undefined, gone, { again: [run({ a: "passed" }, 1)] })).toEqual(["failed", "new", "new: b.js"]);
  expect(said(undefined, gone, { again: [run({ "b.js": "failed", c: "passed" })] })).toEqual([
    "failed",
    "new",
    "new: b.js",
  ]);
  const other = run({ "a.js": "passed", b: "failed" });
  expect(said(undefined, other, { again: [run({ b: "passed", c: "passed" })] })).toEqual([
    "passed",
    "flaky",
    "flaky: b",
  ]);
  expect(said(base, run({ a: "passed", b: "passed", c: "failed" }), { again: [base] })).toEqual([
    "failed",
    "new",
    "new: c",
  ]);
});

test("only a command that would fail the attempt is run again, and never after a timeout", () => {
  const base: Baseline = { commands: [run({ a: "passed", b: "failed" })] };
  const again = (ran: Ran, strict = false): boolean => mustRepeat(base, ran, strict);
  expect(again(run({ a: "passed", b: "failed" }))).toBe(false);
  expect(again(run({ a: "passed", b: "failed" }), true)).toBe(true);
  expect(again(run({ a: "failed", b: "failed" }))).toBe(true);
  expect(again(run({ b: "failed" }))).toBe(true);
  expect(again(bare(0))).toBe(true);
  expect(again(run({ a: "failed" }, timedOut))).toBe(false);
  expect(again(bare(1, { own: true }))).toBe(true);
  expect(again(bare(0, { own: true }))).toBe(false);
  expect(mustRepeat(undefined, bare(1), false)).toBe(true);
});

test("the next task is compared with the better of two runs", () => {
  const first = run({ a: "failed", b: "passed", c: "skipped" });
  const second = run({ a: "passed", b: "passed", d: "failed" }, 0);
  expect(pickBetter(first, undefined)).toEqual(first);
  expect(pickBetter(first, second)).toEqual({
    ...first,
    end: { how: "exited", code: 0 },
    tests: { a: "passed", b: "passed", c: "skipped", d: "failed" },
  });
  expect(pickBetter(bare(1), bare(3))).toEqual(bare(1));
  expect(pickBetter(bare(killed), bare(0))).toEqual(bare(0));
});

test("the verdict on a command has its end, its tail and at most 100 names of each kind", () => {
  const many: Tests = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`t${1000 + n}`, "failed"]));
  const [shown] = judge(order(bare(0), run(many, 3))).commands;
  expect(shown).toMatchObject({ command: "npm test", own: false, end: "exited", exit_code: 3 });
  expect(shown).toMatchObject({ duration_ms: 12, tail: "its output\n" });
  expect(shown?.tests?.total).toBe(150);
  expect(shown?.tests?.regressed.length).toBe(100);
  expect(shown?.tests?.regressed[99]).toBe("t1099");
  expect(judge(order(bare(0), bare(killed))).commands[0]).not.toHaveProperty("exit_code");
  expect(judge(order(bare(0), bare(killed))).commands[0]).not.toHaveProperty("tests");
});

test("a test may be named like a property that every object has", () => {
  const odd: Tests = JSON.parse(
    '{"constructor":"passed","toString":"passed","hasOwnProperty":"failed"}',
  ) as Tests;
  expect(said(run({}), run(odd))).toEqual(["failed", "new", "new: hasOwnProperty"]);
  expect(said(run(odd), run(odd))).toEqual(["passed", "pre-existing", "pre_existing: hasOwnProperty"]);
  expect(mustRepeat({ commands: [run(odd, 0)] }, run({}), false)).toBe(true);
});
