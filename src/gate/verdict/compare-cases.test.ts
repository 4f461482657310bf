import fc from "fast-check";
import { expect, test } from "vitest";
import { findMissingCases, type CaseOrder } from "./compare-cases.js";
import { settleRuns } from "./runs.js";
import { bare, run } from "../testing/testing.js";
import type { Ran, TestStatus } from "../verdict.js";

/** The reasons against an attempt. */
function reasons(before: Ran, rooms: Omit<CaseOrder, "before">): readonly string[] {
  return findMissingCases({ before: [before], ...rooms });
}

/** The reasons after one room with the whole attempt. */
const inWhole = (before: Ran, now: Ran): readonly string[] => reasons(before, { whole: [now] });

const THREE = run({ a: "passed", b: "failed", c: "skipped", d: "passed" });

test("a case that ran before and is missing or skipped now is named", () => {
  expect(inWhole(THREE, run({ a: "skipped", d: "passed" }))).toEqual([
    '1 test of "npm test" that ran before is skipped: a',
    '1 test of "npm test" that ran before does not run any more: b',
  ]);
  const many = run({ a: "passed", b: "passed", c: "passed", d: "passed", e: "passed" });
  expect(inWhole(many, run({ e: "passed" }))).toEqual([
    '4 tests of "npm test" that ran before do not run any more: a, b, c and 1 more',
  ]);
  expect(inWhole(many, run({ a: "passed", b: "skipped", c: "skipped", d: "passed", e: "passed" }))).toEqual([
    '2 tests of "npm test" that ran before are skipped: b, c',
  ]);
});

test("a case that was skipped before may be deleted or stay skipped, and cases may be added", () => {
  expect(inWhole(THREE, run({ a: "passed", b: "passed", d: "passed" }))).toEqual([]);
  expect(inWhole(THREE, run({ a: "passed", b: "passed", c: "skipped", d: "failed", e: "passed" }))).toEqual(
    [],
  );
  expect(findMissingCases({ before: undefined, whole: [run({ a: "passed" })] })).toEqual([]);
  expect(findMissingCases({ before: [THREE] })).toEqual([]);
});

test("every room must run what ran at the reference", () => {
  const base = run({ a: "passed", b: "passed" });
  const less = run({ a: "passed" });
  expect(reasons(base, { source: [less], whole: [base] })).toEqual([
    'with the attempt\'s source alone, 1 test of "npm test" that ran before does not run any more: b',
  ]);
  expect(reasons(base, { source: [base], whole: [less] })).toEqual([
    '1 test of "npm test" that ran before does not run any more: b',
  ]);
  expect(reasons(base, { source: [base], whole: [base] })).toEqual([]);
});

test("a case that first ran in the room with the source alone must run with the whole attempt", () => {
  const base = run({ "b.test.js": "failed" });
  const source = [run({ "b.test.js > b": "passed" })];
  expect(reasons(base, { source, whole: [run({ "c.test.js > c": "passed" })] })).toEqual([
    '1 test of "npm test" that ran before does not run any more: b.test.js > b',
  ]);
  expect(reasons(base, { source, whole: source })).toEqual([]);
});

test("a case that moved is found by its last title, once for each case that is new", () => {
  const base = run({ "a.js > adds": "passed", "a.js > halves": "passed", "b.js > adds": "passed" });
  const moved = { "b.js > adds": "passed", "c.js > math > halves": "passed" } as const;
  expect(inWhole(base, run({ ...moved, "c.js > adds": "passed" }))).toEqual([]);
  // The case of the same title in b.js ran before as well.
  expect(inWhole(base, run(moved))).toEqual([
    '1 test of "npm test" that ran before does not run any more: a.js > adds',
  ]);
  expect(inWhole(base, run({ ...moved, "c.js > adds": "skipped" }))).toHaveLength(1);
  expect(inWhole(run({ "t 1": "passed" }), run({ "t 2": "passed" }))).toHaveLength(1);
});

test("a case may move to another command", () => {
  const before = [run({ a: "passed", b: "passed" }), run({ c: "passed" }, 0, { command: "other" })];
  const whole = [run({ a: "passed" }), run({ c: "passed", b: "passed" }, 0, { command: "other" })];
  expect(findMissingCases({ before, whole })).toEqual([]);
});

test("a title with a time, a duration, an address or a temporary path is the same title", () => {
  const base = run({
    "took 12ms": "passed",
    "at 2026-01-02T03:04:05Z": "passed",
    "in /tmp/x-a81b": "passed",
    "object 0x7fa2": "passed",
    "id 3b1c55de-aaaa": "passed",
  });
  const now = run({
    "took 9 ms": "passed",
    "at 2026-01-02T03:09:06Z": "passed",
    "in /tmp/x-b1": "passed",
    "object 0x81": "passed",
    "id 11112222-bbbb": "passed",
  });
  expect(inWhole(base, now)).toEqual([]);
});

test("the placeholder of a file that could not be loaded may disappear once the file loads", () => {
  const base = run({ "b.test.js": "failed", a: "passed" });
  expect(inWhole(base, run({ a: "passed", b: "passed" }))).toEqual([]);
  expect(inWhole(base, run({ a: "passed" }))).toHaveLength(1);
  expect(inWhole(run({ "b.js": "passed" }), run({ b: "passed" }))).toHaveLength(1);
});

test("a command that reported cases before needs a report, and cases that run", () => {
  const base = run({ a: "passed", b: "passed" }, 0, { runner: "vitest" });
  expect(inWhole(base, bare(0))).toEqual(['"npm test" wrote no test report of vitest any more']);
  expect(inWhole(run({ a: "passed" }), bare(0))).toEqual(['"npm test" wrote no test report any more']);
  const none = '"npm test" ran no test any more, and 2 before';
  expect(inWhole(base, run({}))).toEqual([none]);
  expect(inWhole(base, run({ a: "skipped", b: "skipped" }))).toEqual([none]);
  // By its exit code before, by its exit code now; and where no case ran before, none is missing.
  expect(inWhole(bare(0), bare(0))).toEqual([]);
  expect(inWhole(run({ a: "skipped" }), bare(0))).toEqual([]);
});

test("only commands that ran in the room are compared, and the task's own with themselves", () => {
  const base = run({ a: "passed" });
  expect(inWhole(base, bare(0, { command: "lint" }))).toEqual([]);
  expect(inWhole(base, run({ b: "passed" }, 0, { own: true }))).toEqual([]);
  const own = (tests: Record<string, TestStatus>): Ran[] => [run(tests, 0, { own: true })];
  const found = findMissingCases({ before: [], source: own({ a: "passed" }), whole: own({ b: "passed" }) });
  expect(found).toEqual(['1 test of "npm test" that ran before does not run any more: a']);
});

test("a name may be a property that every object has", () => {
  const names = ["constructor", "hasOwnProperty", "other"];
  const odd = run(Object.fromEntries(names.map((name) => [name, "passed" as const])));
  expect(inWhole(odd, run({ other: "passed" }))).toHaveLength(1);
});

test("a case that only one of two runs reported is not missing", () => {
  const base = run({ a: "passed", b: "passed" });
  const settled = settleRuns({ ran: [run({ a: "passed" })], again: [base] });
  expect(findMissingCases({ before: [base], whole: settled })).toEqual([]);
});

test("law: a room with the same cases, in any order and with more of them, is not doubted", () => {
  const name = fc.constantFrom("a", "b > a", "c > a", "d.js", "d.js > e", "f (2)");
  const tests = fc.dictionary(name, fc.constantFrom<TestStatus[]>("passed", "failed", "skipped"), {
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(tests, tests, (some, more) => {
      const before = run(some, 0);
      const added = Object.entries(more).map(([one, status]) => [`new ${one}`, status] as const);
      const whole = run(Object.fromEntries([...added, ...Object.entries(some).reverse()]), 0);
      expect(findMissingCases({ before: [before], source: [before], whole: [whole] })).toEqual([]);
    }),
  );
});

test("a case that the source alone skips does not run elsewhere under its title", () => {
  const base = run({ "a.test.js > a": "failed", "b.test.js > b": "passed" });
  const source = [run({ "a.test.js > a": "skipped", "ab-test.js > a": "passed", "b.test.js > b": "passed" })];
  expect(reasons(base, { source })).toEqual([
    'with the attempt\'s source alone, 1 test of "npm test" that ran before is skipped: a.test.js > a',
  ]);
});
