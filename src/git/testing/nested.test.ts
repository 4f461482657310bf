// Repositories inside the tree that nothing around them tracks: what an attempt changes in them is named, and an attempt that
// removes one fails.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint, type Checkpoint } from "../checkpoint/checkpoint.js";
import type { Repository } from "../base/repository/repository.js";
import { snapshot } from "../attempt/snapshot.js";
import { restoreTo, type Restored } from "../restore/restore.js";
import { runAs, test, type Scratch } from "./scratch.js";
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

test.for([false, true])(
  "an attempt that removes a repository fails, and the rest is restored (without a commit: %s)",
  async (unborn, { scratch }) => {
    await nest(scratch, "deep/nested", { unborn });
    const repo = await scratch.open();
    const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
    rmSync(join(scratch.top, "deep"), { recursive: true });
    write(scratch, "a.txt", "agent\n");
    const seen = await snapshot(repo, { checkpoint: taken, run: "run-1", label: "T1-1", policy: "runner" });
    expect(seen.verdict).toEqual({
      moved:
        "the repository deep/nested inside the tree was removed or replaced: Looper cannot bring it back",
    });
    const back = await giveUp(repo, taken);
    expect(back.rescue).toBe("refs/looper/rescue/run-1/T1-1");
    expect(await scratch.git("status", "--porcelain", "-uno")).toBe("");
  },
);

test("an attempt that replaces a repository by another or by a file fails, and what it made is kept", async ({
  scratch,
}) => {
  for (const path of ["one", "two"]) await nest(scratch, path);
  const { repo, taken } = await begin(scratch);
  rmSync(join(scratch.top, "one"), { recursive: true });
  write(scratch, "one", "a file\n");
  rmSync(join(scratch.top, "two"), { recursive: true });
  mkdirSync(join(scratch.top, "two"));
  await gitIn(scratch, "two")("init", "-q");
  write(scratch, "two/agent", "agent\n");
  const seen = await snapshot(repo, { checkpoint: taken, run: "run-1", label: "T1-1", policy: "runner" });
  expect(seen.verdict).toEqual({
    moved: "the repository one inside the tree was removed or replaced: Looper cannot bring it back",
  });
  const back = await giveUp(repo, taken);
  expect(await scratch.git("show", `${back.rescue ?? ""}:one`)).toBe("a file");
  expect(readFileSync(join(scratch.top, "two/agent"), "utf8")).toBe("agent\n");
});

test("the warning of a successful task names uncommitted work in an inner repository", async ({
  scratch,
}) => {
  const edited = await nest(scratch, "edited");
  const repo = await scratch.open();
  const seen = await runAttempt(repo, async () => {
    write(scratch, "edited/in.txt", "agent\n");
    mkdirSync(join(scratch.top, "made"));
    await gitIn(scratch, "made")("init", "-q");
  });
  expect(seen.inside).toEqual(["edited", "made"]);
  const told = seen.warnings.join("\n");
  expect(told).toContain("changes inside edited, a repository of its own, are not committed");
  expect(told).toContain("made was made a repository of its own");
  expect(await edited("status", "--porcelain")).toContain(" M in.txt");
});
