import fc from "fast-check";
import { expect, test } from "vitest";
import { checkBacklog } from "../check/check.js";
import { mergeEdits, type MergeRules } from "./merge.js";
import { backlog, id, task } from "../testing/testing.js";
import { STATUSES } from "../model/status.js";
import type { Backlog, Task } from "../model/task.js";

const agent: MergeRules = { while: "agent", finished: new Set() };
const idle: MergeRules = { while: "idle", finished: new Set() };

const known = backlog(
  task("T1", { status: "done", result: "ok" }),
  task("T2", { status: "doing", attempts: 1, depends_on: ["T1"] }),
  task("T3"),
);
const [t1, t2, t3] = known.tasks as [Task, Task, Task];

test("the same content is not an edit, however it is written", () => {
  expect(mergeEdits(known, known, agent)).toEqual({ backlog: known });
  const copy = structuredClone(known);
  for (const rules of [agent, idle]) {
    const merged = mergeEdits(known, copy, rules);
    expect(merged.backlog).toBe(copy);
    expect(merged.edits).toBeUndefined();
  }
});

test("texts that an agent saves are accepted without a revert", () => {
  const texts = { title: "x", description: "d", details: "d", steps: ["s"], blockers: ["b"], tags: ["t"] };
  const found = backlog(
    t1,
    { ...t2, ...texts, files: ["f"], meta: 1, updated_at: "2026-01-01T00:00:00Z" },
    t3,
  );
  const merged = mergeEdits(known, found, agent);
  expect(merged.backlog).toBe(found);
  expect(merged.edits).toEqual({ added: [], changed: ["T2"], removed: [], putBack: [] });
});

test("everything that is saved while a reader is at work is put back, and named", () => {
  const { title, ...untitled } = t2;
  const found = backlog(
    { ...untitled, title: `${title}!`, details: "d", status: "done" },
    t1,
    task("T9", { title: "new" }),
  );
  const { backlog: kept, edits } = mergeEdits(known, found, { ...agent, while: "reader" });
  expect(kept).toBe(known);
  const putBack = ["details, status, title of T2", "T9, which was added", "T3, which was deleted"];
  expect(edits).toEqual({ added: [], changed: [], removed: [], putBack });
  const moved = mergeEdits(known, backlog(t2, t1, t3), { ...agent, while: "reader" });
  expect(moved).toMatchObject({ backlog: known, edits: { putBack: ["the order of the tasks"] } });
});

test("`changes` that an agent saves are reverted, of any task, with and without applied summaries", () => {
  const permitted = backlog(t1, { ...t2, changes: ["test/a.js"] }, t3);
  const found = backlog(
    { ...t1, changes: ["test/"] },
    { ...t2, changes: ["test/a.js", "test/b.js"] },
    t3,
    task("T9", { changes: ["test/"] }),
  );
  const putBack = ["changes of T1", "changes of T2"];
  const applied = mergeEdits(permitted, found, agent);
  expect(applied.backlog.tasks.map(({ changes }) => changes)).toEqual([
    undefined,
    ["test/a.js"],
    undefined,
    undefined,
  ]);
  expect(applied.edits?.putBack).toEqual([...putBack, "changes of T9, which is new"]);
  const byAgents = mergeEdits(permitted, found, { ...idle, byAgents: true });
  expect(byAgents.backlog.tasks).toStrictEqual([...permitted.tasks, task("T9")]);
  expect(byAgents.edits?.putBack).toEqual([...putBack, "changes of T9"]);
  const byPerson = mergeEdits(permitted, found, idle);
  expect(byPerson.backlog).toStrictEqual(found);
  expect(byPerson.edits?.putBack).toEqual([]);
});

test("all other changes by an agent are reverted", () => {
  const found: Backlog = {
    ...backlog(
      { ...t2, status: "done", priority: 1, depends_on: [], title: "x", verify: ["true"] },
      { ...t3, agent: "me" },
    ),
    source_files: ["evil"],
    project: { root: "/" },
  };
  const merged = mergeEdits(known, found, agent);
  expect(merged.backlog).toStrictEqual(backlog(t1, { ...t2, title: "x" }, t3));
  expect(merged.edits).toEqual({
    added: [],
    changed: ["T2", "T3"],
    removed: [],
    putBack: [
      "depends_on, priority, status, verify of T2",
      "agent of T3",
      "project",
      "source_files",
      "T1, which was deleted",
    ],
  });
});

test("a task that an agent adds is accepted as todo", () => {
  const own = { verify: ["rm -rf x"], changes: ["test/"], agent: "me" };
  const fresh = task("T9", { status: "done", ...own, depends_on: ["T3"] });
  const merged = mergeEdits(known, backlog(t1, fresh, t2, t3, task("T8")), agent);
  expect(merged.backlog).toEqual(backlog(t1, task("T9", { depends_on: ["T3"] }), t2, t3, task("T8")));
  expect(merged.edits).toEqual({
    added: ["T9", "T8"],
    changed: [],
    removed: [],
    putBack: ["status, verify, changes, agent of T9, which is new"],
  });
});

test("only the runner may give a task its verdict", () => {
  const before = backlog(
    task("T1", { meta: { verdict: "verified", a: 1 } }),
    task("T2", { meta: { a: 1 } }),
    task("T3", { meta: { verdict: "unbroken" } }),
    task("T4", { meta: { verdict: "verified" } }),
    task("T6", { meta: { verdict: "unbroken" } }),
  );
  const found = backlog(
    task("T1", { meta: { a: 2 } }),
    task("T2", { meta: { a: 1, verdict: "verified" } }),
    task("T3"),
    task("T4", { meta: "x" }),
    task("T6", { meta: { verdict: "verified" } }),
    task("T5", { meta: { verdict: "verified", a: 1 } }),
  );
  const merged = mergeEdits(before, found, agent);
  expect(merged.backlog.tasks.map(({ meta }) => meta)).toEqual([
    { a: 2, verdict: "verified" },
    { a: 1 },
    { verdict: "unbroken" },
    { verdict: "verified" },
    { verdict: "unbroken" },
    { a: 1 },
  ]);
  expect(merged.edits?.putBack).toEqual([
    "meta of T1",
    "meta of T2",
    "meta of T3",
    "meta of T4",
    "meta of T6",
    "meta.verdict of T5, which is new",
  ]);
  expect(mergeEdits(before, backlog(...merged.backlog.tasks), agent).edits?.putBack).toEqual([]);
});

test("a task that this run finished stays done with its verdict, even if an editor saves an old version", () => {
  const before = backlog(task("T1", { status: "done", meta: { verdict: "unbroken", a: 1 } }));
  const stale = backlog(task("T1", { meta: { a: 2 } }));
  const merged = mergeEdits(before, stale, { while: "idle", finished: new Set([id("T1")]) });
  expect(merged.backlog.tasks).toEqual([task("T1", { status: "done", meta: { a: 2, verdict: "unbroken" } })]);
});

test("a long list of deleted tasks is cut short", () => {
  const many = backlog(...Array.from({ length: 30 }, (_, n) => task(`T${n}`)));
  const { backlog: merged, edits } = mergeEdits(many, backlog(), agent);
  expect(merged).toEqual(many);
  expect(edits?.putBack).toHaveLength(21);
  expect(edits?.putBack.at(-1)).toBe("10 more tasks, which were deleted");
  const twenty = backlog(...many.tasks.slice(0, 20));
  const named = mergeEdits(twenty, backlog(), agent).edits?.putBack;
  expect(named).toEqual(twenty.tasks.map((one) => `${one.id}, which was deleted`));
});

test("only the runner may mark the project as done", () => {
  const found = backlog(
    t1,
    t2,
    { ...t3, tags: ["Project-Done"] },
    task("PROJECT-DONE", { status: "done" }),
    task("T4", { depends_on: ["PROJECT-DONE", "T3"] }),
  );
  const merged = mergeEdits(known, found, agent);
  expect(merged.backlog).toEqual(backlog(t1, t2, t3, task("T4", { depends_on: ["T3"] })));
  expect(merged.edits).toMatchObject({
    added: ["T4"],
    putBack: ["tags of T3", "the completion marker PROJECT-DONE"],
  });
  expect(mergeEdits(known, found, idle)).toMatchObject({ backlog: found, edits: { putBack: [] } });
});

test("a person's save between attempts is accepted, but tasks that this run finished stay done", () => {
  const found = backlog(
    { ...t3, priority: 1, status: "blocked" },
    task("T7", { status: "done", verify: ["x"] }),
    {
      ...t1,
      status: "todo",
      title: "y",
    },
  );
  const merged = mergeEdits(known, found, idle);
  expect(merged.backlog).toBe(found);
  expect(merged.edits).toEqual({ added: ["T7"], changed: ["T3", "T1"], removed: ["T2"], putBack: [] });
  const old = backlog(task("T1", { title: "y" }), t2, t3);
  const kept = mergeEdits(known, old, { ...idle, finished: new Set([id("T1")]) });
  expect(kept.backlog).toEqual(backlog({ ...t1, title: "y" }, t2, t3));
  expect(kept.edits).toMatchObject({
    changed: ["T1"],
    putBack: ["the status of T1, which this run finished"],
  });
});

test("only the result of a task that this run finished is restored, and only if a save reverted it", () => {
  const finished = { ...idle, finished: new Set([id("T1"), id("T2")]) };
  const done = backlog({ ...t1, result: "what a person wrote" }, t2, t3);
  expect(mergeEdits(known, done, finished)).toEqual({
    backlog: done,
    edits: { added: [], changed: ["T1"], removed: [], putBack: [] },
  });
  const reopened = backlog(t1, { ...t2, status: "todo" }, t3);
  expect(mergeEdits(known, reopened, finished).backlog).toBe(reopened);
});

test("an untouched task is the same object afterwards", () => {
  const found = backlog(t1, t2, { ...t3, status: "done" }, task("T9", { depends_on: ["T1"] }));
  const { tasks } = mergeEdits(known, found, agent).backlog;
  expect(tasks[1]).toBe(found.tasks[1]);
  expect(tasks[3]).toBe(found.tasks[3]);
});

test("a file that only lost a task, or only changed its order, is an edit too", () => {
  expect(mergeEdits(known, backlog(t1, t2), idle).edits).toEqual({
    ...{ added: [], changed: [], removed: ["T3"], putBack: [] },
  });
  expect(mergeEdits(known, backlog(t3, t1, t2), agent).edits).toEqual({
    added: [],
    changed: [],
    removed: [],
    putBack: [],
  });
});

const someTask = (number: number): fc.Arbitrary<Task> =>
  fc
    .record(
      {
        status: fc.constantFrom(...STATUSES),
        priority: fc.integer({ min: 1, max: 5 }),
        title: fc.constantFrom("a", "b"),
        steps: fc.constantFrom<string[]>([], ["x"]),
        tags: fc.constantFrom<string[]>(["x"], ["project-done"]),
        agent: fc.constantFrom("x", "y"),
        depends_on: fc.subarray(["T0", "T1", "T2", "T3", "T4"].slice(0, number)),
      },
      { requiredKeys: ["status", "priority", "title"] },
    )
    .map((said) => task(`T${number}`, said));

const someBacklog = fc
  .tuple(...[0, 1, 2, 3, 4].map(someTask))
  .chain((tasks) => fc.shuffledSubarray(tasks, { minLength: 1 }))
  .map((tasks) => {
    const ids = new Set(tasks.map((t) => t.id));
    return backlog(
      ...tasks.map((t) =>
        t.depends_on ? { ...t, depends_on: t.depends_on.filter((other) => ids.has(other)) } : t,
      ),
    );
  });

test("an agent's save changes no status, priority or dependency, loses no task, and leaves a valid backlog", () => {
  fc.assert(
    fc.property(someBacklog, someBacklog, (before, found) => {
      const { backlog: merged, edits } = mergeEdits(before, found, agent);
      expect(checkBacklog(Buffer.from(JSON.stringify(merged)))).toMatchObject({ kind: "ok" });
      const byId = new Map(merged.tasks.map((t) => [t.id, t]));
      for (const { id, status, priority, depends_on } of before.tasks) {
        const kept = byId.get(id);
        expect([kept?.status, kept?.priority, kept?.depends_on]).toEqual([status, priority, depends_on]);
      }
      const fresh = merged.tasks.filter((t) => !before.tasks.some((other) => other.id === t.id));
      expect(fresh.every((t) => t.status === "todo")).toBe(true);
      expect(edits?.added ?? []).toEqual(fresh.map((t) => t.id));
      if (edits === undefined || edits.putBack.length === 0) expect(merged).toBe(found);
      const order = found.tasks.filter((t) => byId.has(t.id)).map((t) => t.id);
      expect(merged.tasks.map((t) => t.id).filter((other) => order.includes(other))).toEqual(order);
    }),
    { numRuns: 1000 },
  );
});
