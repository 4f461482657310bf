import fc from "fast-check";
import { expect, test } from "vitest";
import type { Applied, Change } from "./change.js";
import { checkBacklog } from "./check.js";
import { idsAfter } from "./ids.js";
import type { NewTask } from "./summary.js";
import { backlog, id, task } from "./testing.js";
import type { Backlog, Task } from "./task.js";
import { applyChanges, MARKER } from "./update.js";

const NOW = "2026-11-20T21:46:01.000Z";

function apply(before: Backlog, ...changes: Change[]): { backlog: Backlog; applied: Applied } {
  return applyChanges(before, changes, NOW);
}

function add(before: Backlog, ...tasks: NewTask[]): { added: Task[]; warnings: string[]; backlog: Backlog } {
  const result = apply(before, { op: "add", tasks, keepVerify: false });
  const ids = new Set(
    result.applied.updated.filter((update) => update.to === "todo").map((update) => update.id),
  );
  const added = result.backlog.tasks.filter((one) => ids.has(one.id));
  return { added, warnings: result.applied.warnings, backlog: result.backlog };
}

test("claim, finish: attempts counted, result and files kept, blockers cleared, the time set", () => {
  const before = backlog(
    task("T1", { status: "blocked", blockers: ["x"], attempts: 2, files: ["plan"] }),
    task("T2"),
  );
  const claimed = apply(before, { op: "claim", id: id("T1"), expect: "blocked" });
  expect(claimed.backlog.tasks[0]).toEqual({
    ...before.tasks[0],
    status: "doing",
    attempts: 3,
    updated_at: NOW,
  });
  expect(claimed.applied.updated).toEqual([{ id: "T1", from: "blocked", to: "doing" }]);
  const finished = apply(claimed.backlog, {
    op: "finish",
    id: id("T1"),
    result: "did it",
    files: ["a"],
    verified: false,
  });
  expect(finished.backlog.tasks[0]).toEqual({
    ...claimed.backlog.tasks[0],
    status: "done",
    blockers: [],
    files: ["a"],
    result: "did it",
  });
  expect(finished.backlog.tasks[1]).toBe(before.tasks[1]);
  const silent = apply(claimed.backlog, {
    op: "finish",
    id: id("T1"),
    result: "",
    files: [],
    verified: false,
  });
  expect(silent.backlog.tasks[0]).toMatchObject({ files: ["plan"] });
  expect(silent.backlog.tasks[0]).not.toHaveProperty("result");
  expect(before.tasks[0]?.status).toBe("blocked");
});

test("finish writes no blockers where there were none", () => {
  const { backlog: after } = apply(backlog(task("T1", { status: "doing" })), {
    ...{ op: "finish", id: id("T1"), result: "r", files: [], verified: false },
  });
  expect(after.tasks[0]).not.toHaveProperty("blockers");
});

const marked: Partial<Pick<Task, "status" | "result" | "files" | "attempts">> = {
  ...{ status: "done", result: "r", files: ["f"], attempts: 2 },
};

test.each([
  [undefined, true, { verified: true }],
  [undefined, false, undefined],
  [{ a: 1 }, true, { a: 1, verified: true }],
  [{ verified: "by hand", a: 1 }, true, { verified: true, a: 1 }],
  [{ verified: true, a: 1 }, false, { a: 1 }],
  [{ verified: true }, false, undefined],
  [{}, false, {}],
  ["a text", true, "a text"],
  [[1], true, [1]],
  [null, false, null],
])("meta %j of a task that becomes done, verified: %s", (meta, verified, left) => {
  const before = task("T1", { status: "doing", ...(meta === undefined ? {} : { meta }) });
  const { backlog: after } = apply(backlog(before), {
    ...{ op: "finish", id: id("T1"), result: "", files: [], verified },
  });
  const known = left === undefined ? {} : { meta: left };
  expect(after.tasks).toEqual([{ ...task("T1", { status: "done" }), ...known, updated_at: NOW }]);
  expect("meta" in (after.tasks[0] ?? {})).toBe(left !== undefined);
});

test("reopen: to do again with the reasons, without the mark; what was reported stays, the marker goes", () => {
  const before = backlog(
    task("T1", { ...marked, blockers: [], meta: { verified: true, of: "mine" } }),
    task("T2", { status: "done", depends_on: ["PROJECT-DONE"] }),
    MARKER,
  );
  const { backlog: after, applied } = apply(before, {
    ...{ op: "reopen", id: id("T1"), to: "todo", blockers: ["undone: why"] },
  });
  expect(after.tasks).toEqual([
    {
      ...task("T1", { ...marked, status: "todo", blockers: ["undone: why"], meta: { of: "mine" } }),
      updated_at: NOW,
    },
    { ...before.tasks[1], depends_on: [], updated_at: NOW },
  ]);
  expect(applied).toEqual({
    updated: [
      { id: "T1", from: "done", to: "todo" },
      { id: "PROJECT-DONE", from: "done" },
    ],
    refused: [],
    warnings: [],
  });
});

test("reopen to doing, with nothing to say: no blockers are left", () => {
  const { backlog: after } = apply(backlog(task("T1", { ...marked, blockers: ["old"] })), {
    ...{ op: "reopen", id: id("T1"), to: "doing", blockers: [] },
  });
  expect(after.tasks).toEqual([{ ...task("T1", { ...marked, status: "doing" }), updated_at: NOW }]);
  expect(after.tasks[0]).not.toHaveProperty("blockers");
});

test("only what is done is reopened, and never the completion marker", () => {
  const before = backlog(task("T1", { status: "blocked" }), MARKER);
  const reopen = (name: string): Change => ({ op: "reopen", id: id(name), to: "todo", blockers: [] });
  const { backlog: after, applied } = apply(before, reopen("T1"), reopen("PROJECT-DONE"), reopen("T9"));
  expect(after).toBe(before);
  expect(applied.refused.map(({ why }) => why)).toEqual([
    "it is blocked, not done",
    "it is the completion marker",
    "there is no such task",
  ]);
});

test("what no longer holds is refused; the rest goes on", () => {
  const before = backlog(task("T1"), task("T2", { status: "done" }));
  const changes: Change[] = [
    { op: "claim", id: id("T1"), expect: "doing" },
    { op: "finish", id: id("T1"), result: "", files: [], verified: false },
    { op: "block", id: id("T2"), blockers: [] },
    { op: "return", id: id("T2"), to: "todo" },
    { op: "claim", id: id("T9"), expect: "todo" },
    { op: "mark-complete" },
  ];
  const refused = apply(before, ...changes);
  expect(refused.backlog).toBe(before);
  expect(refused.applied.refused.map(({ why }) => why)).toEqual([
    "it is todo, not doing",
    "it is todo, not doing",
    "it is done",
    "it is done",
    "there is no such task",
    "not every task is done",
  ]);
  const mixed = apply(before, ...changes, { op: "block", id: id("T1"), blockers: ["why"] });
  expect(mixed.backlog.tasks[0]).toMatchObject({ status: "blocked", blockers: ["why"], updated_at: NOW });
  const back = apply(mixed.backlog, { op: "return", id: id("T1"), to: "todo" });
  expect(back.applied.updated).toEqual([{ id: "T1", from: "blocked", to: "todo" }]);
});

test("the marker is exactly what it is, comes once, and goes when a task is new", () => {
  const done = backlog(task("T1", { status: "done" }));
  const marked = apply(done, { op: "mark-complete" });
  expect(marked.backlog.tasks).toEqual([done.tasks[0], MARKER]);
  expect(JSON.stringify(MARKER)).toBe(
    '{"id":"PROJECT-DONE","title":"Project done: no new tasks","priority":5,"status":"done","tags":["project-done"]}',
  );
  expect(apply(marked.backlog, { op: "mark-complete" }).applied.refused).toHaveLength(1);
  const again = apply(marked.backlog, { op: "add", tasks: [{ title: "n" }], keepVerify: false });
  expect(again.applied.updated).toEqual([
    { id: "PROJECT-DONE", from: "done" },
    { id: "T2", to: "todo" },
  ]);
  expect(again.backlog.tasks.map((one) => one.id)).toEqual(["T1", "T2"]);
  expect(apply(marked.backlog, { op: "add", tasks: [], keepVerify: false }).backlog).toBe(marked.backlog);
});

test("work on a task a person added takes the marker away", () => {
  const before = backlog(task("T1", { status: "done" }), MARKER, task("T2"));
  const { backlog: after, applied } = apply(before, { op: "claim", id: id("T2"), expect: "todo" });
  expect(after.tasks.map((one) => `${one.id} ${one.status}`)).toEqual(["T1 done", "T2 doing"]);
  expect(applied.updated).toContainEqual({ id: MARKER.id, from: "done" });
  const refused = apply(before, { op: "claim", id: id("T1"), expect: "todo" });
  expect(refused.backlog).toBe(before);
});

test("a task that waits for the marker waits no more once it is gone", () => {
  const before = backlog(MARKER, task("T1", { status: "done", depends_on: ["PROJECT-DONE"] }));
  expect(add(before, { title: "n" }).backlog.tasks[0]).toMatchObject({
    id: "T1",
    depends_on: [],
    updated_at: NOW,
  });
});

test("a new task: every text it brings, priority 3, to do, in the order of the shape", () => {
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
  expect(warnings).toHaveLength(2);
  const kept = apply(backlog(), { op: "add", tasks: [whole], keepVerify: true });
  expect(kept.backlog.tasks[0]).toMatchObject({ verify: ["v"], agent: "a" });
});

test.each([
  [["T001", "T009"], "T010"],
  [["T1", "T9"], "T10"],
  [["TASK-12"], "TASK-13"],
  [["T1.2", "T1.10"], "T1.11"],
  [["a", "b"], "T1"],
  [[], "T1"],
  [["A1", "B1", "B2"], "B3"],
  [["A1", "B7"], "B8"],
  [["T99999999999999999999"], "T1"],
  [["007"], "008"],
])("after %j comes %s", (ids, next) => {
  expect(idsAfter(ids)()).toBe(next);
});

test("ids an agent gave itself do not decide the style of the file, and are not given twice", () => {
  const next = idsAfter(["T1"], ["X1", "X2", "T2"]);
  expect([next(), next()]).toEqual(["T3", "T4"]);
});

test("ids: a good one is kept, a taken or bad one replaced, and references follow", () => {
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

test("edges that lead nowhere or close a cycle are dropped, each with a warning", () => {
  const { added, warnings } = add(
    backlog(task("T1")),
    { id: "A", title: "a", depends_on: ["B", "nope", "B"] },
    { id: "B", title: "b", depends_on: ["C", "T1"] },
    { id: "C", title: "c", depends_on: ["A", "C", "T1"] },
  );
  expect(added.map((one) => one.depends_on)).toEqual([["B"], ["C", "T1"], ["T1"]]);
  expect(warnings).toEqual([
    'new task A: dependency on "nope" dropped: there is no such task',
    "new task C: dependency on itself dropped",
    "new task C: dependency on A dropped: it would close a cycle",
  ]);
});

test("twins are dropped: of an open task, and within the list; what depends on one depends on the other", () => {
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
    'new task T4: dependency on "PROJECT-DONE" dropped: there is no such task',
  ]);
});

test("whatever an agent reports, the backlog stays valid and nothing that was there is lost", () => {
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

test("10,000 new tasks in a ring", () => {
  const ring = Array.from({ length: 10_000 }, (_, n) => ({
    ...{ id: `N${n}`, title: `n${n}`, depends_on: [`N${(n + 1) % 10_000}`] },
  }));
  expect(add(backlog(), ...ring).warnings).toEqual([
    "new task N9999: dependency on N0 dropped: it would close a cycle",
  ]);
});
