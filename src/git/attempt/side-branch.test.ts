import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint } from "../checkpoint/checkpoint.js";
import { test, type Scratch } from "../testing/scratch.js";
import { snapshot, type Snapshot } from "./snapshot.js";

/** Does this between a checkpoint and its snapshot. */
async function during(scratch: Scratch, agent: () => Promise<unknown>): Promise<Snapshot> {
  const repo = await scratch.open();
  const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  await agent();
  return await snapshot(repo, { checkpoint: taken, run: "run-1", label: "T1-1", policy: "runner" });
}

function write(scratch: Scratch, path: string, content: string): void {
  writeFileSync(join(scratch.top, path), content);
}

const read = (scratch: Scratch, path: string): string => readFileSync(join(scratch.top, path), "utf8");

/** The branch of HEAD, the changed paths, and the verdict on HEAD. */
function result(seen: Snapshot): [unknown, (string | undefined)[], unknown] {
  return [seen.head.branch, seen.changes.map(({ path }) => path), seen.verdict];
}

test("work on a branch that the agent made counts where HEAD stays on it: HEAD goes back, the branch stays", async ({
  scratch,
}) => {
  const start = await scratch.git("rev-parse", "HEAD");
  const seen = await during(scratch, async () => {
    await scratch.git("switch", "-qc", "fix/x");
    write(scratch, "a.txt", "agent\n");
    await scratch.commitAll("fix");
    write(scratch, "more", "uncommitted\n");
  });
  expect(result(seen)).toEqual(["refs/heads/main", ["a.txt", "more"], "put-back"]);
  expect(await scratch.git("rev-parse", "main")).toBe(start);
  expect(await scratch.git("show", "fix/x:a.txt")).toBe("agent");
  expect(await scratch.git("status", "--porcelain")).toBe(" M a.txt\n?? more");
  expect(seen.warnings).toEqual([
    "the agent committed on fix/x, which stays: its work is in the task's commit, and HEAD is back on main; to remove it: git branch -D fix/x",
  ]);
});

test("a new branch without a commit, and a detached HEAD with one, count as well", async ({ scratch }) => {
  const made = await during(scratch, async () => {
    await scratch.git("switch", "-qc", "fix/x");
    write(scratch, "a.txt", "agent\n");
  });
  expect(result(made)).toEqual(["refs/heads/main", ["a.txt"], "put-back"]);
  await scratch.git("checkout", "-q", "--", "a.txt");
  const detached = await during(scratch, async () => {
    await scratch.git("checkout", "-q", "--detach");
    write(scratch, "b", "agent\n");
    await scratch.commitAll("detached");
  });
  expect(result(detached)).toEqual(["refs/heads/main", ["b"], "put-back"]);
});

test("work on a branch counts where the agent went back: its files are in the tree, with what it changed there", async ({
  scratch,
}) => {
  const seen = await during(scratch, async () => {
    await scratch.git("switch", "-qc", "fix/x");
    write(scratch, "a.txt", "agent\n");
    await scratch.commitAll("fix");
    await scratch.git("switch", "-q", "main");
    write(scratch, "after", "back\n");
  });
  expect(result(seen)).toEqual(["refs/heads/main", ["a.txt", "after"], "same"]);
  expect(read(scratch, "a.txt")).toBe("agent\n");
  expect(seen.warnings).toEqual([
    "the agent committed on fix/x, which stays: its work is in the task's commit; to remove it: git branch -D fix/x",
  ]);
});

test("the last of several branches that build on each other has all of the work", async ({ scratch }) => {
  const seen = await during(scratch, async () => {
    for (const name of ["one", "two"]) {
      await scratch.git("switch", "-qc", name);
      write(scratch, name, "agent\n");
      await scratch.commitAll(name);
    }
    await scratch.git("switch", "-q", "main");
  });
  expect(result(seen)).toEqual(["refs/heads/main", ["one", "two"], "same"]);
});

test("work that does not fit what the agent left in the tree is named, and nothing of the tree is changed", async ({
  scratch,
}) => {
  const seen = await during(scratch, async () => {
    await scratch.git("switch", "-qc", "fix/x");
    write(scratch, "a.txt", "agent\n");
    await scratch.commitAll("fix");
    await scratch.git("switch", "-q", "main");
    write(scratch, "a.txt", "other\n");
  });
  expect(read(scratch, "a.txt")).toBe("other\n");
  expect(seen.warnings).toEqual([
    "the agent committed on fix/x, which stays: its work does not fit the tree (a.txt), and the commit has nothing of it; to remove it: git branch -D fix/x",
  ]);
});

test("a branch that a person commits on in another working tree is not work of the attempt", async ({
  scratch,
}) => {
  const beside = `${scratch.top}-beside`;
  const seen = await during(scratch, async () => {
    await scratch.person("worktree", "add", "-q", "-b", "theirs", beside);
    writeFileSync(join(beside, "theirs.txt"), "person\n");
    await scratch.person("-C", beside, "add", "-A");
    await scratch.person("-C", beside, "commit", "-qm", "theirs");
  });
  expect(result(seen)).toEqual(["refs/heads/main", [], "same"]);
});

test("a branch with work of others stays a failure: what is on it is not the attempt's", async ({
  scratch,
}) => {
  await scratch.person("switch", "-qc", "develop");
  write(scratch, "a.txt", "others\n");
  await scratch.person("commit", "-qam", "others");
  await scratch.person("switch", "-q", "main");
  const seen = await during(scratch, async () => {
    await scratch.git("switch", "-q", "develop");
    write(scratch, "b", "agent\n");
    await scratch.commitAll("on develop");
  });
  expect(seen.verdict).toEqual({ moved: "the agent went from main to develop" });
  expect(seen.head.branch).toBe("refs/heads/main");
});

test("a new branch that begins at work of others is not the attempt's, wherever HEAD stands", async ({
  scratch,
}) => {
  await scratch.person("switch", "-qc", "develop");
  write(scratch, "a.txt", "others\n");
  await scratch.person("commit", "-qam", "others");
  await scratch.person("switch", "-q", "main");
  const work = async (): Promise<void> => {
    await scratch.git("switch", "-qC", "fix/x", "develop");
    write(scratch, "b", "agent\n");
    await scratch.commitAll("on top of others");
  };
  const stays = await during(scratch, work);
  expect(stays.verdict).toEqual({ moved: "the agent went from main to fix/x" });
  await scratch.person("reset", "-q", "--hard");
  await scratch.person("clean", "-qfd");
  await scratch.person("branch", "-D", "fix/x");
  const back = await during(scratch, async () => {
    await work();
    await scratch.git("switch", "-q", "main");
  });
  expect(result(back)).toEqual(["refs/heads/main", [], "same"]);
});

const SWITCHES: readonly (readonly [name: string, ...switchTo: readonly string[]])[] = [
  ["ahead", "switch", "-q", "develop"],
  ["ahead, as a detached HEAD", "checkout", "-q", "--detach", "develop"],
  ["ahead, by a tag", "checkout", "-q", "v2"],
];

test.for(SWITCHES.flatMap((one) => [["agent", ...one] as const, ["person", ...one] as const]))(
  "files of a branch that was there before do not count as its work: %s, %s",
  async ([who, , ...switchTo], { scratch }) => {
    const git = who === "agent" ? scratch.git : scratch.person;
    write(scratch, ".gitignore", "ignored\n");
    await scratch.commitAll("rules");
    write(scratch, "ignored", "x\n");
    await scratch.person("switch", "-qc", "develop");
    write(scratch, "a.txt", "others\n");
    write(scratch, "others", "others\n");
    write(scratch, "both", "others\n");
    await scratch.person("rm", "-q", "dir/b.txt", ".gitignore");
    await scratch.person("add", "a.txt", "others", "both");
    await scratch.person("commit", "-qm", "others");
    await scratch.person("tag", "v2");
    await scratch.person("switch", "-q", "main");
    const seen = await during(scratch, async () => {
      await git(...switchTo);
      write(scratch, "agents", "agent\n");
      write(scratch, "both", "others\nagent\n");
    });
    expect(result(seen)).toEqual([
      "refs/heads/main",
      ["agents", "both"],
      { moved: expect.any(String) as string },
    ]);
    expect(await scratch.git("status", "--porcelain")).toBe("?? agents\n?? both");
    expect(seen.warnings.join("\n")).toContain("by the attempt too, and so left as they are: both");
    expect(seen.warnings.join()).not.toContain("removed from main");
    const repo = await scratch.open();
    const again = await checkpoint(repo, { id: "T1", run: "run-1", reuse: true });
    const next = { checkpoint: again, run: "run-1", label: "T1-2", policy: "runner" } as const;
    expect((await snapshot(repo, next)).changes.map(({ path }) => path)).toEqual(["agents", "both"]);
  },
);

test("a commit is called removed only where the old branch had it", async ({ scratch }) => {
  const seen = await during(scratch, async () => {
    await scratch.git("commit", "-q", "--allow-empty", "-m", "on main");
    await scratch.git("switch", "-qC", "fix/x", "HEAD~1");
    await scratch.git("commit", "-q", "--allow-empty", "-m", "on fix/x");
  });
  expect(seen.warnings).toEqual([
    expect.stringContaining("HEAD was on fix/x after the attempt and is back on main; fix/x stays"),
    expect.stringMatching(/^commit \w+ "on main" was removed from main and is kept at \S+-branch;/),
  ]);
});
