import fc from "fast-check";
import { expect, test } from "vitest";
import { compareIds } from "./order.js";
import {
  closure,
  indexOf,
  isMarker,
  orderForListing,
  rowOf,
  sameRow,
  selectTask,
  statusesOf,
  waitsFor,
  type Tried,
} from "./select.js";
import { backlog, id, row, task } from "../testing/testing.js";
import { STATUSES } from "./status.js";
import type { IndexRow, Task, TaskId } from "./task.js";

const fresh: Tried = {
  attempts: new Map(),
  maxAttempts: 2,
  blockedAtStart: new Set(),
  finalForRun: new Set(),
};

test("a task in hand comes first, then todo by priority and id, then blocked", () => {
  const rows = [
    row("T1", { status: "blocked", priority: 1 }),
    row("T10", { priority: 2 }),
    row("T2", { priority: 2 }),
    row("T3", { priority: 5, status: "doing" }),
    row("T4", { priority: 1, depends_on: ["T2"] }),
  ];
  expect(selectTask(rows, fresh)).toMatchObject({
    picked: { id: "T3" },
    reason: "doing",
    candidates: 4,
    next: "T2",
  });
  const later = rows.filter((r) => r.id !== "T3");
  expect(selectTask(later, fresh)).toMatchObject({ picked: { id: "T2" }, reason: "todo", next: "T10" });
  const last = rows.filter((r) => r.status === "blocked");
  expect(selectTask(last, fresh)).toEqual({ picked: last[0], reason: "blocked", candidates: 1 });
});

test("the lowest id comes first among tasks in hand, regardless of priority", () => {
  const rows = [row("T10", { status: "doing", priority: 1 }), row("T9", { status: "doing", priority: 5 })];
  expect(selectTask(rows, fresh)).toMatchObject({ picked: { id: "T9" } });
});

test("a task that was tried often enough, was blocked at the start or was given up is not selected again", () => {
  const rows = [row("T1", { status: "doing" }), row("T2", { status: "blocked" }), row("T3")];
  const attempts = new Map([
    [id("T1"), 2],
    [id("T2"), 1],
  ]);
  const tried: Tried = {
    ...fresh,
    attempts,
    blockedAtStart: new Set([id("T2")]),
    finalForRun: new Set([id("T3")]),
  };
  expect(selectTask(rows, tried)).toEqual({ none: "nothing-ready" });
  expect(selectTask(rows, { ...tried, maxAttempts: 3 })).toMatchObject({ picked: { id: "T1" } });
  expect(selectTask(rows, { ...tried, blockedAtStart: new Set() })).toMatchObject({ picked: { id: "T2" } });
  expect(selectTask(rows, { ...tried, finalForRun: new Set() })).toMatchObject({ picked: { id: "T3" } });
});

test("only the task of --task and its dependencies are selected", () => {
  const rows = [
    row("T1", { status: "done" }),
    row("T2", { priority: 1 }),
    row("T3", { priority: 5, depends_on: ["T1"] }),
    row("T4", { depends_on: ["T3"] }),
  ];
  const only = closure(id("T4"), rows) ?? new Set();
  expect([...only].sort()).toEqual(["T1", "T3", "T4"]);
  expect(selectTask(rows, { ...fresh, only })).toMatchObject({ picked: { id: "T3" }, candidates: 1 });
  expect(selectTask(rows, { ...fresh, only: new Set([id("T1")]) })).toEqual({ none: "all-done" });
  expect(closure(id("T9"), rows)).toBeUndefined();
  const torn = closure(id("T1"), [row("T1", { depends_on: ["gone"] })]) ?? new Set();
  expect([...torn]).toEqual(["T1", "gone"]);
});

test("without a ready task the reason is returned", () => {
  expect(selectTask([], fresh)).toEqual({ none: "all-done" });
  expect(selectTask([row("T1", { status: "done" })], fresh)).toEqual({ none: "all-done" });
  expect(selectTask([row("T1", { depends_on: ["gone"] })], fresh)).toEqual({ none: "nothing-ready" });
});

test("a listing has its groups in order, each sorted as for selection", () => {
  const rows = [
    row("T9", { status: "done" }),
    row("T8", { status: "blocked", priority: 2 }),
    row("T7", { status: "blocked", priority: 1 }),
    row("T10", { status: "doing", priority: 1 }),
    row("T6", { status: "doing", priority: 5 }),
    row("T5", { priority: 4 }),
    row("T12", { priority: 3 }),
    row("T4", { priority: 3 }),
  ];
  expect(orderForListing(rows).map((r) => r.id)).toEqual(["T4", "T12", "T5", "T6", "T10", "T7", "T8", "T9"]);
});

test("a task waits for its dependencies that are not done", () => {
  const rows = [row("T1", { status: "done" }), row("T2"), row("T3", { depends_on: ["T2", "T1"] })];
  expect(waitsFor({ depends_on: [id("T2"), id("T1")] }, statusesOf(rows))).toEqual(["T2"]);
  expect(waitsFor({}, statusesOf(rows))).toEqual([]);
});

test("the marker is known by id or tag, any case", () => {
  expect(isMarker({ id: "Project-Done" })).toBe(true);
  expect(isMarker({ id: "T1", tags: ["x", "PROJECT-DONE"] })).toBe(true);
  expect(isMarker({ id: "PROJECT-DONE-2", tags: ["done"] })).toBe(false);
  expect(isMarker({ id: "PROJECT-OPEN" })).toBe(false);
});

test("the index has the fields that step needs", () => {
  const one = backlog(
    task("T1", { agent: "claude", details: "a" }),
    task("PROJECT-DONE", { status: "done" }),
    task("T2", { status: "done", depends_on: ["T1"] }),
    task("T3", { tags: ["project-done"] }),
  );
  const index = indexOf(one);
  expect(index.rows).toStrictEqual([
    { id: "T1", status: "todo", priority: 3, depends_on: [], agent: "claude" },
    { id: "PROJECT-DONE", status: "done", priority: 3, depends_on: [], marker: true },
    { id: "T2", status: "done", priority: 3, depends_on: ["T1"] },
    { id: "T3", status: "todo", priority: 3, depends_on: [] },
  ]);
  expect(one.tasks.map(rowOf)).toEqual(index.rows);
});

test("the digest of the index changes with what step needs, and with neither texts nor times", () => {
  const [first, second] = [task("T1", { agent: "claude", details: "a" }), task("T2", { status: "done" })];
  const index = indexOf(backlog(first, second));
  const texts = backlog({ ...first, details: "b", updated_at: "2026-01-01T00:00:00Z" }, second);
  expect(indexOf(texts).digest).toBe(index.digest);
  const others: Partial<Task>[] = [
    { status: "doing" },
    { priority: 1 },
    { depends_on: [id("T2")] },
    { agent: "x" },
  ];
  for (const other of others)
    expect(indexOf(backlog({ ...first, ...other }, second)).digest).not.toBe(index.digest);
  expect(indexOf(backlog(first, { ...second, tags: ["project-done"] })).digest).not.toBe(index.digest);
  expect(indexOf(backlog(second, first)).digest).not.toBe(index.digest);
});

test("an index made from another backlog's equals one made anew", () => {
  const tasks = [task("T1", { depends_on: ["T2"] }), task("T2"), task("T3", { agent: "x" })];
  const before = backlog(...tasks);
  indexOf(before);
  const [one, two, three] = tasks.map((each) => ({ ...each }));
  if (one === undefined || two === undefined || three === undefined) throw new Error("three tasks");
  const others = [
    [one, two, three],
    [one, { ...two, status: "done" as const }, three],
    [{ ...one, depends_on: [] }, three],
    [two, one, three, task("PROJECT-DONE", { status: "done" })],
    [one, two, { ...three, tags: ["project-done"], status: "done" as const }],
  ];
  for (const other of others)
    expect(indexOf(backlog(...other), before)).toEqual(
      indexOf(backlog(...other.map((each) => ({ ...each })))),
    );
});

test("two rows are the same when step sees no difference", () => {
  const one = task("T1", { details: "a" });
  expect(sameRow(one, one)).toBe(true);
  expect(sameRow(one, { ...one, details: "b" })).toBe(true);
  const others: Partial<Task>[] = [
    { id: id("T2") },
    { priority: 1 },
    { status: "done" },
    { agent: "x" },
    { depends_on: [id("T2")] },
  ];
  for (const other of others) expect(sameRow(one, { ...one, ...other })).toBe(false);
  const done = { ...one, status: "done" as const };
  expect(sameRow(done, { ...done, tags: ["Project-Done"] })).toBe(false);
  expect(sameRow({ ...one, depends_on: [id("T2")] }, { ...one, depends_on: [id("T3")] })).toBe(false);
});

test("selection follows its definition for any order of the rows", () => {
  const statuses = fc.constantFrom(...STATUSES);
  const list = fc
    .uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 })
    .chain((numbers) =>
      fc.tuple(
        ...numbers.map((n, i) =>
          fc.record({
            id: fc.constant(id(`T${String(n)}`)),
            status: statuses,
            priority: fc.integer({ min: 1, max: 5 }),
            depends_on: fc.subarray(numbers.slice(0, i).map((m) => id(`T${String(m)}`))),
          }),
        ),
      ),
    );
  fc.assert(
    fc.property(list, fc.nat(), (rows, turn) => {
      const turned = [...rows.slice(turn % rows.length), ...rows.slice(0, turn % rows.length)];
      const answer = selectTask(turned, fresh);
      expect(answer).toEqual(selectTask(rows, fresh));
      expect("picked" in answer ? answer.picked.id : undefined).toBe(byDefinition(rows));
    }),
  );
});

/** Contract §3.4, word by word. */
function byDefinition(rows: readonly IndexRow[]): TaskId | undefined {
  const isDone = (other: TaskId): boolean => rows.some((r) => r.id === other && r.status === "done");
  const ready = rows.filter((r) => r.depends_on.every(isDone));
  const lowest = (some: IndexRow[]): IndexRow[] => some.sort((a, b) => compareIds(a.id, b.id));
  const urgent = (some: IndexRow[]): IndexRow[] => {
    const first = Math.min(...some.map((r) => r.priority));
    return lowest(some.filter((r) => r.priority === first));
  };
  const doing = lowest(ready.filter((r) => r.status === "doing"));
  const todo = urgent(ready.filter((r) => r.status === "todo"));
  const blocked = urgent(ready.filter((r) => r.status === "blocked"));
  return (doing[0] ?? todo[0] ?? blocked[0])?.id;
}

test("a row holds the workflow and the progress that step decides by, and its digest changes with them", () => {
  const at = { workflow: "w", digest: "d", stage: "plan", visit: 1, since: "2026-11-24T08:00:00Z" };
  const plain = task("T1");
  const here: Task = { ...plain, progress: at };
  expect(rowOf(here).progress).toEqual({ workflow: "w", digest: "d", stage: "plan", visit: 1 });
  expect(rowOf({ ...plain, workflow: "tdd" }).workflow).toBe("tdd");
  const paused: Task = { ...here, progress: { ...at, paused: { by: "ada", via: "cli", at: at.since } } };
  const noted: Task = {
    ...here,
    progress: { ...at, notes: [{ text: "n", by: "ada", via: "cli", at: at.since }] },
  };
  const versions: Task[] = [plain, { ...plain, workflow: "tdd" }, here, paused];
  const digests = versions.map((one) => indexOf(backlog(one)).digest);
  expect(new Set(digests).size).toBe(versions.length);
  for (const [at, one] of versions.entries())
    for (const [other, two] of versions.entries()) expect(sameRow(one, two)).toBe(at === other);
  expect(sameRow(here, noted)).toBe(true);
  expect(indexOf(backlog(noted)).digest).toBe(indexOf(backlog(here)).digest);
});

test("the digest of a backlog without workflows is the one that recorded runs have", () => {
  expect(indexOf(backlog(task("T1"), task("T2", { status: "done", agent: "codex" }))).digest).toBe(
    "7d3932ddb4684834",
  );
});
