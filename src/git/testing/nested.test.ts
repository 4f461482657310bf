// Repositories inside the tree that nothing around them tracks: an attempt may remove or change them, and they come back whole.
import { asResult } from "../base/git.js";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint, dropCheckpoint, type Checkpoint } from "../checkpoint/checkpoint.js";
import { removeStaleLocks } from "../base/locks.js";
import type { Repository } from "../base/repository/repository.js";
import { listRescues } from "../bring-back/rescues.js";
import { restoreTo } from "../restore/restore.js";
import type { Restored } from "../restore/restore-order.js";
import { runAs, test, watchGit, type Scratch } from "./scratch.js";
import { stateOf } from "./scratch-state.js";
import { runAttempt } from "./scratch-task.js";

type Git = (...args: string[]) => Promise<string>;

function write(scratch: Scratch, path: string, content: string): void {
  writeFileSync(join(scratch.top, path), content);
}

function gitIn({ ports, top, env }: Scratch, path: string): Git {
  return (...args) => runAs(ports, { cwd: join(top, path), env }, args);
}

/** A repository at `path` with a commit, uncommitted files, staged ones and an ignored one. */
async function nest(scratch: Scratch, path: string, { unborn = false } = {}): Promise<Git> {
  mkdirSync(join(scratch.top, path), { recursive: true });
  const git = gitIn(scratch, path);
  await git("init", "-q");
  await git("config", "user.name", "x");
  await git("config", "user.email", "x@example.org");
  write(scratch, `${path}/in.txt`, "committed\n");
  write(scratch, `${path}/.gitignore`, "secret\n");
  if (!unborn) {
    await git("add", "-A");
    await git("commit", "-qm", "inside");
    await git("tag", "v1");
  }
  write(scratch, `${path}/in.txt`, "the user's\n");
  write(scratch, `${path}/staged`, "staged\n");
  await git("add", "staged");
  write(scratch, `${path}/untracked`, "untracked\n");
  write(scratch, `${path}/secret`, "ignored\n");
  return git;
}

async function begin(scratch: Scratch): Promise<{ repo: Repository; taken: Checkpoint }> {
  const repo = await scratch.open();
  return { repo, taken: await checkpoint(repo, { id: "T1", run: "run-1", reuse: false }) };
}

async function giveUp(repo: Repository, taken: Checkpoint): Promise<Restored> {
  return await restoreTo(repo, { checkpoint: taken, run: "run-1", label: "T1-1" });
}

async function wholeOf(scratch: Scratch, git: Git, path: string): Promise<unknown> {
  const log = await git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags");
  return [
    await stateOf(scratch, git, join(scratch.top, path)),
    log,
    readFileSync(join(scratch.top, path, "secret"), "utf8"),
  ];
}

test.for([false, true])(
  "a repository that is removed comes back whole (without a commit: %s)",
  async (unborn, { scratch }) => {
    const git = await nest(scratch, "deep/nested", { unborn });
    const before = await wholeOf(scratch, git, "deep/nested");
    const outside = await stateOf(scratch);
    const { repo, taken } = await begin(scratch);
    rmSync(join(scratch.top, "deep"), { recursive: true });
    const back = await giveUp(repo, taken);
    expect(await wholeOf(scratch, git, "deep/nested")).toEqual(before);
    expect(await stateOf(scratch)).toEqual(outside);
    expect(back.rescue).toBe(undefined);
    expect(back.warnings.join()).toContain(
      "deep/nested/.git was removed or replaced during the attempt: it is put back",
    );
    expect(await git("fsck", "--no-dangling")).toBe("");
  },
);

test("nested repositories come back, also if they were made anew or replaced by a file", async ({
  scratch,
}) => {
  const outer = await nest(scratch, "one");
  const inner = await nest(scratch, "one/inner");
  const other = await nest(scratch, "two");
  const states = async () => [
    await wholeOf(scratch, outer, "one"),
    await wholeOf(scratch, inner, "one/inner"),
    await wholeOf(scratch, other, "two"),
  ];
  const before = await states();
  const { repo, taken } = await begin(scratch);
  rmSync(join(scratch.top, "one"), { recursive: true });
  write(scratch, "one", "a file\n");
  rmSync(join(scratch.top, "two"), { recursive: true });
  mkdirSync(join(scratch.top, "two"));
  await other("init", "-q");
  write(scratch, "two/agent", "agent\n");
  const back = await giveUp(repo, taken);
  expect(await states()).toEqual(before);
  expect(back.warnings.join()).toContain("what was in its place: ");
  const kept = await listRescues(repo);
  expect(kept.some(({ changes }) => changes.some(({ path }) => path === "agent"))).toBe(true);
});

test("an attempt's edits and commits inside a repository are reverted, and kept where the list finds them", async ({
  scratch,
}) => {
  const git = await nest(scratch, "nested");
  const before = await wholeOf(scratch, git, "nested");
  const { repo, taken } = await begin(scratch);
  write(scratch, "nested/in.txt", "agent\n");
  await git("commit", "-qam", "agent");
  write(scratch, "nested/new", "agent\n");
  rmSync(join(scratch.top, "nested/secret"));
  const { warnings } = await giveUp(repo, taken);
  expect(await wholeOf(scratch, git, "nested")).toEqual(before);
  expect(warnings.join()).toContain("looper rescue show run-1/T1-1-2@nested");
  const ids = (await listRescues(repo)).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(["run-1/T1-1@nested", "run-1/T1-1-2@nested"]));
});

test("a kill at each git call of a restore loses no work", async ({ scratch }) => {
  const git = await nest(scratch, "nested");
  const before = await wholeOf(scratch, git, "nested");
  const { repo } = await begin(scratch);
  for (let kill = 0; kill < 40; kill += 13) {
    rmSync(join(scratch.top, "nested"), { recursive: true, force: true });
    let calls = 0;
    const ports = watchGit(scratch.ports, () => {
      if (calls++ === kill) throw new Error("killed");
    });
    const dying = await scratch.open({}, scratch.ports);
    const killed = { ...dying, ports };
    const act = async () => {
      const taken = await checkpoint(killed, { id: "T1", run: "run-2", reuse: true });
      await asResult(() => restoreTo(killed, { checkpoint: taken, run: "run-2", label: "T1-1" }));
    };
    await act().catch(() => undefined);
    await removeStaleLocks(repo, { since: Infinity });
    const again = await checkpoint(repo, { id: "T1", run: "run-3", reuse: true });
    await giveUp(repo, again);
    expect(await wholeOf(scratch, git, "nested"), `killed at call ${String(kill)}`).toEqual(before);
    await asResult(() => checkpoint(repo, { id: "T1", run: "run-3", reuse: false }));
    if (calls <= kill) return;
  }
});

test("a successful task removes no inner repository, and its warning names uncommitted work in it", async ({
  scratch,
}) => {
  const removed = await nest(scratch, "gone");
  const edited = await nest(scratch, "edited");
  const before = await wholeOf(scratch, removed, "gone");
  const repo = await scratch.open();
  const seen = await runAttempt(repo, async () => {
    rmSync(join(scratch.top, "gone"), { recursive: true });
    write(scratch, "edited/in.txt", "agent\n");
    mkdirSync(join(scratch.top, "made"));
    await gitIn(scratch, "made")("init", "-q");
  });
  expect(await wholeOf(scratch, removed, "gone")).toEqual(before);
  expect(seen.inside).toEqual(["edited", "made"]);
  const told = seen.warnings.join("\n");
  expect(told).toContain("changes inside edited, a repository of its own, are not committed");
  expect(told).toContain("made was made a repository of its own");
  expect(await edited("status", "--porcelain")).toContain(" M in.txt");
});

test("the copies are deleted with their checkpoint", async ({ scratch }) => {
  const git = await nest(scratch, "nested");
  const { repo, taken } = await begin(scratch);
  await giveUp(repo, taken);
  await dropCheckpoint(repo, "T1");
  expect(await git("for-each-ref", "refs/looper")).toBe("");
  expect(existsSync(join(repo.gitDir, "looper-nested/copies/T1"))).toBe(false);
});
