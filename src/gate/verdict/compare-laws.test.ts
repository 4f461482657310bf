import fc from "fast-check";
import { expect, test } from "vitest";
import { judge, mustRepeat, type GateOrder } from "./compare.js";
import { killed, order, run, timedOut } from "../testing/testing.js";
import { pickBetter } from "./runs.js";
import { Ran, type CommandEnd, type TestStatus } from "../verdict.js";

const status = fc.constantFrom<TestStatus[]>("passed", "failed", "skipped");
const tests = fc.dictionary(fc.constantFrom("a", "b", "c", "d > e", "f.js"), status, {
  noNullPrototype: true,
});
const end = fc.oneof(
  fc.constantFrom(0, 0, 1, 2).map((code): CommandEnd => ({ how: "exited", code })),
  fc.constantFrom<CommandEnd>(killed, timedOut, { how: "not-found", message: "no shell" }),
);
const runs = fc
  .record({ tests: fc.option(tests, { nil: undefined }), end })
  .map(({ tests, end }) => run(tests, end));
const COMMANDS = ["lint", "test", "build"];
const sets = fc
  .array(runs, { maxLength: 3 })
  .map((list) => list.map((one, index) => ({ ...one, command: COMMANDS[index] ?? "" })));
const orders = fc
  .record({
    base: fc.option(sets, { nil: undefined }),
    ran: sets,
    again: sets,
    strict: fc.boolean(),
    own: sets,
  })
  .map(({ base, ran, again, strict, own }): GateOrder => {
    const baseline = base === undefined ? undefined : { commands: base };
    const all = [...ran, ...own.map((one) => ({ ...one, own: true }))];
    const repeated = again.filter((second) =>
      all.some((one) => one.command === second.command && !one.own && mustRepeat(baseline, one, strict)),
    );
    return { baseline, ran: all, again: repeated, strict, cold: false, tampered: [] };
  });

const goodness = ["tampered", "failed", "unverified", "passed"];
const rank = (order: GateOrder): number => goodness.indexOf(judge(order).verdict);
const check = (law: (order: GateOrder) => void): void => {
  fc.assert(fc.property(orders, law), { numRuns: 500 });
};

test("law: a regressed or new command fails the attempt, and only a failed attempt has evidence", () => {
  check((order) => {
    const report = judge(order);
    const bad = report.commands.some(({ verdict }) => verdict === "regressed" || verdict === "new");
    if (bad) expect(["failed", "tampered"]).toContain(report.verdict);
    if (report.verdict === "failed" && !order.strict) expect(bad).toBe(true);
    expect(report.verdict === "tampered").toBe(report.tampered.length > 0);
    expect(report.evidence === "").toBe(report.verdict === "passed" || report.verdict === "unverified");
    for (const { tests } of report.commands) {
      if ((tests?.regressed.length ?? 0) + (tests?.new.length ?? 0) > 0) expect(bad).toBe(true);
    }
  });
});

test("law: a command with the same result as before never fails without strict", () => {
  check((order) => {
    const ran = order.ran.filter(({ own }) => !own);
    const report = judge({ ...order, ran, again: [], strict: false, baseline: { commands: ran } });
    expect(["passed", "unverified"]).toContain(report.verdict);
  });
});

test("law: the order of commands and of test cases changes nothing but the order", () => {
  check((order) => {
    const turned = (one: Ran): Ran =>
      one.tests === undefined
        ? one
        : { ...one, tests: Object.fromEntries(Object.entries(one.tests).reverse()) };
    const baseline =
      order.baseline === undefined ? undefined : { commands: order.baseline.commands.map(turned).reverse() };
    const ran = order.ran.map(turned).reverse();
    const other = judge({ ...order, baseline, ran, again: order.again.map(turned).reverse() });
    const one = judge(order);
    expect(other.verdict).toBe(one.verdict);
    expect(other.commands.reverse()).toEqual(one.commands);
    const names = (list: typeof one.tampered): unknown[] => list.map((each) => JSON.stringify(each)).sort();
    expect(names(other.tampered)).toEqual(names(one.tampered));
  });
});

test("law: strict, and a further failing case, never make a verdict better", () => {
  check((order) => {
    expect(rank({ ...order, strict: true })).toBeLessThanOrEqual(rank({ ...order, strict: false }));
    const worse = order.ran.map((one) =>
      one.tests === undefined ? one : { ...one, tests: { ...one.tests, another: "failed" as const } },
    );
    if (worse.some(({ tests }) => tests?.["another"] === "failed")) {
      const others = { ...order, again: [] };
      expect(rank({ ...others, ran: worse })).toBeLessThanOrEqual(rank(others));
    }
  });
});

test("law: a second run without failures makes an attempt pass that has no other failure", () => {
  fc.assert(
    fc.property(runs, runs, (base, ran) => {
      const all = { ...base.tests, ...ran.tests };
      const good = run(Object.fromEntries(Object.keys(all).map((name) => [name, "passed"])), 0);
      const report = judge(
        order(base, ran, { again: mustRepeat({ commands: [base] }, ran, false) ? [good] : [] }),
      );
      if (ran.end.how === "timed-out") return;
      expect(["passed", "unverified"]).toContain(report.verdict);
    }),
    { numRuns: 500 },
  );
});

test("law: runs can be written and read back", () => {
  fc.assert(
    fc.property(runs, runs, (first, second) => {
      const better = pickBetter(first, second);
      expect(Ran.parse(JSON.parse(JSON.stringify(better)))).toEqual(better);
    }),
  );
});
