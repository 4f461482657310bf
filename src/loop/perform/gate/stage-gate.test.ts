import { expect, test } from "vitest";
import { referenceAt } from "../../../gate/influence/reference.js";
import type { CommandVerdict, GateReport } from "../../../gate/verdict.js";
import { judgeCheck, judgeProtected, judgeRed, withProtected } from "./stage-gate.js";

const names = { total: 3, regressed: [], fixed: [], pre_existing: [], new: [], flaky: [] };
const command: CommandVerdict = {
  ...{ command: "npm test", own: false, verdict: "passed", end: "exited", exit_code: 0 },
  ...{ duration_ms: 1, tail: "", tests: names },
};
const report: GateReport = {
  ...{ verdict: "passed", cold: true, commands: [command], tampered: [], evidence: "" },
};
const failing = (more: Partial<CommandVerdict>): GateReport => ({
  ...report,
  verdict: "failed",
  evidence: "npm test: exit code 1",
  commands: [{ ...command, verdict: "new", exit_code: 1, ...more }],
});

test("a stage that writes tests passes if a new test fails, and nothing else does", () => {
  const red = failing({ tests: { ...names, new: ["adds"] } });
  expect(judgeRed(red, true)).toMatchObject({ verdict: "passed", evidence: "" });
  expect(judgeRed(report, true)).toMatchObject({
    verdict: "failed",
    evidence: expect.stringMatching(/no new test fails/u) as string,
  });
  const broke = failing({ tests: { ...names, new: ["adds"], regressed: ["old"] } });
  expect(judgeRed(broke, true)).toMatchObject({
    verdict: "failed",
    evidence: expect.stringMatching(/passed before.*old/u) as string,
  });
  const stopped = failing({ end: "timed-out", tests: { ...names, new: ["adds"] } });
  expect(judgeRed(stopped, true)).toMatchObject({ verdict: "failed" });
  const proof = { fail_to_pass: [], new_tests: [{ command: "npm test", name: "adds" }], pass_to_pass: 3 };
  expect(judgeRed({ ...red, proof }, true)).not.toHaveProperty("proof");
  const quiet: GateReport = { ...report, verdict: "unbroken", because: "only-checks", proof };
  expect(judgeRed(quiet, true)).toMatchObject({ verdict: "failed" });
  expect(judgeRed(quiet, true)).not.toHaveProperty("because");
  const tampered: GateReport = { ...red, verdict: "tampered" };
  expect(judgeRed(tampered, true)).toBe(tampered);
});

test("a command whose cases are unknown shows a new test only if nothing but tests was changed", () => {
  const { tests: _tests, ...bare } = command;
  const red = { ...failing({}), commands: [{ ...bare, verdict: "regressed" as const, exit_code: 1 }] };
  expect(judgeRed(red, true).verdict).toBe("passed");
  expect(judgeRed(red, false)).toMatchObject({
    verdict: "failed",
    evidence: expect.stringMatching(/names no test/u) as string,
  });
});

test("a check stage passes where its commands do, though nothing was verified", () => {
  expect(judgeCheck({ ...report, verdict: "unverified", because: "no-checks" })).toEqual(report);
  expect(judgeCheck({ ...report, verdict: "unbroken", because: "not-covered" })).toEqual(report);
  expect(judgeCheck({ ...report, verdict: "failed" }).verdict).toBe("failed");
});

const gone = { mode: "000000", oid: "" };
const one = { mode: "100644", oid: "1" };
const two = { mode: "100644", oid: "2" };
const written = { path: "a.test.js", from: gone, to: one };

test("the tests of a protected stage count as a person's, and the attempt's change of them is told from them", () => {
  const reference = referenceAt("0");
  const source = { path: "a.js", from: gone, to: one };
  const kept = withProtected({ reference, changes: [written, source] }, [written]);
  expect(kept.reference.persons).toEqual([written]);
  expect(kept.changes).toEqual([source]);
  const changed = withProtected({ reference, changes: [{ ...written, to: two }] }, [written]);
  expect(changed.changes).toEqual([{ path: "a.test.js", from: one, to: two }]);
  const removed = withProtected({ reference, changes: [source] }, [written]);
  expect(removed.changes).toEqual([source, { path: "a.test.js", from: one, to: gone }]);
});

test("an attempt that passes only with a change to protected tests fails, and the change is named", () => {
  const tests = { tests: [written], stages: ["red"] };
  const needs = [{ path: "a.test.js", diff: "" }];
  const weak: GateReport = { ...report, verdict: "unverified", because: "influence", needs };
  const judged = judgeProtected(weak, tests, [{ ...written, from: one, to: two }]);
  expect(judged).toMatchObject({
    verdict: "failed",
    evidence: expect.stringMatching(/tests of red: a\.test\.js/u) as string,
  });
  const other: GateReport = { ...weak, needs: [{ path: "b.test.js", diff: "" }] };
  expect(judgeProtected(other, tests, [])).toBe(other);
  expect(judgeProtected(report, tests, [{ ...written, from: one, to: two }])).toBe(report);
});
