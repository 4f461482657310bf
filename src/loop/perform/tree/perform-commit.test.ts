// A commit holds the task file as its event describes it, whatever others write at that moment.
import { createHash } from "node:crypto";
import { expect } from "vitest";
import { snapshot } from "../../../git/attempt/snapshot.js";
import { checkpoint } from "../../../git/checkpoint/checkpoint.js";
import { checkpointRef } from "../../../git/base/names.js";
import { test, type Scratch } from "../../../git/testing/scratch.js";
import type { StepEvent } from "../../../logging/events/events.js";
import type { TimedChanges } from "../../../todo/model/changes/person-change.js";
import { id, task } from "../../../todo/testing/testing.js";
import { beginRun, editBeside, saveTodo } from "../../testing/world/scratch-run.js";
import { performCommit, performCommitBacklog } from "./perform-commit.js";

const LAST = { kind: "commit-backlog", ending: "blocked" } as const;
const AT = "2026-01-02T03:04:05.678Z";

/** Expects that HEAD is the event's commit, and that its task file has the bytes that the event names. */
async function expectNamed({ top, ports, env, git }: Scratch, event: StepEvent): Promise<void> {
  const args = ["show", "HEAD:to-do.json"];
  const { stdout } = await ports.processes.run({ command: "git", args, cwd: top, env });
  const sha256 = createHash("sha256").update(stdout).digest("hex");
  expect(event).toMatchObject({ type: "committed", commit: await git("rev-parse", "HEAD"), sha256 });
}

test("the event of the last commit names a save right before it", async ({ scratch }) => {
  await saveTodo(scratch, task("T1"), task("T2"));
  await scratch.commitAll("tasks");
  const { world } = await beginRun(scratch);
  await saveTodo(scratch, task("T1", { title: "Typed" }), task("T2"), task("T3"));
  const event = await performCommitBacklog(world, LAST);
  await expectNamed(scratch, event);
  expect(event).toMatchObject({
    saved: true,
    edits: { added: ["T3"], changed: ["T1"], put_back: [] },
    rows: [{ id: "T3" }],
  });
  expect(event).not.toHaveProperty("heard");
});

test("the event of the last commit carries an edit by a command right before it", async ({ scratch }) => {
  await saveTodo(scratch, task("T1"));
  await scratch.commitAll("tasks");
  const run = await beginRun(scratch);
  const told: TimedChanges = {
    at: AT,
    changes: [{ op: "edit", id: id("T1"), set: { status: "done" }, clear: [] }],
  };
  await editBeside(scratch, run, told);
  const event = await performCommitBacklog(run.world, LAST);
  await expectNamed(scratch, event);
  expect(event).toMatchObject({ heard: [told], edits: { changed: ["T1"] } });
});

test("a save that undoes what the run finished is not committed at its end", async ({ scratch }) => {
  await saveTodo(scratch, task("T1", { status: "done" }), task("T2"));
  await scratch.commitAll("tasks");
  const { world } = await beginRun(scratch);
  world.memory.finished.add(id("T1"));
  await saveTodo(scratch, task("T1", { status: "doing" }), task("T2", { title: "Typed" }));
  const event = await performCommitBacklog(world, LAST);
  await expectNamed(scratch, event);
  expect(JSON.parse(await scratch.git("show", "HEAD:to-do.json"))).toMatchObject({
    tasks: [{ status: "done" }, { title: "Typed" }],
  });
});

test("a task in hand that a save takes away right before the last commit keeps its checkpoint for the next run", async ({
  scratch,
}) => {
  await saveTodo(scratch, task("T1", { status: "doing" }));
  await scratch.commitAll("tasks");
  const { world, repo } = await beginRun(scratch);
  const { base } = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  await saveTodo(scratch, task("T1"));
  await expectNamed(scratch, await performCommitBacklog(world, LAST));
  expect(await scratch.git("rev-parse", checkpointRef(repo.tree, "T1"))).toBe(base);
});

test("a task's commit without changes by the run leaves a save after the last look to a later commit", async ({
  scratch,
}) => {
  await saveTodo(scratch, task("T1", { status: "doing" }));
  await scratch.commitAll("tasks");
  const { world, repo } = await beginRun(scratch);
  const job = {
    job: 1,
    iteration: 1,
    agent: "fake",
    attempt: 1,
    task_id: id("T1"),
    phase: "iteration",
  } as const;
  const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  await saveTodo(scratch, task("T1", { status: "done" }));
  const order = { checkpoint: taken, run: "run-1", label: "T1-1", policy: "runner" } as const;
  world.memory.of(1).snapshot = await snapshot(repo, order);
  const { store } = world;
  const saving = {
    ...store,
    change: async (...given: Parameters<typeof store.change>) => {
      const changed = await store.change(...given);
      await saveTodo(scratch, task("T1", { status: "done" }), task("T2"));
      return changed;
    },
  };
  const effect = { kind: "commit", job, changes: [], during: "idle", summary: "Did it." } as const;
  const event = await performCommit({ ...world, store: saving }, effect);
  await expectNamed(scratch, event);
  expect(await scratch.git("status", "--porcelain")).toBe(" M to-do.json");
});
