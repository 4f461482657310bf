import { expect, test } from "vitest";
import type { Progress } from "../../workflow/progress.js";
import { mergeEdits, type MergeRules, type Merged } from "./merge.js";
import { backlog, task } from "../testing/testing.js";
import type { Task } from "../model/task.js";

const AT = "2026-11-24T08:00:00Z";
const agent: MergeRules = { while: "agent", finished: new Set() };
const idle: MergeRules = { while: "idle", finished: new Set() };
const byAgents: MergeRules = { ...idle, byAgents: true };

const at: Progress = { workflow: "w", digest: "d", stage: "approve", visit: 2, since: AT };
const question: Progress["question"] = {
  ...{ id: "T1.2", source: "stage", text: "Go on?", outcomes: ["approve", "reject"], asked_at: AT },
};
const asked = task("T1", { status: "blocked", blockers: ["Go on?"], progress: { ...at, question } });

function save(is: Task, rules: MergeRules, was: Task = asked): Merged & { task: Task | undefined } {
  const merged = mergeEdits(backlog(was), backlog(is), rules);
  return { ...merged, task: merged.backlog.tasks[0] };
}

const withProgress = (more: Partial<Progress>, was: Task = asked): Task => ({
  ...was,
  progress: { ...at, ...was.progress, ...more },
});

test("a person's answer in the file frees the task, and is recorded as one by file", () => {
  const answer = { outcome: "approve", by: "ada", via: "cli" } as const;
  const saved = save(withProgress({ answer }), idle);
  expect(saved.edits).toMatchObject({ changed: ["T1"], putBack: [] });
  expect(saved.task).toMatchObject({
    status: "todo",
    progress: { ...at, question, answer: { ...answer, via: "file" } },
  });
  expect(saved.task).not.toHaveProperty("blockers");
});

test("an answer that does not fit is put back with the reason, and the rest of the save is taken", () => {
  const wrong = { ...withProgress({ answer: { outcome: "aprove" } }), title: "new" };
  const saved = save(wrong, idle);
  expect(saved.edits?.putBack).toEqual([
    "progress.answer of T1: aprove is not an outcome of T1.2; possible are approve, reject",
  ]);
  expect(saved.task).toEqual({ ...asked, title: "new" });
  const other = save(withProgress({ answer: { question: "T1.1", outcome: "approve" } }), idle);
  expect(other.edits?.putBack).toEqual(["progress.answer of T1: the question T1.1 is not open; T1.2 is"]);
});

test("of two answers the first counts, also after a later save", () => {
  const first = { question: "T1.2", outcome: "approve", by: "ada", via: "cli", at: AT } as const;
  const answered: Task = { ...withProgress({ answer: first }), status: "todo" };
  const second = save(withProgress({ answer: { outcome: "reject" } }), idle, answered);
  expect(second.task?.progress?.answer).toEqual(first);
  expect(second.edits?.putBack).toEqual([
    `progress.answer of T1: T1.2 was already answered: approve, by ada (cli), ${AT}`,
  ]);
  const gone = save(asked, idle, answered);
  expect(gone.task?.progress?.answer).toEqual(first);
  expect(gone.edits?.putBack).toEqual(["progress.answer of T1: it was taken away"]);
});

test("a person may pause a task in the file and lift the pause, and change nothing else of its progress", () => {
  const paused = save(withProgress({ paused: { why: "legal" } }), idle);
  expect(paused.edits?.putBack).toEqual([]);
  expect(paused.task?.progress?.paused).toEqual({ why: "legal", via: "file" });
  const lifted = save(asked, idle, withProgress({ paused: { by: "ada", via: "cli", at: AT } }));
  expect(lifted.task).toEqual(asked);
  const moved = save(withProgress({ stage: "execute", complete: { by: "x", via: "cli", at: AT } }), idle);
  expect(moved.task).toEqual(asked);
  expect(moved.edits?.putBack).toEqual(["progress.complete, progress.stage of T1"]);
  const { progress: _progress, ...without } = asked;
  expect(save(without, idle).task).toEqual(asked);
  expect(save(asked, idle, without).task).toEqual(without);
});

test("a person who marks a task as done ends its workflow", () => {
  expect(save({ ...asked, status: "done" }, idle).task).not.toHaveProperty("progress");
});

test.each([
  ["while an agent works", agent],
  ["where agents edit the file", byAgents],
])("no save changes a task's progress %s, and each change is named", (_when, rules) => {
  const complete = { by: "x", via: "cli", at: AT } as const;
  const forged = withProgress({ answer: { outcome: "approve" }, complete, paused: {}, visit: 9 });
  const saved = save(forged, rules);
  expect(saved.task).toEqual(asked);
  expect(saved.edits?.putBack).toEqual([
    "progress.answer, progress.complete, progress.paused, progress.visit of T1",
  ]);
  const { progress: _progress, ...without } = asked;
  expect(save(without, rules).task).toMatchObject({ progress: asked.progress });
});

test("a task that is added while an agent works has no workflow, parent or progress of its own", () => {
  const added = task("T2", { workflow: "w", parent: asked.id, progress: at });
  const merged = mergeEdits(backlog(asked), backlog(asked, added), agent);
  expect(merged.backlog.tasks[1]).toEqual(task("T2"));
  expect(merged.edits?.putBack).toEqual(["workflow, parent, progress of T2, which is new"]);
});
