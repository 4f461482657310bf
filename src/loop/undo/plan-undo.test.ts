import { expect, test } from "vitest";
import type { TaskCommit } from "../../git/commit/live-commits.js";
import { id, task } from "../../todo/testing/testing.js";
import { readMissingFacts } from "../runs/recover.js";
import { planUndo, type UndoWish } from "./plan-undo.js";

const done = (name: string, ...depends_on: string[]) => task(name, { status: "done", depends_on });
const commitOf = (name: string, n = ""): TaskCommit => ({
  commit: `${name}${n}`,
  parent: "p",
  task: name,
  title: `Commit of ${name}`,
  at: 1_700_000_000,
});
const wish = (name: string, more: Partial<UndoWish> = {}): UndoWish => ({
  ...{ id: name, cascade: false, reason: "" },
  ...more,
});

// T1 ← T2 ← T3 (todo) ← T4; T5 has no dependencies.
const tasks = [
  done("T1"),
  done("T2", "T1"),
  task("T3", { depends_on: ["T2"] }),
  done("T4", "T3"),
  done("T5"),
];
const live = [commitOf("T4"), commitOf("T5"), commitOf("T2"), commitOf("T1", "-new"), commitOf("T1", "-old")];

test("a task without done dependents is reopened and its newest commit is undone", () => {
  expect(planUndo(wish("T5", { reason: "wrong" }), tasks, live)).toEqual({
    kind: "ready",
    undone: [{ task: "T5", title: "Title of T5", commit: "T5" }],
    commits: [commitOf("T5")],
    changes: [{ op: "reopen", id: "T5", to: "todo", blockers: ["undone: wrong"] }],
  });
});

test("done tasks that depend on it, even through an open one, are named newest first", () => {
  expect(planUndo(wish("T1"), tasks, live)).toEqual({
    kind: "dependents",
    dependents: [
      { task: "T4", title: "Title of T4", commit: "T4" },
      { task: "T2", title: "Title of T2", commit: "T2" },
    ],
  });
  expect(planUndo(wish("T1", { cascade: true, reason: "no" }), tasks, live)).toEqual({
    kind: "ready",
    undone: [
      { task: "T1", title: "Title of T1", commit: "T1-new" },
      { task: "T4", title: "Title of T4", commit: "T4" },
      { task: "T2", title: "Title of T2", commit: "T2" },
    ],
    commits: [commitOf("T4"), commitOf("T2"), commitOf("T1", "-new")],
    changes: [
      { op: "reopen", id: "T1", to: "todo", blockers: ["undone: no"] },
      { op: "reopen", id: "T4", to: "todo", blockers: ["undone with T1: no"] },
      { op: "reopen", id: "T2", to: "todo", blockers: ["undone with T1: no"] },
    ],
  });
});

test("a commit that is older than the task was of another with its id", () => {
  const born = (created_at: string) => planUndo(wish("T5"), [task("T5", { created_at })], live).kind;
  // A commit has whole seconds.
  expect(born("2023-11-14T22:13:20.900Z")).toBe("ready");
  expect(born("2023-11-14T22:13:21.000Z")).toBe("nothing");
});

test("a done task without a commit is only reopened, and comes last", () => {
  const plan = planUndo(wish("T1", { cascade: true }), tasks, [commitOf("T2")]);
  expect(plan).toMatchObject({
    kind: "ready",
    undone: [{ task: "T1", commit: undefined }, { task: "T2", commit: "T2" }, { task: "T4" }],
    commits: [{ task: "T2" }],
    changes: [{ id: "T1", blockers: ["undone"] }, { id: "T2", blockers: ["undone with T1"] }, { id: "T4" }],
  });
});

test("the commit of a task that is open or gone from the backlog is undone without a change of status", () => {
  expect(planUndo(wish("T3"), [...tasks.slice(0, 3)], [commitOf("T3")])).toMatchObject({
    kind: "ready",
    commits: [{ task: "T3" }],
    changes: [],
  });
  expect(planUndo(wish("T9"), tasks, [commitOf("T9")])).toMatchObject({
    kind: "ready",
    undone: [{ task: "T9", title: "Commit of T9", commit: "T9" }],
    changes: [],
  });
});

test("an open task without a commit, an unknown task and the marker are told apart", () => {
  const marker = task("PROJECT-DONE", { status: "done", depends_on: ["T5"] });
  expect(planUndo(wish("T3"), tasks, live)).toEqual({ kind: "nothing", status: "todo" });
  expect(planUndo(wish("T9"), tasks, live)).toEqual({ kind: "unknown" });
  expect(planUndo(wish("PROJECT-DONE"), [marker], [])).toEqual({ kind: "marker" });
  expect(planUndo(wish("T5"), [...tasks, marker], live)).toMatchObject({ kind: "ready", undone: [{}] });
});

const finish = { op: "finish", id: id("T1"), result: "", files: [], verdict: "unverified" };
const add = { op: "add", tasks: [{ title: "n" }], keepVerify: false };
const reopen = (name: string) => ({ op: "reopen", id: id(name), to: "todo", blockers: [] });

test.each([
  ["of a task that is not done: all", [finish, add], "doing", [finish, add]],
  ["of a done task: none, not even its new tasks", [finish, add], "done", []],
  ["of a removed task: none", [finish, add], undefined, []],
  ["of an undo: those of tasks that are still done", [reopen("T1"), reopen("T2")], "done", [reopen("T1")]],
  ["of an undo that was written: none", [reopen("T1")], "todo", []],
  ["without changes: none", [], "done", []],
] as const)("the missing changes of a pending commit %s", (_, changes, status, missing) => {
  const known = status === undefined ? [] : [task("T1", { status })];
  expect(readMissingFacts({ facts: { changes } }, known).changes).toEqual(missing);
});

test("facts that cannot be read change nothing", () => {
  expect(readMissingFacts({ facts: undefined }, [])).toEqual({ changes: [] });
  const undone = [{ task: "T1", title: "x", commit: "c" }];
  expect(readMissingFacts({ facts: { changes: [], undone } }, [])).toEqual({ changes: [], undone });
});
