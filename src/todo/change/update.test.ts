import fc from "fast-check";
import { expect, test } from "vitest";
import { given } from "../../system/given.js";
import type { Applied, Change } from "../model/changes/change.js";
import type { PersonChange } from "../model/changes/person-change.js";
import { indexOf, MARKER } from "../model/select.js";
import { backlog, id, task } from "../testing/testing.js";
import type { Backlog, Task } from "../model/task.js";
import { applyChanges } from "./update.js";

const NOW = "2026-11-20T21:46:01.000Z";

function apply(before: Backlog, ...changes: Change[]): { backlog: Backlog; applied: Applied } {
  return applyChanges(before, changes, NOW);
}

const addOne: Change = { op: "add", tasks: [{ title: "n" }], keepVerify: false };

test("claim and finish count the attempt, keep result and files, clear blockers and set the time", () => {
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
    verdict: "unverified",
  });
  expect(finished.backlog.tasks[0]).toEqual({
    ...claimed.backlog.tasks[0],
    status: "done",
    blockers: [],
    files: ["plan", "a"],
    result: "did it",
    meta: { verdict: "unverified" },
  });
  expect(finished.backlog.tasks[1]).toBe(before.tasks[1]);
  const silent = apply(claimed.backlog, {
    op: "finish",
    id: id("T1"),
    result: "",
    files: [],
    verdict: "unverified",
  });
  expect(silent.backlog.tasks[0]).toMatchObject({ files: ["plan"] });
  expect(silent.backlog.tasks[0]).not.toHaveProperty("result");
  expect(before.tasks[0]?.status).toBe("blocked");
});

test("uncount subtracts one attempt, but never below zero", () => {
  const before = backlog(task("T1", { status: "doing", attempts: 3 }), task("T2"));
  const after = apply(before, { op: "uncount", id: id("T1") });
  expect(after.backlog.tasks[0]).toMatchObject({ status: "doing", attempts: 2 });
  expect(apply(before, { op: "uncount", id: id("T2") }).applied.refused).toMatchObject([
    { why: "it was never tried" },
  ]);
});

test("finish does not add the key blockers", () => {
  const { backlog: after } = apply(backlog(task("T1", { status: "doing" })), {
    ...{ op: "finish", id: id("T1"), result: "r", files: [], verdict: "unverified" },
  });
  expect(after.tasks[0]).not.toHaveProperty("blockers");
});

const marked: Partial<Pick<Task, "status" | "result" | "files" | "attempts">> = {
  ...{ status: "done", result: "r", files: ["f"], attempts: 2 },
};

test.each([
  [undefined, "verified", { verdict: "verified" }],
  [undefined, "unbroken", { verdict: "unbroken" }],
  [undefined, "unverified", { verdict: "unverified" }],
  [{ a: 1 }, "verified", { a: 1, verdict: "verified" }],
  [{ verdict: "by hand", a: 1 }, "unbroken", { verdict: "unbroken", a: 1 }],
  [{ verdict: "verified", a: 1 }, "unverified", { verdict: "unverified", a: 1 }],
  [{ accepted: { at: NOW, by: "ana" } }, "unbroken", { verdict: "unbroken" }],
  [{ verified: true }, "unverified", { verified: true, verdict: "unverified" }],
  [{}, "unverified", { verdict: "unverified" }],
  ["a text", "verified", "a text"],
  [[1], "verified", [1]],
  [null, "unverified", null],
] as const)("meta %j of a task that becomes done: %s", (meta, verdict, left) => {
  const before = task("T1", { status: "doing", ...given({ meta }) });
  const { backlog: after } = apply(backlog(before), {
    ...{ op: "finish", id: id("T1"), result: "", files: [], verdict },
  });
  expect(after.tasks).toEqual([{ ...task("T1", { status: "done" }), meta: left, updated_at: NOW }]);
});

test("reopen makes a task todo with the reasons, keeps its report, and removes its mark and the marker", () => {
  const before = backlog(
    task("T1", { ...marked, blockers: [], meta: { verdict: "unbroken", of: "mine" } }),
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

test("reopen to doing without reasons leaves no blockers", () => {
  const { backlog: after } = apply(backlog(task("T1", { ...marked, blockers: ["old"] })), {
    ...{ op: "reopen", id: id("T1"), to: "doing", blockers: [] },
  });
  expect(after.tasks).toEqual([{ ...task("T1", { ...marked, status: "doing" }), updated_at: NOW }]);
  expect(after.tasks[0]).not.toHaveProperty("blockers");
});

test("only a done task is reopened, and never the completion marker", () => {
  const before = backlog(task("T1", { status: "blocked" }), MARKER);
  const reopen = (name: string): Change => ({ op: "reopen", id: id(name), to: "todo", blockers: [] });
  const { backlog: after, applied } = apply(before, reopen("T1"), reopen("PROJECT-DONE"), reopen("T9"));
  expect(after).toBe(before);
  expect(applied.refused.map(({ why }) => why)).toEqual([
    "it is blocked, not done",
    "it is the completion marker",
    "no such task",
  ]);
});

test("a change that no longer holds is refused, and the others are made", () => {
  const before = backlog(task("T1"), task("T2", { status: "done" }));
  const changes: Change[] = [
    { op: "claim", id: id("T1"), expect: "doing" },
    { op: "finish", id: id("T1"), result: "", files: [], verdict: "unverified" },
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
    "no such task",
    "not every task is done",
  ]);
  const mixed = apply(before, ...changes, { op: "block", id: id("T1"), blockers: ["why"] });
  expect(mixed.backlog.tasks[0]).toMatchObject({ status: "blocked", blockers: ["why"], updated_at: NOW });
  const back = apply(mixed.backlog, { op: "return", id: id("T1"), to: "todo" });
  expect(back.applied.updated).toEqual([{ id: "T1", from: "blocked", to: "todo" }]);
});

test("the marker is added once, exactly as defined, and removed with a new task", () => {
  const done = backlog(task("T1", { status: "done" }));
  const marked = apply(done, { op: "mark-complete" });
  expect(marked.backlog.tasks).toEqual([done.tasks[0], MARKER]);
  expect(marked.applied.updated).toEqual([{ id: "PROJECT-DONE", to: "done" }]);
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

test("work on a task that a person added removes the marker", () => {
  const before = backlog(task("T1", { status: "done" }), MARKER, task("T2"));
  const { backlog: after, applied } = apply(before, { op: "claim", id: id("T2"), expect: "todo" });
  expect(after.tasks.map((one) => `${one.id} ${one.status}`)).toEqual(["T1 done", "T2 doing"]);
  expect(applied.updated).toContainEqual({ id: MARKER.id, from: "done" });
  const refused = apply(before, { op: "claim", id: id("T1"), expect: "todo" });
  expect(refused.backlog).toBe(before);
});

test("a removed marker is removed from a task's dependencies, and the others stay", () => {
  const before = backlog(
    MARKER,
    task("T1", { status: "done" }),
    task("T2", { status: "done", depends_on: ["PROJECT-DONE"] }),
    task("T3", { status: "done", depends_on: ["T1", "PROJECT-DONE"] }),
    task("T4", { status: "done", depends_on: ["T1"] }),
  );
  const { backlog: after } = apply(before, addOne);
  expect(after.tasks.slice(0, 4)).toEqual([
    before.tasks[1],
    { ...before.tasks[2], depends_on: [], updated_at: NOW },
    { ...before.tasks[3], depends_on: ["T1"], updated_at: NOW },
    before.tasks[4],
  ]);
});

test("an unfinished task with the marker's name is an ordinary task", () => {
  const before = backlog(task("T1"), task("PROJECT-DONE"));
  const { backlog: after } = apply(before, { op: "claim", id: id("T1"), expect: "todo" });
  expect(after.tasks.map((one) => one.id)).toEqual(["T1", "PROJECT-DONE"]);
  const done = backlog(
    task("T1", { status: "done" }),
    task("T2", { status: "done", tags: ["project-done"] }),
  );
  expect(apply(done, { op: "mark-complete" }).applied.refused).toMatchObject([
    { why: "it is marked already" },
  ]);
});

test("the result is that of the last agent, even if it is empty", () => {
  const before = backlog(task("T1", { status: "doing", result: "of an earlier attempt" }));
  const { backlog: after } = apply(before, {
    ...{ op: "finish", id: id("T1"), result: "", files: [], verdict: "unverified" },
  });
  expect(after.tasks[0]).toHaveProperty("result", "");
});

test("each task is found at its position, with an index made anew or from another", () => {
  const ids = fc.constantFrom("T1", "T2", "T3", "T4", "T5").map(id);
  const change = fc.oneof(
    ids.map((one): Change => ({ op: "claim", id: one, expect: "todo" })),
    ids.map((one): Change => ({ op: "return", id: one, to: "todo" })),
    ids.map((one): PersonChange => ({ op: "remove", id: one })),
    ids.map((one): PersonChange => ({ op: "insert", task: task(one) })),
    fc.constant(addOne),
  );
  const steps = fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(steps, (all) => {
      let before = backlog(...["T1", "T2", "T3", "T4"].map((one) => task(one)));
      indexOf(before);
      for (const changes of all) {
        const unseen = applyChanges({ ...before, tasks: [...before.tasks] }, changes, NOW);
        const seen = applyChanges(before, changes, NOW);
        expect(seen).toEqual(unseen);
        indexOf(seen.backlog, before);
        before = seen.backlog;
      }
    }),
  );
});

test("reported files and blockers are added to the existing ones, in order and once each", () => {
  const before = backlog(task("T1", { status: "doing", files: ["a", "b"], blockers: ["a person's"] }));
  const finish = {
    op: "finish",
    id: id("T1"),
    result: "",
    files: ["b", "c"],
    verdict: "unverified",
  } as const;
  expect(apply(before, finish).backlog.tasks[0]?.files).toEqual(["a", "b", "c"]);
  const block = { op: "block", id: id("T1"), blockers: ["no key", "a person's"] } as const;
  expect(apply(before, block).backlog.tasks[0]?.blockers).toEqual(["a person's", "no key"]);
});

test("a task that a person accepts is verified, with who and when, until it is reopened or done again", () => {
  const now = "2026-01-02T03:04:05.000Z";
  const meta = { a: 1, verdict: "unbroken" };
  const done = backlog(task("T1", { status: "done", meta }), task("T2"));
  const accept = { op: "accept", id: id("T1"), by: "ana" } as const;
  const accepted = applyChanges(done, [accept], now).backlog;
  expect(accepted.tasks[0]?.meta).toEqual({ a: 1, verdict: "verified", accepted: { at: now, by: "ana" } });
  const reopened = applyChanges(accepted, [{ op: "reopen", id: id("T1"), to: "doing", blockers: [] }], now);
  expect(reopened.backlog.tasks[0]?.meta).toEqual({ a: 1 });
  const byHand = applyChanges(
    accepted,
    [{ op: "edit", id: id("T1"), set: { status: "todo" }, clear: [] }],
    now,
  );
  expect(byHand.backlog.tasks[0]?.meta).toEqual({ a: 1 });
  const { applied } = applyChanges(done, [{ ...accept, id: id("T2") }], now);
  expect(applied.refused.map(({ why }) => why)).toEqual(["it is todo, not done"]);
});
