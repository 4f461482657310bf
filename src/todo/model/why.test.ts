import fc from "fast-check";
import { expect, test } from "vitest";
import { selectTask, explainTask, type Why } from "./select.js";
import { id, row } from "../testing/testing.js";
import type { IndexRow } from "./task.js";

const ids = (rows: readonly IndexRow[]): string[] => rows.map((one) => one.id);

const explained = (name: string): Why | undefined => {
  const found = ROWS.find((one) => one.id === name);
  return found && explainTask(found, ROWS);
};

const ROWS = [
  row("T1", { status: "done" }),
  row("T2", { depends_on: [id("T1")], priority: 2 }),
  row("T3", { depends_on: [id("T2"), id("T6")] }),
  row("T4", { depends_on: [id("T3"), id("T1")] }),
  row("T5", { status: "blocked", priority: 1 }),
  row("T6", { status: "doing", priority: 5 }),
];

test("a task is done, next, behind others or waiting", () => {
  expect(explained("T1")).toEqual({ answer: "done" });
  expect(explained("T6")).toEqual({ answer: "next", of: 3 });
  const behind = explained("T5");
  expect(behind?.answer === "behind" && ids(behind.before)).toEqual(["T6", "T2"]);
  const waits = explained("T4");
  expect(waits?.answer === "waits" && [ids(waits.waitsFor), ids(waits.first)]).toEqual([
    ["T3"],
    ["T6", "T2"],
  ]);
});

test("a task with an open question or a pause is never next, and those that wait for it name it", () => {
  const at = { workflow: "w", stage: "ask", visit: 2 };
  const rows: IndexRow[] = [
    { ...row("T1"), progress: { ...at, asked: "stage" } },
    { ...row("T2"), progress: { ...at, paused: true } },
    row("T3", { depends_on: ["T1"] }),
    {
      ...row("T4"),
      progress: { ...at, asked: "stage", answered: { by: "ada", via: "cli", outcome: "approve" } },
    },
    { ...row("T5"), progress: { ...at, asked: "stage", complete: true } },
  ];
  const [first, second, third, fourth, fifth] = rows.map((one) => explainTask(one, rows));
  expect([first, second]).toEqual([{ answer: "asked" }, { answer: "paused" }]);
  expect(third?.answer === "waits" && [ids(third.first), ids(third.held)]).toEqual([[], ["T1"]]);
  expect(fourth).toEqual({ answer: "next", of: 2 });
  expect(fifth?.answer === "behind" && ids(fifth.before)).toEqual(["T4"]);
});

test("exactly the selected task is next", () => {
  const status = fc.constantFrom("todo", "doing", "blocked", "done");
  const facts = fc.record({
    status,
    priority: fc.integer({ min: 1, max: 5 }),
    needs: fc.array(fc.nat({ max: 7 })),
  });
  fc.assert(
    fc.property(fc.array(facts, { minLength: 1, maxLength: 8 }), (all) => {
      const rows = all.map(({ status: said, priority, needs }, at) =>
        row(`T${at}`, {
          status: said,
          priority,
          depends_on: [...new Set(needs.filter((other) => other < at))].map((other) => id(`T${other}`)),
        }),
      );
      const next = rows.filter((one) => explainTask(one, rows).answer === "next");
      const tried = {
        attempts: new Map(),
        maxAttempts: 1,
        blockedAtStart: new Set<never>(),
        finalForRun: new Set<never>(),
      };
      const selection = selectTask(rows, tried);
      expect(ids(next)).toEqual("picked" in selection ? [selection.picked.id] : []);
      for (const one of rows) {
        const why = explainTask(one, rows);
        // A waiting task can be helped, and a task that is behind has one before it: a backlog without cycles is never stuck.
        if (why.answer === "waits") expect(why.first.length).toBeGreaterThan(0);
        if (why.answer === "behind") expect(why.before[0]?.id).toBe(next[0]?.id);
      }
    }),
  );
});
