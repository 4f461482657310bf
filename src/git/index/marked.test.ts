// Files the person told git not to look at (skip-worktree, assume-unchanged): usually settings of their own, in no commit.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint } from "../checkpoint/checkpoint.js";
import { removeStaleLocks } from "../base/locks.js";
import { undoGateChanges, restoreTo } from "../restore/restore.js";
import { test, type Scratch } from "../testing/scratch.js";
import { stateOf } from "../testing/scratch-state.js";
import { snapshot } from "../attempt/snapshot.js";
import { attempt, changesOf, finish, runAttempt } from "../testing/scratch-task.js";

const T1 = { id: "T1", run: "run-1", reuse: false };
const LABEL = { run: "run-1", label: "T1-1" };
const RESCUE = "refs/looper/rescue/run-1/T1-1";

function write(scratch: Scratch, path: string, content: string): void {
  writeFileSync(join(scratch.top, path), content);
}

function read(scratch: Scratch, path: string): string {
  return readFileSync(join(scratch.top, path), "utf8");
}

/** Three of them: changed by the person, changed and assumed unchanged, removed by the person. */
async function mark({ git, top }: Scratch, scratch: Scratch): Promise<void> {
  for (const name of ["skipped", "assumed", "gone"]) write(scratch, name, "base\n");
  await scratch.commitAll("settings");
  write(scratch, "skipped", "my skipped\n");
  write(scratch, "assumed", "my assumed\n");
  rmSync(join(top, "gone"));
  await git("update-index", "--skip-worktree", "skipped", "gone");
  await git("update-index", "--assume-unchanged", "assumed");
}

function overwrite(scratch: Scratch): void {
  write(scratch, "skipped", "agent\n");
  rmSync(join(scratch.top, "assumed"));
  write(scratch, "gone", "agent, again\n");
}

test("marked files of an abandoned task are restored with their marks, after a kill too", async ({
  scratch,
}) => {
  await mark(scratch, scratch);
  const before = await stateOf(scratch);
  const repo = await scratch.open();
  const taken = await checkpoint(repo, T1);
  expect(await stateOf(scratch)).toEqual(before);
  overwrite(scratch);
  await restoreTo(repo, { checkpoint: taken, ...LABEL });
  expect(await stateOf(scratch)).toEqual(before);
  expect(await scratch.git("show", `${RESCUE}:skipped`, `${RESCUE}:gone`)).toBe("agent\nagent, again");

  overwrite(scratch);
  await removeStaleLocks(repo, { since: Infinity });
  const again = await checkpoint(repo, { ...T1, reuse: true });
  expect(again.marked).toEqual(taken.marked);
  await restoreTo(repo, { checkpoint: again, ...LABEL });
  expect(await stateOf(scratch)).toEqual(before);
  expect(existsSync(join(scratch.top, "gone"))).toBe(false);
});

test("changes of a task in marked files stay in the tree, out of its commit, with a warning", async ({
  scratch,
}) => {
  await mark(scratch, scratch);
  const repo = await scratch.open();
  const prepared = await attempt(repo, () => {
    write(scratch, "skipped", "agent\n");
    write(scratch, "a.txt", "agent\n");
  });
  expect(await changesOf(scratch, await finish(scratch, repo, prepared))).toEqual([
    "M a.txt",
    "M to-do.json",
  ]);
  expect(read(scratch, "skipped")).toBe("agent\n");
  expect(await scratch.git("ls-files", "-v", "skipped", "gone", "assumed")).toBe(
    "h assumed\nS gone\nS skipped",
  );
  const seen = await runAttempt(repo, () => {
    write(scratch, "assumed", "agent\n");
  });
  expect(seen.warnings).toEqual([
    expect.stringMatching(/^assumed was changed .* not committed\. .*T1-1-before-2$/),
  ]);
  expect(await scratch.git("show", "refs/looper/rescue/run-1/T1-1-before-2:assumed")).toBe("my assumed");
});

test("changes of the gate in marked files are reverted, and those of the attempt stay", async ({
  scratch,
}) => {
  await mark(scratch, scratch);
  const repo = await scratch.open();
  const taken = await checkpoint(repo, T1);
  write(scratch, "skipped", "agent\n");
  const { changes } = await snapshot(repo, { checkpoint: taken, ...LABEL, policy: "runner" });
  write(scratch, "assumed", "gate\n");
  const { paths } = await undoGateChanges(repo, { checkpoint: taken, changes, ...LABEL });
  expect(paths).toEqual(["assumed"]);
  expect([read(scratch, "skipped"), read(scratch, "assumed")]).toEqual(["agent\n", "my assumed\n"]);
});

test("marked files are restored beside a sparse checkout's own marks", async ({ scratch }) => {
  for (const folder of ["in", "out"]) mkdirSync(join(scratch.top, folder));
  for (const name of ["in/x", "out/x"]) write(scratch, name, "one\n");
  await scratch.commitAll("folders");
  await scratch.git("sparse-checkout", "set", "--cone", "in");
  write(scratch, "in/x", "my own\n");
  await scratch.git("update-index", "--assume-unchanged", "in/x");
  const before = await stateOf(scratch);
  const repo = await scratch.open();
  const taken = await checkpoint(repo, T1);
  expect(taken.marked).toEqual(["in/x"]);
  expect(await scratch.git("ls-tree", "-r", "--name-only", taken.base)).toContain("out/x");
  write(scratch, "in/x", "agent\n");
  await restoreTo(repo, { checkpoint: taken, ...LABEL });
  expect(await stateOf(scratch)).toEqual(before);
  // Patterns may stay behind when a checkout is whole again: then the mark is a person's.
  await scratch.git("sparse-checkout", "disable");
  await scratch.git("update-index", "--skip-worktree", "out/x");
  write(scratch, "out/x", "my own\n");
  expect((await checkpoint(repo, T1)).marked).toEqual(["in/x", "out/x"]);
});
