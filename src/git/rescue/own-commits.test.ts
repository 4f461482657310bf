import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint } from "../checkpoint/checkpoint.js";
import { restoreTo } from "../restore/restore.js";
import { test, type Scratch } from "../testing/scratch.js";
import { attempt, changesOf, finish, runAttempt, tryAttempt } from "../testing/scratch-task.js";
import { snapshot } from "../attempt/snapshot.js";

function write(scratch: Scratch, path: string, content: string): void {
  writeFileSync(join(scratch.top, path), content);
}

async function commitByPerson(scratch: Scratch, path: string): Promise<string> {
  write(scratch, path, "person\n");
  await scratch.person("add", path);
  await scratch.person("commit", "-qm", `person: ${path}`);
  return scratch.git("rev-parse", "HEAD");
}

async function commitByAgent(scratch: Scratch, path: string): Promise<string> {
  write(scratch, path, "agent\n");
  await scratch.git("add", path);
  await scratch.git("commit", "-qm", `agent: ${path}`);
  return scratch.git("rev-parse", "HEAD");
}

test("a person's commit during an attempt stays on the branch, below the task's own", async ({ scratch }) => {
  const repo = await scratch.open();
  let theirs = "";
  const prepared = await attempt(repo, async () => {
    write(scratch, "new", "agent\n");
    theirs = await commitByPerson(scratch, "mine.txt");
  });
  const commit = await finish(scratch, repo, prepared);
  expect(await scratch.git("rev-parse", "HEAD", "HEAD^")).toBe(`${commit}\n${theirs}`);
  expect(await changesOf(scratch, commit)).toEqual(["A new", "M to-do.json"]);
  expect(await scratch.git("status", "--porcelain")).toBe("");
  expect(await scratch.git("for-each-ref", "refs/looper")).toBe("");
});

test("of a commit that the person amended, only the one on the branch is named, once", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  let first = "";
  let amended = "";
  const seen = await runAttempt(repo, async () => {
    first = await commitByPerson(scratch, "mine.txt");
    await scratch.person("commit", "-q", "--amend", "-m", "person: better");
    amended = await scratch.git("rev-parse", "HEAD");
  });
  expect(seen.verdict).toBe("same");
  const told = seen.warnings.join("\n");
  expect(told).not.toContain(first.slice(0, 12));
  expect(told.split(amended.slice(0, 12))).toHaveLength(2);
});

test.for<[string, string[], string]>([
  ["amends", ["commit", "-q", "--amend", "-m", "person: other"], "main was rewritten during the attempt"],
  ["switches", ["switch", "-q", "-c", "mine"], "HEAD went from main to mine during the attempt"],
])("a person who %s is not taken for the agent", async ([, words, moved], { scratch }) => {
  const seen = await runAttempt(await scratch.open(), () => scratch.person(...words));
  expect(seen.verdict).toEqual({ moved });
});

test("a person's commits below the agent's stay, and those on top are kept with the agent's and named", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  const commits: string[] = [];
  const seen = await runAttempt(repo, async () => {
    commits.push(await commitByPerson(scratch, "first.txt"));
    commits.push(await commitByAgent(scratch, "work.txt"));
    commits.push(await commitByPerson(scratch, "second.txt"));
  });
  const [first = "", agents = "", second = ""] = commits;
  expect(seen.verdict).toBe("put-back");
  expect(await scratch.git("log", "--format=%s")).toBe("person: first.txt\nbegin");
  expect(await scratch.git("rev-parse", "HEAD")).toBe(first);
  expect(await scratch.git("ls-tree", "--name-only", "HEAD")).not.toContain("work.txt");
  expect(await scratch.git("rev-parse", "refs/looper/rescue/run-1/T1-1")).toBe(second);
  expect(await scratch.git("status", "--porcelain")).toBe("?? second.txt\n?? work.txt");
  const told = seen.warnings.join("\n");
  expect(told).toContain(`commit ${first.slice(0, 12)} "person: first.txt"`);
  expect(told).toContain(`git cherry-pick ${second.slice(0, 12)}`);
  expect(told).toContain(`git cherry-pick ${agents.slice(0, 12)}`);
});

test("a person's commit on top of the agent's stays out of the task's commit, but for lines of both", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  let lost = "";
  const prepared = await attempt(repo, async () => {
    await commitByAgent(scratch, "a.txt");
    await commitByPerson(scratch, "mine.txt");
    write(scratch, "a.txt", "agent and person\n");
    await scratch.person("commit", "-q", "--amend", "-m", "person: both", "a.txt", "mine.txt");
    lost = await scratch.git("rev-parse", "HEAD");
  });
  const commit = await finish(scratch, repo, prepared);
  expect(await changesOf(scratch, commit)).toEqual(["M a.txt", "M to-do.json"]);
  expect(await scratch.git("rev-parse", "refs/looper/rescue/run-1/T1-1")).toBe(lost);
  expect(readFileSync(join(scratch.top, "mine.txt"), "utf8")).toBe("person\n");
  expect(await scratch.git("status", "--porcelain")).toBe("?? mine.txt");
});

test("an abandoned task removes no part of a person's commit", async ({ scratch }) => {
  const repo = await scratch.open();
  const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  write(scratch, "half", "agent\n");
  const theirs = await commitByPerson(scratch, "mine.txt");
  const order = { checkpoint: taken, run: "run-1", label: "T1-1" };
  expect((await snapshot(repo, { ...order, policy: "runner" })).verdict).toBe("same");
  expect((await restoreTo(repo, order)).paths).toEqual(["half"]);
  expect(await scratch.git("rev-parse", "HEAD")).toBe(theirs);
  expect(await scratch.git("status", "--porcelain")).toBe("");
});

test("an attempt that changed nothing beside a person's commit makes no commit", async ({ scratch }) => {
  await scratch.git("rm", "-q", "--cached", "to-do.json");
  write(scratch, ".gitignore", "to-do.json\n");
  await scratch.commitAll("ignored");
  const repo = await scratch.open();
  expect(await tryAttempt(repo, () => commitByPerson(scratch, "mine.txt"))).toBe("nothing");
});

test("without a reflog all commits of an attempt are removed from the branch, kept and named", async ({
  scratch,
}) => {
  await scratch.git("config", "core.logAllRefUpdates", "false");
  await scratch.git("reflog", "expire", "--expire=now", "--all");
  const repo = await scratch.open();
  let theirs = "";
  const seen = await runAttempt(repo, async () => {
    theirs = await commitByPerson(scratch, "mine.txt");
  });
  expect(seen.verdict).toBe("put-back");
  expect(await scratch.git("rev-parse", "refs/looper/rescue/run-1/T1-1")).toBe(theirs);
  expect(seen.warnings.join()).toContain(
    `commit ${theirs.slice(0, 12)} "person: mine.txt" was removed from main and is kept at refs/looper/rescue/run-1/T1-1; get it back: git cherry-pick ${theirs.slice(0, 12)}`,
  );
});
