// A task that is given up: checkpoint, a mess, restore. Afterwards nothing may look different, and nothing may be lost.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint, type Checkpoint } from "../checkpoint/checkpoint.js";
import { removeStaleLocks } from "../base/locks.js";
import type { Repository } from "../base/repository/repository.js";
import { listRescues } from "../bring-back/bring-back.js";
import { restoreTo, type Restored } from "../restore/restore.js";
import { test, watchGit, type Scratch } from "./scratch.js";
import { stateOf } from "./scratch-state.js";

const RESCUE = "refs/looper/rescue/run-1/T1-1";

async function begin(scratch: Scratch): Promise<{ repo: Repository; taken: Checkpoint }> {
  const repo = await scratch.open();
  return { repo, taken: await checkpoint(repo, { id: "T1", run: "run-1", reuse: false }) };
}

async function giveUp(repo: Repository, taken: Checkpoint): Promise<Restored> {
  return await restoreTo(repo, { checkpoint: taken, run: "run-1", label: "T1-1" });
}

function write(scratch: Scratch, path: string, content: string): void {
  writeFileSync(join(scratch.top, path), content);
}

/** A person in the middle of their work: every kind of difference, and bytes that only the index has. */
async function personsWork(scratch: Scratch): Promise<void> {
  const { git, top } = scratch;
  write(scratch, "staged", "staged\n");
  write(scratch, "part", "first half\n");
  await git("add", "staged", "part");
  write(scratch, "part", "first half\nsecond half\n");
  write(scratch, "gone", "only staged\n");
  await git("add", "gone");
  rmSync(join(top, "gone"));
  write(scratch, "a.txt", "changed\n");
  write(scratch, "untracked", "");
  write(scratch, "later", "announced\n");
  await git("add", "-N", "later");
  write(scratch, "assumed", "1\n");
  write(scratch, "skipped", "1\n");
  await git("add", "assumed", "skipped");
  await git("update-index", "--assume-unchanged", "assumed");
  await git("update-index", "--skip-worktree", "skipped");
  write(scratch, "run.sh", "#!/bin/sh\n");
  chmodSync(join(top, "run.sh"), 0o755);
  symlinkSync("nowhere", join(top, "dangling"));
  write(scratch, "to-do.json", '{"tasks":[{"id":"T1","status":"doing"}]}\n');
  write(scratch, "to-do.json.edited-1", "a copy\n");
  await git("add", "to-do.json");
  write(scratch, ".gitignore", "*.log\n");
  write(scratch, "x.log", "ignored\n");
}

/** An agent that leaves no stone on another. */
async function mess(scratch: Scratch): Promise<void> {
  const { git, top } = scratch;
  write(scratch, "staged", "agent\n");
  await git("rm", "-qf", "--cached", "gone");
  rmSync(join(top, "a.txt"));
  mkdirSync(join(top, "a.txt"));
  write(scratch, "a.txt/inside", "agent\n");
  rmSync(join(top, "dir"), { recursive: true });
  write(scratch, "dir", "a file now\n");
  write(scratch, "untracked", "agent\n");
  write(scratch, "assumed", "1\n");
  chmodSync(join(top, "run.sh"), 0o644);
  rmSync(join(top, "dangling"));
  write(scratch, "dangling", "a file now\n");
  mkdirSync(join(top, "made", "deep"), { recursive: true });
  write(scratch, "made/deep/new", "agent\n");
  await git("update-index", "--no-skip-worktree", "skipped");
  write(scratch, "part", "only ever in the index\n");
  await git("add", "-A");
  write(scratch, "part", "agent\n");
  write(scratch, "announced", "agent\n");
  await git("add", "-N", "announced");
}

test("an abandoned task's tree is restored, and one rescue holds its files and its staged content", async ({
  scratch,
}) => {
  await personsWork(scratch);
  const before = await stateOf(scratch);
  const { repo, taken } = await begin(scratch);
  expect(await stateOf(scratch)).toEqual(before);
  await mess(scratch);
  const { paths, rescue } = await giveUp(repo, taken);
  expect(await stateOf(scratch)).toEqual(before);
  expect(rescue).toBe(RESCUE);
  expect([...paths].sort()).toEqual(
    [
      "a.txt",
      "a.txt/inside",
      "announced",
      "dangling",
      "dir",
      "dir/b.txt",
      "made/deep/new",
      "part",
      "run.sh",
      "staged",
      "untracked",
    ].sort(),
  );
  expect(await scratch.git("show", `${RESCUE}:part`)).toBe("agent");
  expect(await scratch.git("show", `${RESCUE}^2:part`)).toBe("only ever in the index");
  expect(await scratch.git("show", `${RESCUE}:a.txt/inside`)).toBe("agent");
  expect(await scratch.git("fsck", "--no-dangling")).toBe("");
});

test("a restore killed at any git call has the same result when repeated, with one rescue", async ({
  scratch,
}) => {
  await personsWork(scratch);
  const before = await stateOf(scratch);
  const undisturbed = await begin(scratch);
  await mess(scratch);
  let calls = 0;
  const counted = await scratch.open(
    {},
    watchGit(scratch.ports, () => {
      calls += 1;
    }),
  );
  await counted.identity();
  calls = 0;
  const wanted = await giveUp(counted, undisturbed.taken);
  const work = await scratch.git("rev-parse", `${RESCUE}^{tree}`, `${RESCUE}^2^{tree}`);
  const total = calls;
  expect(total).toBeGreaterThan(5);
  await scratch.git("update-ref", "-d", RESCUE);
  // Every second call; in make proof each.
  const step = process.env["EXHAUSTIVE"] === undefined ? 2 : 1;
  for (let at = 1; at <= total + 1; at += step) {
    const { taken } = await begin(scratch);
    await mess(scratch);
    // After one call is before the next, with all that lies between them.
    await killAt(scratch, taken, { at: Math.min(at, total), after: at > total });
    const repo = await scratch.open();
    await removeStaleLocks(repo, { since: 0 });
    const again = await checkpoint(repo, { id: "T1", run: "run-2", reuse: true });
    const { paths, rescue } = await restoreTo(repo, { checkpoint: again, run: "run-2", label: "T1-2" });
    const point = `before call ${String(at)}`;
    expect(await stateOf(scratch), point).toEqual(before);
    const refs = await scratch.git("for-each-ref", "--format=%(refname)", "refs/looper/rescue");
    expect(refs.split("\n"), point).toEqual([rescue]);
    expect([...paths].sort(), point).toEqual([...wanted.paths].sort());
    const ref = String(rescue);
    expect(await scratch.git("rev-parse", `${ref}^{tree}`, `${ref}^2^{tree}`), point).toBe(work);
    await scratch.git("update-ref", "-d", ref);
  }
});

/** Stands for a SIGKILL just before, or just after, the nth git process of a restore. */
async function killAt(
  scratch: Scratch,
  taken: Checkpoint,
  { at, after }: { at: number; after: boolean },
): Promise<void> {
  let calls = 0;
  const ports = {
    ...scratch.ports,
    processes: {
      ...scratch.ports.processes,
      run: async (...args: Parameters<Scratch["ports"]["processes"]["run"]>) => {
        calls += 1;
        if (calls === at && !after) throw new Error("killed");
        const result = await scratch.ports.processes.run(...args);
        if (calls === at) throw new Error("killed");
        return result;
      },
    },
  };
  const repo = await scratch.open();
  const identity = await repo.identity();
  const doomed: Repository = {
    ...repo,
    ports,
    identity: () => Promise.resolve(identity),
  };
  await expect(restoreTo(doomed, { checkpoint: taken, run: "run-1", label: "T1-1" })).rejects.toThrow(
    "killed",
  );
}

test("an agent's staged, announced, removed and marked entries are reverted in the index", async ({
  scratch,
}) => {
  const before = await stateOf(scratch);
  const { repo, taken } = await begin(scratch);
  expect(taken.index.commit).toBeUndefined();
  write(scratch, "new", "1\n");
  await scratch.git("add", "new");
  write(scratch, "new", "2\n");
  write(scratch, "announced", "x");
  await scratch.git("add", "-N", "announced");
  await scratch.git("rm", "-q", "--cached", "dir/b.txt");
  await scratch.git("update-index", "--assume-unchanged", "a.txt");
  write(scratch, "a.txt", "unseen\n");
  await giveUp(repo, taken);
  expect(await scratch.git("show", `${RESCUE}^2:new`)).toBe("1");
  expect(await stateOf(scratch)).toEqual(before);
});

test("an index that alone differs is restored, and its bytes are kept", async ({ scratch }) => {
  const before = await stateOf(scratch);
  const { repo, taken } = await begin(scratch);
  write(scratch, "a.txt", "staged, then undone\n");
  await scratch.git("add", "a.txt");
  write(scratch, "a.txt", "one\n");
  expect(await giveUp(repo, taken)).toEqual({ paths: [], rescue: RESCUE, warnings: [] });
  expect(await scratch.git("show", `${RESCUE}^2:a.txt`)).toBe("staged, then undone");
  expect(await stateOf(scratch)).toEqual(before);
});

test("a removed index comes back, and a new one is removed", async ({ scratch }) => {
  write(scratch, "staged", "staged\n");
  await scratch.git("add", "staged");
  const before = await stateOf(scratch);
  const first = await begin(scratch);
  rmSync(join(scratch.top, ".git", "index"));
  await giveUp(first.repo, first.taken);
  expect(await stateOf(scratch)).toEqual(before);
  rmSync(join(scratch.top, ".git", "index"));
  const second = await begin(scratch);
  await scratch.git("add", "-A");
  await giveUp(second.repo, second.taken);
  expect(existsSync(join(scratch.top, ".git", "index"))).toBe(false);
});

test("ignored files stay and an agent's own go if it forces them in or changes ignore rules", async ({
  scratch,
}) => {
  write(scratch, ".gitignore", "*.env\nbuilt/\n");
  await scratch.commitAll("rules");
  write(scratch, "my.env", "SECRET=1\n");
  mkdirSync(join(scratch.top, "built"));
  write(scratch, "built/x", "built\n");
  const before = await stateOf(scratch);
  const { repo, taken } = await begin(scratch);
  await scratch.git("add", "-f", "my.env");
  write(scratch, ".gitignore", "made/\n*.txt\n");
  mkdirSync(join(scratch.top, "made"));
  write(scratch, "made/x", "agent\n");
  write(scratch, "new.txt", "agent\n");
  await giveUp(repo, taken);
  expect(await stateOf(scratch)).toEqual(before);
  expect(await scratch.git("show", `${RESCUE}:made/x`, `${RESCUE}:new.txt`, `${RESCUE}:.gitignore`)).toBe(
    "agent\nagent\nmade/\n*.txt",
  );

  // The same after a kill, when what is tracked must be told anew.
  await scratch.git("update-ref", "-d", RESCUE);
  const again = await begin(scratch);
  await scratch.git("add", "-f", "my.env");
  await removeStaleLocks(again.repo, { since: Infinity });
  await giveUp(again.repo, again.taken);
  expect(await stateOf(scratch)).toEqual(before);
});

test("changes committed meanwhile stay in files and index", async ({ scratch }) => {
  write(scratch, "part", "1\n");
  await scratch.git("add", "part");
  write(scratch, "part", "2\n");
  const { repo, taken } = await begin(scratch);
  write(scratch, "dir/b.txt", "committed\n");
  await scratch.git("commit", "-qm", "person", "--", "dir/b.txt");
  write(scratch, "a.txt", "agent\n");
  await scratch.git("add", "a.txt");
  expect((await giveUp(repo, taken)).paths).toEqual(["a.txt"]);
  expect(readFileSync(join(scratch.top, "dir/b.txt"), "utf8")).toBe("committed\n");
  expect(await scratch.git("status", "--porcelain")).toBe("AM part");
  expect(await scratch.git("show", ":part")).toBe("1");
});

test("a branch that was rewritten between two runs stays, and its old commit is kept", async ({
  scratch,
}) => {
  write(scratch, "later.txt", "later\n");
  const tip = await scratch.commitAll("later");
  const { repo } = await begin(scratch);
  await scratch.git("reset", "-q", "--hard", "HEAD~1");
  const order = { id: "T1", run: "run-2", reuse: true };
  const again = await checkpoint(repo, order);
  expect(again.warnings.join()).toContain(`no branch contains ${tip} any more`);
  expect(await scratch.git("rev-parse", "refs/looper/rescue/run-2/T1-head")).toBe(tip);
  expect((await checkpoint(repo, order)).warnings).toEqual([]);
  await giveUp(repo, again);
  expect(await scratch.git("for-each-ref", "--format=%(refname)", "refs/looper/rescue")).toBe(
    "refs/looper/rescue/run-2/T1-head",
  );
  expect(await scratch.git("status", "--porcelain")).toBe("");
  expect(await listRescues(repo)).toMatchObject([{ why: "commits", task: "T1" }]);
});

test("a change within the same moment as the index is detected after a restore", async ({ scratch }) => {
  write(scratch, "a.txt", "abc\n");
  await scratch.git("add", "a.txt");
  // As long as what is staged, and as old: only its bytes tell.
  write(scratch, "a.txt", "abd\n");
  const before = await stateOf(scratch);
  const { repo, taken } = await begin(scratch);
  await scratch.git("reset", "-q");
  await giveUp(repo, taken);
  expect(await stateOf(scratch)).toEqual(before);
});

test("a split index and one in version 4 are restored", async ({ scratch }) => {
  for (const args of [["--split-index"], ["--index-version", "4", "--no-split-index"]]) {
    await scratch.git("update-index", ...args);
    write(scratch, "part", `${args.join()}\n`);
    await scratch.git("add", "part");
    appendFileSync(join(scratch.top, "part"), "more\n");
    const before = await stateOf(scratch);
    const { repo, taken } = await begin(scratch);
    await mess2(scratch);
    await giveUp(repo, taken);
    expect(await stateOf(scratch)).toEqual(before);
  }
});

async function mess2(scratch: Scratch): Promise<void> {
  write(scratch, "part", "agent\n");
  write(scratch, "new", "agent\n");
  await scratch.git("add", "-A");
  await scratch.git("rm", "-qf", "a.txt");
}

test("a restore waits for an index that another git has locked", async ({ scratch }) => {
  write(scratch, "staged", "x");
  await scratch.git("add", "staged");
  const { repo, taken } = await begin(scratch);
  await scratch.git("reset", "-q");
  const lock = join(scratch.top, ".git", "index.lock");
  write(scratch, ".git/index.lock", "");
  let slept = 0;
  const sleep = (): Promise<void> => {
    slept += 1;
    rmSync(lock);
    return Promise.resolve();
  };
  const clock = { ...scratch.ports.clock, sleep };
  const ports = { ...scratch.ports, clock };
  await giveUp({ ...repo, ports }, taken);
  expect(slept).toBe(1);
  expect(await scratch.git("status", "--porcelain")).toBe("A  staged");
});

test("two checkpoints of one task in the same second differ, so an earlier rescue is not mistaken for a later one", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  const order = { id: "T1", run: "run-1", reuse: false };
  const first = await checkpoint(repo, { ...order, job: 1 });
  write(scratch, "a.txt", "first\n");
  expect((await giveUp(repo, first)).rescue).toBeDefined();
  await checkpoint(repo, { ...order, job: 2 });
  const second = await checkpoint(repo, { ...order, job: 3, reuse: true });
  expect(second.base).not.toBe(first.base);
  expect((await giveUp(repo, second)).rescue).toBeUndefined();
});
