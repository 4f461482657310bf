import fc from "fast-check";
import { expect, test } from "vitest";
import { checkBacklog } from "../check/check.js";
import type { NewTask } from "../model/summary.js";
import { backlog, task } from "../testing/testing.js";
import type { Backlog, Task } from "../model/task.js";
import { MARKER } from "../model/select.js";
import { applyChanges } from "./update.js";

const NOW = "2026-11-20T21:46:01.000Z";

function add(before: Backlog, ...tasks: NewTask[]): { added: Task[]; warnings: string[]; backlog: Backlog } {
  const result = applyChanges(before, [{ op: "add", tasks, keepVerify: false }], NOW);
  const ids = new Set(
    result.applied.updated.filter((update) => update.to === "todo").map((update) => update.id),
  );
  const added = result.backlog.tasks.filter((one) => ids.has(one.id));
  return { added, warnings: result.applied.warnings, backlog: result.backlog };
}

test("a new task has all its texts, priority 3, status todo and the keys in order", () => {
  const whole: NewTask = {
    ...{ id: "X1", title: "n", description: "d", reference: "r", priority: 1, details: "e", steps: ["s"] },
    ...{ tags: ["t"], files: ["f"], depends_on: ["T1"], verify: ["v"], agent: "a" },
  };
  const { added, warnings } = add(backlog(task("T1")), whole, { title: "bare", description: "", steps: [] });
  expect(JSON.stringify(added)).toBe(
    JSON.stringify([
      {
        ...{
          id: "X1",
          title: "n",
          description: "d",
          reference: "r",
          priority: 1,
          status: "todo",
          details: "e",
        },
        ...{ steps: ["s"], tags: ["t"], files: ["f"], depends_on: ["T1"], created_at: NOW, updated_at: NOW },
      },
      { id: "T2", title: "bare", priority: 3, status: "todo", created_at: NOW, updated_at: NOW },
    ]),
  );
  expect(warnings).toEqual([
    "new task X1: its verify commands dropped: an agent may not choose its own checks",
    'new task X1: its agent "a" dropped: an agent may not choose who works',
  ]);
  expect(add(backlog(), { title: "no commands", verify: [] }).warnings).toEqual([]);
  const kept = applyChanges(backlog(), [{ op: "add", tasks: [whole], keepVerify: true }], NOW);
  expect(kept.backlog.tasks[0]).toMatchObject({ verify: ["v"], agent: "a" });
});

test("a valid id is kept, a taken or invalid one is replaced, and references follow", () => {
  const before = backlog(task("T1", { status: "done" }), task("T2"));
  const { added, warnings } = add(
    before,
    { id: "T2", title: "a", depends_on: ["T1", "T2"] },
    { id: "a b", title: "b", depends_on: ["T2"] },
    { id: "T4", title: "c", depends_on: ["a b", "T2", "T1"] },
    { title: "d", depends_on: ["T4"] },
  );
  expect(added.map((one) => [one.id, one.depends_on])).toEqual([
    ["T5", ["T1", "T2"]],
    ["T6", ["T5"]],
    ["T4", ["T6", "T5", "T1"]],
    ["T7", ["T4"]],
  ]);
  expect(warnings).toEqual([]);
});

test("an id that a dropped duplicate and a task share means the task, or the first of two tasks with it", () => {
  const { added } = add(
    backlog(task("T1")),
    { id: "X", title: "Title of T1" },
    { id: "X", title: "x" },
    { id: "X", title: "another" },
    { title: "last", depends_on: ["X"] },
  );
  expect(added.map((one) => [one.id, one.depends_on])).toEqual([
    ["X", undefined],
    ["T2", undefined],
    ["T3", ["X"]],
  ]);
});

test("a long title in a warning is cut to 60 characters", () => {
  const reported = (length: number): NewTask => ({ title: "a".repeat(length), id: "project-done" });
  const [fits, long] = add(backlog(), reported(60), reported(61)).warnings;
  expect(fits).toContain(`"${"a".repeat(60)}"`);
  expect(long).toContain(`"${"a".repeat(59)}…"`);
});

test("edges without a target and edges that close a cycle are dropped, each with a warning", () => {
  const { added, warnings } = add(
    backlog(task("T1")),
    { id: "A", title: "a", depends_on: ["B", "nope", "B"] },
    { id: "B", title: "b", depends_on: ["C", "T1"] },
    { id: "C", title: "c", depends_on: ["A", "C", "T1"] },
  );
  expect(added.map((one) => one.depends_on)).toEqual([["B"], ["C", "T1"], ["T1"]]);
  expect(warnings).toEqual([
    'new task A: dependency on "nope" dropped: no such task',
    "new task C: dependency on itself dropped",
    "new task C: dependency on A dropped: it would close a cycle",
  ]);
});

test("duplicates of an open task or in the list are dropped, and dependencies on them follow", () => {
  const before = backlog(
    task("T1", { title: " Fix It " }),
    task("T2", { title: "old", status: "done" }),
    MARKER,
  );
  const { added, warnings } = add(
    before,
    { id: "X", title: "fix it" },
    { title: "old" },
    { id: "Y", title: "OLD " },
    { title: "last", depends_on: ["X", "Y", "PROJECT-DONE"] },
    { title: "  " },
    { id: "project-done", title: "all done" },
  );
  expect(added.map((one) => [one.id, one.title, one.depends_on])).toEqual([
    ["T3", "old", undefined],
    ["T4", "last", ["T1", "T3"]],
  ]);
  expect(warnings).toEqual([
    'new task "fix it" dropped: a task with this title is open',
    'new task "OLD " dropped: a task with this title is open',
    'new task "  " dropped: it has no title',
    'new task "all done" dropped: it is the completion marker',
    'new task T4: dependency on "PROJECT-DONE" dropped: no such task',
  ]);
});

test("the backlog stays valid and complete for any report of an agent", () => {
  const name = fc.constantFrom(
    "T1",
    "T2",
    "T3",
    "T01",
    "A",
    "B",
    "C",
    "a b",
    "",
    "PROJECT-DONE",
    "__proto__",
  );
  const reported = fc.array(
    fc.record(
      {
        id: name,
        title: fc.constantFrom("a", "b", "c", "d", " A", "Title of T1"),
        depends_on: fc.array(name),
      },
      { requiredKeys: ["title"] },
    ),
    { maxLength: 8 },
  );
  const before = backlog(task("T1", { depends_on: ["T2"] }), task("T2", { status: "done" }));
  fc.assert(
    fc.property(reported, (tasks) => {
      const { backlog: after, added } = add(before, ...tasks);
      expect(checkBacklog(Buffer.from(JSON.stringify(after)))).toMatchObject({ kind: "ok" });
      expect(after.tasks.slice(0, 2)).toEqual(before.tasks);
      const titles = new Set(tasks.map(({ title }) => title.trim().toLowerCase()));
      titles.delete("title of t1");
      const markers = tasks.filter((one) => one.id === "PROJECT-DONE");
      if (markers.length === 0)
        expect(new Set(added.map((one) => one.title.trim().toLowerCase()))).toEqual(titles);
    }),
    { numRuns: 1000 },
  );
});

test("many paths between few tasks are not followed one by one", () => {
  const both = (n: number): string[] => (n === 0 ? [] : [`A${n - 1}`, `B${n - 1}`]);
  const ladder = Array.from({ length: 60 }, (_, n) => [
    { id: `A${n}`, title: `a${n}`, depends_on: both(n) },
    { id: `B${n}`, title: `b${n}`, depends_on: both(n) },
  ]).flat();
  const { added, warnings } = add(backlog(), ...ladder.toReversed());
  expect(warnings).toEqual([]);
  expect(added.find((one) => one.id === "A59")?.depends_on).toEqual(["A58", "B58"]);
});

test("a ring of 10,000 new tasks is resolved in time", () => {
  const ring = Array.from({ length: 10_000 }, (_, n) => ({
    ...{ id: `N${n}`, title: `n${n}`, depends_on: [`N${(n + 1) % 10_000}`] },
  }));
  expect(add(backlog(), ...ring).warnings).toEqual([
    "new task N9999: dependency on N0 dropped: it would close a cycle",
  ]);
});
