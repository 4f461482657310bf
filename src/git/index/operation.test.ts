import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint } from "../checkpoint/checkpoint.js";
import { findOperation } from "./operation.js";
import { test, watchGit, type Scratch } from "../testing/scratch.js";
import { snapshot, type Snapshot } from "../attempt/snapshot.js";
import type { CommitPolicy } from "../restore/settle-head.js";

function write(scratch: Scratch, path: string, content: string): void {
  writeFileSync(join(scratch.top, path), content);
}

/** The branch side changes `a.txt` as main does, and adds `side.txt`. */
async function branches(scratch: Scratch): Promise<void> {
  await scratch.git("switch", "-qc", "side");
  write(scratch, "a.txt", "side\n");
  write(scratch, "side.txt", "side\n");
  await scratch.commitAll("side");
  await scratch.git("switch", "-q", "main");
  write(scratch, "a.txt", "main\n");
  await scratch.commitAll("main");
}

async function told(scratch: Scratch): Promise<string | undefined> {
  const progress = await findOperation(await scratch.open());
  return progress === undefined ? undefined : `${progress.message}: ${progress.hint}`;
}

const BEGUN: [string, string[]][] = [
  ["a merge", ["merge", "side"]],
  ["a rebase", ["rebase", "side"]],
  ["a cherry-pick", ["cherry-pick", "side"]],
  ["a cherry-pick", ["cherry-pick", "--no-commit", "side"]],
  ["a revert", ["revert", "--no-edit", "HEAD~1"]],
];

for (const [name, args] of BEGUN) {
  test(`git ${args.join(" ")}: a run does not start and reports the reason`, async ({ scratch }) => {
    await branches(scratch);
    expect(await told(scratch)).toBeUndefined();
    await expect(scratch.git(...args)).rejects.toThrow();
    if (args.includes("--no-commit")) {
      expect(await told(scratch)).toBe(
        `unresolved conflicts in ${scratch.top}: a.txt: resolve them, then git add each; git status shows them`,
      );
      return;
    }
    const verb = name.slice(2);
    expect(await told(scratch)).toBe(
      `${name} is in progress in ${scratch.top}: finish it, then run again: git ${verb} --continue; or drop it: git ${verb} --abort`,
    );
    await scratch.git(verb, "--abort");
    expect(await told(scratch)).toBeUndefined();
  });
}

test("an operation is detected: a series between two commits, am, bisect", async ({ scratch }) => {
  await branches(scratch);
  await scratch.git("switch", "-qc", "series", "side");
  write(scratch, "more.txt", "more\n");
  await scratch.commitAll("more");
  await scratch.git("switch", "-q", "main");
  await expect(scratch.git("cherry-pick", "side", "series")).rejects.toThrow();
  write(scratch, "a.txt", "both\n");
  await scratch.git("commit", "-qam", "resolved");
  expect(existsSync(join(scratch.top, ".git", "CHERRY_PICK_HEAD"))).toBe(false);
  expect(await told(scratch)).toContain("a cherry-pick");
  await scratch.git("cherry-pick", "--abort");

  await scratch.git("format-patch", "-q", "-1", "side", "-o", join(scratch.top, "..", "mail"));
  await expect(scratch.git("am", "-q", join(scratch.top, "..", "mail", "0001-side.patch"))).rejects.toThrow();
  expect(await told(scratch)).toContain("an am is");
  await scratch.git("am", "--abort");

  await scratch.git("bisect", "start");
  expect(await told(scratch)).toContain("git bisect reset");
  await scratch.git("bisect", "reset");
  expect(await told(scratch)).toBeUndefined();
});

test("a linked worktree has its own operation, detected without a process", async ({ scratch }) => {
  await branches(scratch);
  const linked = join(scratch.top, "..", "linked");
  await scratch.git("worktree", "add", "-q", linked, "-b", "other");
  await expect(scratch.git("-C", linked, "merge", "side")).rejects.toThrow();
  expect(await told(scratch)).toBeUndefined();
  const seen: string[] = [];
  const ports = watchGit(scratch.ports, ([command = ""]) => void seen.push(command));
  const repo = await scratch.open({ projectDir: linked, todoFile: join(linked, "to-do.json") }, ports);
  seen.length = 0;
  expect((await findOperation(repo))?.message).toContain("a merge");
  expect(seen).toEqual([]);
});

async function attempt(
  scratch: Scratch,
  work: string[],
  policy: CommitPolicy = "runner",
): Promise<{ seen: Snapshot; head: string | undefined }> {
  const repo = await scratch.open();
  const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  await scratch.git(...work).catch(() => undefined);
  const seen = await snapshot(repo, { checkpoint: taken, run: "run-1", label: "T1-1", policy });
  return { seen, head: taken.before.commit };
}

const LEFT: [string[], string][] = [
  [["merge", "side"], " M a.txt\n?? side.txt"],
  [["cherry-pick", "side"], " M a.txt\n?? side.txt"],
  // Git says of this one only that there are conflicts: what else it staged is like anything an agent stages.
  [["cherry-pick", "--no-commit", "side"], " M a.txt\nA  side.txt"],
];

for (const [args, status] of LEFT) {
  test(`an agent leaves git ${args.join(" ")} open: it is ended, the bytes stay, conflicts go`, async ({
    scratch,
  }) => {
    await branches(scratch);
    const { seen, head } = await attempt(scratch, args);
    expect(await told(scratch)).toBeUndefined();
    expect(await scratch.git("rev-parse", "main")).toBe(head);
    expect(await scratch.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(seen.verdict).toBe("same");
    expect(seen.changes.map(({ path }) => path)).toEqual(["a.txt", "side.txt"]);
    expect(await scratch.git("status", "--porcelain")).toBe(status);
    expect(readFileSync(join(scratch.top, "a.txt"), "utf8")).toContain("<<<<");
  });
}

test("a merge that waits for its commit is unstaged, and its files stay for the task's commit", async ({
  scratch,
}) => {
  await scratch.git("switch", "-qc", "side");
  write(scratch, "side.txt", "side\n");
  await scratch.commitAll("side");
  await scratch.git("switch", "-q", "main");
  const { seen } = await attempt(scratch, ["merge", "--no-ff", "--no-commit", "side"]);
  expect(seen).toMatchObject({ verdict: "same", warnings: [] });
  expect(seen.changes.map(({ path }) => path)).toEqual(["side.txt"]);
  expect(await scratch.git("status", "--porcelain")).toBe("?? side.txt");
  expect(existsSync(join(scratch.top, ".git", "MERGE_HEAD"))).toBe(false);
});

test("a bisect returns to the branch, and under the policy agent a merge is ended and its commits stay", async ({
  scratch,
}) => {
  await branches(scratch);
  const { seen, head } = await attempt(scratch, ["bisect", "start", "HEAD", "HEAD~1"]);
  expect(seen.changes).toEqual([]);
  expect(await scratch.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
  expect(await scratch.git("rev-parse", "HEAD")).toBe(head);
  expect(await told(scratch)).toBeUndefined();
  await scratch.git("config", "alias.both", "!git commit -q --allow-empty -m agent && git merge side");
  const second = await attempt(scratch, ["both"], "agent");
  expect(second.seen.verdict).toBe("same");
  expect(await scratch.git("log", "-1", "--format=%s")).toBe("agent");
  expect(await told(scratch)).toBeUndefined();
});
