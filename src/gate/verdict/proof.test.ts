import { expect, test } from "vitest";
import type { Ran, TestStatus } from "../verdict.js";
import { countPassing, findProvingTests, findTurnedGreen, needsMore } from "./proof.js";

type Cases = Record<string, TestStatus>;

const ran = (code: number, tests?: Cases, more: Partial<Ran> = {}): Ran => ({
  ...{ command: "npm test", own: false, end: { how: "exited", code }, duration_ms: 1, tail: "" },
  ...(tests === undefined ? {} : { tests }),
  ...more,
});

test.each<[what: string, before: Ran, now: Ran, turned: (string | undefined)[]]>([
  [
    "a failed case that passes",
    ran(1, { a: "failed", b: "passed" }),
    ran(0, { a: "passed", b: "passed" }),
    ["a"],
  ],
  ["a failed case that is gone", ran(1, { a: "failed" }), ran(0, {}), []],
  ["a failed case that is skipped", ran(1, { a: "failed" }), ran(0, { a: "skipped" }), []],
  ["a case that was skipped", ran(0, { a: "skipped" }), ran(0, { a: "passed" }), []],
  ["a new case alone", ran(0, { a: "passed" }), ran(0, { a: "passed", b: "passed" }), []],
  [
    "one of two failed cases",
    ran(1, { a: "failed", b: "failed" }),
    ran(1, { a: "passed", b: "failed" }),
    ["a"],
  ],
  ["a command without a report", ran(1), ran(0), [undefined]],
  ["a command that passed before", ran(0), ran(0), []],
  ["a command that fails as before", ran(1), ran(1), []],
  ["a command that timed out before", ran(0, undefined, { end: { how: "timed-out" } }), ran(0), [undefined]],
  ["a runner that could not start", ran(1, {}), ran(0, { a: "passed" }), [undefined]],
  ["a runner that ran nothing", ran(1), ran(0, {}, { runner: "node --test" }), []],
  [
    "a file that could not be loaded",
    ran(1, { "test/a.test.js": "failed" }),
    ran(0, { "a works": "passed" }),
    ["test/a.test.js"],
  ],
  ["a command of the task of the same words", ran(1), ran(0, undefined, { own: true }), []],
])("turned green: %s", (_, before, now, turned) => {
  expect(findTurnedGreen([before], [now])).toEqual(
    turned.map((name) => ({ command: "npm test", ...(name === undefined ? {} : { name }) })),
  );
});

test.each<[what: string, order: { before: Ran; without: Ran; whole: Ran; byCommand?: boolean }, string[]]>([
  [
    "a new case that fails without the work",
    { before: ran(0, {}), without: ran(1, { n: "failed" }), whole: ran(0, { n: "passed" }) },
    ["n"],
  ],
  [
    "no file that only loads, beside cases",
    {
      before: ran(0, { "t.js > a": "passed", "h.js": "passed" }),
      without: ran(1, { "t.js": "failed", "h.js": "failed" }),
      whole: ran(0, { "t.js > a": "passed", "h.js": "passed" }),
    },
    [],
  ],
  [
    "a file that only loads, where no file has cases",
    { before: ran(0, {}), without: ran(1, { "t.js": "failed" }), whole: ran(0, { "t.js": "passed" }) },
    ["t.js"],
  ],
  [
    "a new case that cannot run without the work",
    { before: ran(0, { a: "passed" }), without: ran(1, {}), whole: ran(0, { a: "passed", n: "passed" }) },
    ["n"],
  ],
  [
    "an old case that cannot run without the work: its file alone needs it",
    { before: ran(0, { a: "passed" }), without: ran(1, {}), whole: ran(0, { a: "passed" }) },
    [],
  ],
  [
    "a changed case that fails without the work",
    { before: ran(0, { a: "passed" }), without: ran(1, { a: "failed" }), whole: ran(0, { a: "passed" }) },
    ["a"],
  ],
  [
    "a new case that passes without the work",
    { before: ran(0, {}), without: ran(0, { n: "passed" }), whole: ran(0, { n: "passed" }) },
    [],
  ],
  [
    "a new case that is skipped",
    { before: ran(0, {}), without: ran(1, {}), whole: ran(0, { n: "skipped" }) },
    [],
  ],
  ["a command", { before: ran(0), without: ran(1), whole: ran(0) }, ["npm test"]],
  [
    "a command whose script was changed",
    { before: ran(0), without: ran(1), whole: ran(0), byCommand: false },
    [],
  ],
  ["a command that passes without the work", { before: ran(0), without: ran(0), whole: ran(0) }, []],
  [
    "a command that reports cases, of which none is new",
    { before: ran(0, { a: "passed" }), without: ran(1, { a: "passed" }), whole: ran(0, { a: "passed" }) },
    [],
  ],
])("tests that prove the work: %s", (_, { before, without, whole, byCommand = true }, names) => {
  const found = findProvingTests({ before: [before], without: [without], whole: [whole], byCommand });
  expect(found.map(({ command, name }) => name ?? command)).toEqual(names);
});

test("a file that only loads proves nothing beside another command's cases", () => {
  const own = { command: "node --test t.js" };
  const [bare, whole] = [ran(0, { a: "passed" }), ran(0, { a: "passed" })];
  const found = findProvingTests({
    before: [bare, ran(1, {}, own)],
    without: [bare, ran(1, { "t.js": "failed" }, own)],
    whole: [whole, ran(0, { "t.js": "passed" }, own)],
    byCommand: true,
  });
  expect(found).toEqual([]);
});

test("cases that passed before and pass now are counted, and commands without any", () => {
  const before = [ran(1, { a: "passed", b: "failed", c: "passed" }), ran(0, undefined, { command: "lint" })];
  const now = [ran(0, { a: "passed", b: "passed", c: "skipped" }), ran(0, undefined, { command: "lint" })];
  expect(countPassing(before, now)).toBe(2);
  expect(countPassing([], now)).toBe(0);
});

test.each<[what: string, some: Ran, whole: Ran, needs: boolean]>([
  ["a case fails that passes with all", ran(1, { a: "failed" }), ran(0, { a: "passed" }), true],
  ["a case fails in both", ran(1, { a: "failed" }), ran(1, { a: "failed" }), false],
  [
    "a failing case that is gone with all: the command passes then",
    ran(1, { a: "failed" }),
    ran(0, {}),
    true,
  ],
  ["a command fails that passes with all", ran(1), ran(0), true],
  ["a command fails in both", ran(1), ran(2), false],
  ["a command that passes alone", ran(0), ran(1), false],
])("a room needs more changes: %s", (_, some, whole, needs) => {
  expect(needsMore([some], [whole])).toBe(needs);
});
