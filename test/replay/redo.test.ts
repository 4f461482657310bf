// The last commit of a run, made again: edits by commands come out the same, and saves by others are named as such.
import { expect } from "vitest";
import { test, type Scratch } from "../../src/git/testing/scratch.js";
import type { Sealed, StepEvent } from "../../src/logging/events/events.js";
import type { TimedChanges } from "../../src/todo/model/changes/person-change.js";
import { id, task } from "../../src/todo/testing/testing.js";
import { performCommitBacklog } from "../../src/loop/perform/tree/perform-commit.js";
import { RULES } from "../../src/loop/testing/world/sim.js";
import { beginRun, editBeside, saveTodo, type ScratchRun } from "../../src/loop/testing/world/scratch-run.js";
import { TreeReplay } from "./redo.js";

const LAST = { kind: "commit-backlog", ending: "blocked" } as const;
const AT = "2026-01-02T03:04:05.678Z";

const edited: TimedChanges = {
  at: AT,
  changes: [{ op: "edit", id: id("T1"), set: { priority: 1 }, clear: [] }],
};

/** Makes the last commit of a run after `meanwhile`, then makes it again from its event. */
async function makeTwice(
  scratch: Scratch,
  meanwhile: (run: ScratchRun) => Promise<void>,
): Promise<{ replay: TreeReplay; difference: unknown }> {
  const before = [task("T1"), task("T2")];
  await saveTodo(scratch, ...before);
  const head = await scratch.commitAll("tasks");
  const run = await beginRun(scratch);
  await meanwhile(run);
  const event = await performCommitBacklog(run.world, LAST);
  if (event.type !== "committed") throw new Error(event.type);
  await scratch.git("reset", "-q", "--hard", head);
  const again = await beginRun(scratch);
  const opened = {
    ...again,
    applyEdits: async (edits: readonly TimedChanges[]) => {
      for (const one of edits) await editBeside(scratch, again, one);
    },
    close: () => Promise.resolve(),
  };
  const start = { base: head, backlog: new Uint8Array() };
  const scene = { run: "run-1", rules: RULES, head, start, attempts: new Map<string, string>() };
  const replay = new TreeReplay(opened, scene, false);
  const sealed: Sealed<StepEvent> = { seq: 9, timestamp: AT, ...event };
  return { replay, difference: await replay.redo(LAST, Date.parse(AT), sealed) };
}

test("an edit by a command right before the last commit is made again", async ({ scratch }) => {
  const { replay, difference } = await makeTwice(scratch, (run) => editBeside(scratch, run, edited));
  expect(difference).toBeUndefined();
  expect(replay).toMatchObject({ commits: 1, backlogs: 1, stopped: undefined });
});

test("from a save right before the last commit, only decisions are compared", async ({ scratch }) => {
  const { replay, difference } = await makeTwice(scratch, () =>
    saveTodo(scratch, task("T1", { title: "Typed" }), task("T2")),
  );
  expect(difference).toBeUndefined();
  expect(replay.stopped).toEqual({
    seq: 9,
    why: "others had saved the task file, and what they wrote is kept nowhere",
  });
});

test("a last commit without edits is nothing to commit, again", async ({ scratch }) => {
  const { replay, difference } = await makeTwice(scratch, () => Promise.resolve());
  expect({ difference, stopped: replay.stopped }).toEqual({ difference: undefined, stopped: undefined });
});
