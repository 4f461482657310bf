import { asResult } from "../base/git.js";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { prepareCommit, dropPending, readPending, publish } from "./commit.js";
import { attemptRef } from "../base/names.js";
import { test, watchGit, type Scratch } from "../testing/scratch.js";
import { attempt, changesOf, DONE, FACTS, finish, MESSAGE, runAttempt } from "../testing/scratch-task.js";

function write(scratch: Scratch, path: string, content: string): void {
  writeFileSync(join(scratch.top, path), content);
}

test("a commit is rebuilt on top if HEAD moved meanwhile, and both are kept", async ({ scratch }) => {
  const repo = await scratch.open();
  const prepared = await attempt(repo, () => {
    write(scratch, "new", "agent\n");
  });
  write(scratch, "a.txt", "person\n");
  await scratch.git("commit", "-qm", "person", "--", "a.txt");
  const person = await scratch.git("rev-parse", "HEAD");
  const commit = await finish(scratch, repo, prepared);
  expect(await scratch.git("rev-parse", "HEAD", "HEAD^")).toBe(`${commit}\n${person}`);
  expect(await changesOf(scratch, commit)).toEqual(["A new", "M to-do.json"]);
  expect(await scratch.git("log", "-1", "--format=%B")).toBe(MESSAGE);
  expect(await scratch.git("status", "--porcelain")).toBe("");
  expect(await scratch.git("for-each-ref", "refs/looper")).toBe("");
});

test("a commit fails after five rebuilds if HEAD moves every time", async ({ scratch }) => {
  let moves = 0;
  const ports = watchGit(scratch.ports, async ([command, ...rest]) => {
    if (command !== "update-ref" || !rest.includes("--stdin")) return;
    await scratch.git("commit", "-q", "--allow-empty", "-m", `person ${String(++moves)}`);
  });
  const repo = await scratch.open({}, ports);
  const prepared = await attempt(repo, () => {
    write(scratch, "new", "agent\n");
  });
  const result = await asResult(() => publish(repo, prepared));
  expect(result).toMatchObject({ ok: false, error: { command: "git update-ref" } });
  expect(moves).toBe(6);
  expect(await scratch.git("log", "--format=%s")).not.toContain("Do T1");
});

test("a locked index is waited for, and causes a warning if it stays locked", async ({ scratch }) => {
  let slept = 0;
  const lock = join(scratch.top, ".git", "index.lock");
  const { clock } = scratch.ports;
  const ports = {
    ...scratch.ports,
    clock: {
      ...clock,
      monotonic: () => slept,
      sleep: (ms: number) => {
        slept += ms;
        if (slept > 1000 && slept < 2000) rmSync(lock, { force: true });
        return Promise.resolve();
      },
    },
  };
  const repo = await scratch.open({}, ports);
  const released = await attempt(repo, () => {
    write(scratch, "new", "1");
  });
  write(scratch, ".git/index.lock", "");
  await finish(scratch, repo, released);
  expect(await scratch.git("status", "--porcelain")).toBe("");
  expect(slept).toBeGreaterThan(1000);

  slept = 10_000;
  const held = await attempt(repo, () => {
    write(scratch, "new", "2");
  });
  write(scratch, ".git/index.lock", "");
  const { warnings, commit } = await publish(repo, held);
  expect(warnings).toEqual([expect.stringContaining("index.lock")]);
  expect(await scratch.git("rev-parse", "HEAD")).toBe(commit);
  expect(slept).toBeGreaterThanOrEqual(15_000);
});

test("a disk that is full when the index is written leaves HEAD, and the next start updates both", async ({
  scratch,
}) => {
  let full = true;
  const { processes } = scratch.ports;
  const stderr = "fatal: unable to write new_index file: No space left on device\n";
  const failed = {
    end: { how: "exited" as const, code: 128 },
    stdout: new Uint8Array(),
    stderr,
    timedOut: false,
  };
  const run: typeof processes.run = (spec, options) =>
    full && spec.args.includes("update-index") ? Promise.resolve(failed) : processes.run(spec, options);
  const ports = { ...scratch.ports, processes: { ...processes, run } };
  const repo = await scratch.open({}, ports);
  const before = await scratch.git("rev-parse", "HEAD");
  const prepared = await attempt(repo, () => {
    write(scratch, "new", "agent\n");
  });
  await scratch.ports.files.writeAtomic(join(scratch.top, "to-do.json"), DONE);
  expect(await asResult(() => publish(repo, prepared))).toMatchObject({ ok: false });
  expect(await scratch.git("rev-parse", "HEAD")).toBe(before);
  full = false;
  const pending = await readPending(repo);
  if (pending === undefined) throw new Error("the commit is forgotten");
  await publish(repo, pending);
  expect(await scratch.git("log", "-1", "--format=%s")).toBe("Do T1");
  expect(await scratch.git("status", "--porcelain")).toBe("");
});

test("a kill before any git process of the protocol leads to exactly one commit at the next start", async ({
  scratch,
}) => {
  const { git } = scratch;
  write(scratch, "theirs", "person\n");
  await git("add", "theirs");
  const start = await git("rev-parse", "HEAD");
  const kinds = new Set<string>();
  for (let crashAt = 1; crashAt <= 16; crashAt++) {
    await git("reset", "-q", "--soft", start);
    await git("read-tree", "HEAD");
    await git("checkout-index", "-qfa");
    await git("add", "theirs");
    rmSync(join(scratch.top, "new"), { force: true });

    let at = 0;
    const dying = watchGit(scratch.ports, () => {
      if (++at === crashAt) throw new Error("SIGKILL");
    });
    try {
      const repo = await scratch.open({}, dying);
      at = 0;
      const prepared = await attempt(repo, () => {
        write(scratch, "new", "agent\n");
      });
      await finish(scratch, repo, prepared);
    } catch (error) {
      if (!(error instanceof Error && error.message === "SIGKILL")) throw error;
    }
    kinds.add(await recoverAndFinish(scratch));

    expect(await git("rev-list", "--count", `${start}..HEAD`)).toBe("1");
    expect(await changesOf(scratch, "HEAD")).toEqual(["A new", "M to-do.json"]);
    expect(await git("status", "--porcelain")).toBe("A  theirs");
    expect(await git("for-each-ref", "refs/looper")).toBe("");
    expect(readFileSync(join(scratch.top, "to-do.json"), "utf8")).toBe(DONE);
  }
  expect([...kinds].sort()).toEqual(["again", "done", "pending"]);
});

/** Starts a run: finishes the pending commit; without one, repeats the task unless it is done in the backlog. */
async function recoverAndFinish(scratch: Scratch): Promise<string> {
  const repo = await scratch.open();
  const pending = await readPending(repo);
  if (pending !== undefined) {
    expect(pending).toMatchObject({
      run: "run-1",
      taskId: "T1",
      facts: FACTS,
      message: MESSAGE,
      published: false,
    });
    await finish(scratch, repo, pending);
    return "pending";
  }
  if (readFileSync(join(scratch.top, "to-do.json"), "utf8") === DONE) return "done";
  await finish(
    scratch,
    repo,
    await attempt(repo, () => {
      write(scratch, "new", "agent\n");
    }),
  );
  return "again";
}

test("a kill between moving HEAD and deleting the pending ref does not lead to a second commit", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  const prepared = await attempt(repo, () => {
    write(scratch, "new", "agent\n");
  });
  const pendingTip = await scratch.git("rev-parse", "refs/looper/pending/main");
  const commit = await finish(scratch, repo, prepared);
  write(scratch, "new", "person, later\n");
  await scratch.commitAll("person, later");
  const head = await scratch.git("rev-parse", "HEAD");
  await scratch.git("update-ref", "refs/looper/pending/main", pendingTip);
  const pending = await readPending(await scratch.open());
  expect(pending).toMatchObject({ commit, published: true, facts: FACTS });
  if (pending === undefined) throw new Error("no pending");
  expect((await publish(repo, pending)).commit).toBe(commit);
  expect(await scratch.git("status", "--porcelain")).toBe("");
  expect(await scratch.git("rev-parse", "HEAD")).toBe(head);
  expect(await scratch.git("for-each-ref", "refs/looper")).toBe("");
});

test("a pending commit is found with a person's commits on top of its parent, and deleted on request", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  await attempt(repo, () => {
    write(scratch, "new", "agent\n");
  });
  await scratch.git("commit", "-q", "--allow-empty", "-m", "person");
  const pending = await readPending(await scratch.open());
  if (pending === undefined) throw new Error("no pending");
  await finish(scratch, repo, pending);
  expect(await scratch.git("log", "--format=%s")).toBe("Do T1\nperson\nbegin");
  expect(await readPending(repo)).toBeUndefined();

  await scratch.git("update-ref", "refs/looper/pending/main", "HEAD");
  expect(await readPending(repo)).toMatchObject({ taskId: undefined, facts: undefined });
  await dropPending(repo);
  await dropPending(repo);
  expect(await scratch.git("for-each-ref", "refs/looper")).toBe("");
});

test("the commit of an attempt is recorded under the attempt's name, even if a later run finishes it", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  const ref = attemptRef("run-1", "T1", 2);
  const seen = await runAttempt(repo, () => {
    write(scratch, "new", "agent\n");
  });
  const facts = { taskId: "T1", attempt: 2, run: "run-1", message: MESSAGE, facts: FACTS };
  await prepareCommit(repo, { ...facts, snapshot: seen, backlog: Buffer.from(DONE) });
  const found = await readPending(repo);
  if (found === undefined) throw new Error("nothing is pending");
  const commit = await finish(scratch, repo, found);
  expect(await scratch.git("rev-parse", ref)).toBe(commit);
  await scratch.git("update-ref", "-d", ref);
  // Killed after HEAD moved: only the refs are left to be done.
  await publish(repo, { ...found, published: true });
  expect(await scratch.git("rev-parse", ref)).toBe(commit);
});
