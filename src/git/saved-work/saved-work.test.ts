import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { snapshot } from "../attempt/snapshot.js";
import type { Repository } from "../base/repository/repository.js";
import { checkpoint, type Checkpoint } from "../checkpoint/checkpoint.js";
import { findRescues } from "../rescue/rescue.js";
import { test, watchGit, type Scratch } from "../testing/scratch.js";
import { applyWork, discardStage } from "./apply.js";
import { reviveWork, saveWork, showWork, dropWork, listWorks, readWork } from "./work-ref.js";
import { finishShelving, shelveWork } from "./shelve.js";

const ORDER = { task: "T1", run: "run-1", label: "T1-work" };

function write(top: string, path: string, content: string): void {
  writeFileSync(join(top, path), content);
}

async function begin(repo: Repository): Promise<Checkpoint> {
  return checkpoint(repo, { id: "T1", run: "run-1", reuse: true });
}

async function save(repo: Repository, made: Checkpoint, stage: string, visit: number): Promise<string> {
  const order = { checkpoint: made, run: "run-1", label: "T1-1", policy: "runner" as const };
  const { changes } = await snapshot(repo, order);
  const { tip } = await saveWork(repo, {
    task: "T1",
    run: "run-1",
    stage,
    visit,
    checkpoint: made,
    changes,
  });
  return tip;
}

/** A tree with every kind of change, on a person's uncommitted one. */
function work(top: string): void {
  write(top, "a.txt", "one\nmore\n");
  write(top, "new file", "new\n");
  write(top, "run.sh", "#!/bin/sh\n");
  chmodSync(join(top, "run.sh"), 0o755);
  symlinkSync("a.txt", join(top, "link"));
  rmSync(join(top, "dir"), { recursive: true });
  write(top, "dir", "a file now");
}

function look(top: string): Record<string, unknown> {
  return {
    a: readFileSync(join(top, "a.txt"), "utf8"),
    fresh: existsSync(join(top, "new file")),
    mode: existsSync(join(top, "run.sh")) && (lstatSync(join(top, "run.sh")).mode & 0o777).toString(8),
    link: existsSync(join(top, "link")) && readlinkSync(join(top, "link")),
    dir: lstatSync(join(top, "dir")).isFile(),
    mine: existsSync(join(top, "mine")) && readFileSync(join(top, "mine"), "utf8"),
  };
}

test("work that is shelved and applied again is the same tree, and neither touches the person's changes", async ({
  scratch,
}) => {
  const { top, git } = scratch;
  const repo = await scratch.open();
  write(top, "mine", "uncommitted\n");
  await git("add", "mine");
  const before = [look(top), await git("status", "--porcelain")];
  const made = await begin(repo);
  work(top);
  const done = look(top);
  const status = await git("status", "--porcelain");
  await save(repo, made, "implement", 1);
  const shelved = await shelveWork(repo, made, ORDER);
  expect(shelved).toEqual({ paths: [], warnings: [] });
  expect([look(top), await git("status", "--porcelain")]).toEqual(before);
  expect(await findRescues(repo)).toEqual([]);
  expect(await git("for-each-ref", "--format=%(refname)", "refs/looper")).toBe("refs/looper/work/T1");
  const again = await begin(repo);
  expect(again.reused).toBe(false);
  expect(await applyWork(repo, "T1", again)).toMatchObject({ how: "applied", modules: [] });
  expect([look(top), await git("status", "--porcelain")]).toEqual([done, status]);
  expect(await applyWork(repo, "T1", again)).toMatchObject({ how: "held" });
  expect(await applyWork(repo, "T2", again)).toEqual({ how: "none" });
});

test("each visit has its own changes as a commit, and a repeated visit replaces what it saved", async ({
  scratch,
}) => {
  const { top, git } = scratch;
  const repo = await scratch.open();
  const made = await begin(repo);
  write(top, "x", "1\n");
  await save(repo, made, "implement", 1);
  write(top, "y", "half\n");
  await save(repo, made, "implement", 3);
  write(top, "y", "whole\n");
  rmSync(join(top, "x"));
  const tip = await save(repo, made, "implement", 3);
  const known = await readWork(repo, "T1");
  expect(known?.tip).toBe(tip);
  expect(known?.visits.map(({ facts }) => facts.visit)).toEqual([1, 3]);
  expect(await git("diff", "--name-status", "refs/looper/work/T1^", "refs/looper/work/T1")).toBe(
    "D\tx\nA\ty",
  );
  expect(await git("show", "refs/looper/work/T1:y")).toBe("whole");
  expect((await listWorks(repo)).map(({ task }) => task)).toEqual(["T1"]);
});

test("work is applied three-way where the branch has moved, and stays one commit a visit", async ({
  scratch,
}) => {
  const { top, git } = scratch;
  write(top, "long", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  await scratch.commitAll("long");
  const repo = await scratch.open();
  const made = await begin(repo);
  write(top, "long", "ONE\n2\n3\n4\n5\n6\n7\n8\n9\n");
  await save(repo, made, "red", 1);
  write(top, "x", "x\n");
  await save(repo, made, "green", 2);
  await shelveWork(repo, made, ORDER);
  write(top, "long", "1\n2\n3\n4\n5\n6\n7\n8\nNINE\n");
  const moved = await scratch.commitAll("moved");
  const again = await begin(repo);
  expect(await applyWork(repo, "T1", again)).toMatchObject({ how: "applied", paths: ["long", "x"] });
  expect(readFileSync(join(top, "long"), "utf8")).toBe("ONE\n2\n3\n4\n5\n6\n7\n8\nNINE\n");
  const known = await readWork(repo, "T1");
  expect(known).toMatchObject({ base: again.base, head: moved });
  expect(known?.visits.map(({ facts }) => [facts.stage, facts.visit])).toEqual([
    ["red", 1],
    ["green", 2],
  ]);
  expect(await git("diff", "--name-only", "refs/looper/work/T1^", "refs/looper/work/T1")).toBe("x");
});

test("work that conflicts with the branch is not applied at all, and names the paths", async ({
  scratch,
}) => {
  const { top, git } = scratch;
  const repo = await scratch.open();
  const made = await begin(repo);
  write(top, "a.txt", "agent\n");
  write(top, "x", "x\n");
  const tip = await save(repo, made, "implement", 1);
  await shelveWork(repo, made, ORDER);
  write(top, "a.txt", "person\n");
  await scratch.commitAll("moved");
  const again = await begin(repo);
  const applied = await applyWork(repo, "T1", again);
  expect(applied).toEqual({ how: "conflicts", clashes: [{ path: "a.txt", why: "differs" }] });
  expect(await git("status", "--porcelain")).toBe("");
  expect(await git("rev-parse", "refs/looper/work/T1")).toBe(tip);
});

test("a change after the work was saved is a rescue once it is shelved", async ({ scratch }) => {
  const { top, git } = scratch;
  const repo = await scratch.open();
  const made = await begin(repo);
  write(top, "x", "x\n");
  await save(repo, made, "implement", 1);
  write(top, "y", "a person's\n");
  const shelved = await shelveWork(repo, made, ORDER);
  expect(shelved).toMatchObject({ paths: ["y"], rescue: "refs/looper/rescue/run-1/T1-work" });
  expect(await git("show", "refs/looper/rescue/run-1/T1-work:y")).toBe("a person's");
});

test("the latest commits of one stage are dropped once, and later changes stay", async ({ scratch }) => {
  const { top, git } = scratch;
  const repo = await scratch.open();
  const made = await begin(repo);
  write(top, "x", "x\n");
  await save(repo, made, "create", 1);
  write(top, "y", "y\n");
  await save(repo, made, "modify", 3);
  write(top, "z", "z\n");
  await save(repo, made, "polish", 5);
  const order = { task: "T1", run: "run-1", stage: "modify", by: { stage: "modify", visit: 6 } };
  expect(await discardStage(repo, order)).toMatchObject({ how: "discarded" });
  expect(await discardStage(repo, order)).toEqual({ how: "nothing" });
  const names = await git("diff", "--name-only", made.base, "refs/looper/work/T1");
  expect(names).toBe("to-do.json\nx\nz".replace("to-do.json\n", ""));
  expect((await findRescues(repo)).map(({ label }) => label)).toEqual(["T1-modify"]);
});

test("work without a ref comes back from the commit that the row names", async ({ scratch }) => {
  const { top, git } = scratch;
  const repo = await scratch.open();
  const made = await begin(repo);
  write(top, "x", "x\n");
  const tip = await save(repo, made, "implement", 1);
  await dropWork(repo, "T1");
  expect(await git("for-each-ref", "refs/looper")).toBe("");
  expect(await reviveWork(repo, "T1", "1".repeat(40))).toBe(false);
  expect(await reviveWork(repo, "T1", tip)).toBe(true);
  expect((await readWork(repo, "T1"))?.tip).toBe(tip);
});

/** Kills before the n-th git process until nothing is left to kill; `once` is what each start does. */
async function killEverywhere(scratch: Scratch, once: (repo: Repository) => Promise<void>): Promise<number> {
  for (let kills = 0; ; kills++) {
    let left = kills;
    const ports = watchGit(scratch.ports, () => {
      if (left-- === 0) throw new Error("killed");
    });
    try {
      await once(await scratch.open({}, ports));
      return kills;
    } catch (error) {
      if (!(error instanceof Error && error.message === "killed")) throw error;
    }
  }
}

test("a kill before any git process of shelving or applying leaves nothing to a person", async ({
  scratch,
}) => {
  const { top, git } = scratch;
  const first = await scratch.open();
  const before = look(top);
  const made = await begin(first);
  mkdirSync(join(top, "deep/er"), { recursive: true });
  write(top, "deep/er/x", "x\n");
  work(top);
  const done = look(top);
  await save(first, made, "implement", 1);
  const shelving = await killEverywhere(scratch, async (repo) => {
    if ((await finishShelving(repo, ORDER)) !== undefined) return;
    if ((await git("for-each-ref", "refs/looper/checkpoint")) !== "")
      await shelveWork(repo, await begin(repo), ORDER);
  });
  expect(shelving).toBeGreaterThan(5);
  expect(look(top)).toEqual(before);
  expect(await git("for-each-ref", "--format=%(refname)", "refs/looper")).toBe("refs/looper/work/T1");
  const applying = await killEverywhere(scratch, async (repo) => {
    await applyWork(repo, "T1", await begin(repo));
  });
  expect(applying).toBeGreaterThan(5);
  expect(look(top)).toEqual(done);
  expect((await readWork(first, "T1"))?.base).toBe((await begin(first)).base);
});

test("saved work is read by two git processes, and as long as nothing is saved by one", async ({
  scratch,
}) => {
  const seen: string[] = [];
  const repo = await scratch.open(
    {},
    watchGit(scratch.ports, ([command = ""]) => void seen.push(command)),
  );
  const made = await begin(repo);
  write(scratch.top, "x", "1\n");
  await save(repo, made, "implement", 1);
  seen.length = 0;
  const first = await readWork(repo, "T1");
  expect(seen).toEqual(["for-each-ref"]);
  // The work in memory is the work that another process reads in the repository.
  const other = await scratch.open();
  expect(await readWork(other, "T1")).toEqual(first);
  seen.length = 0;
  await save(other, made, "review", 2);
  expect((await readWork(repo, "T1"))?.visits).toHaveLength(2);
  expect(seen).toEqual(["for-each-ref", "log"]);
  write(scratch.top, "y", "2\n");
  const tip = await save(repo, made, "implement", 3);
  expect((await readWork(repo, "T1"))?.tip).toBe(tip);
});

test("saved work is shown as git shows its summary and its patch, by one process", async ({ scratch }) => {
  const seen: string[] = [];
  const repo = await scratch.open(
    {},
    watchGit(scratch.ports, ([command = ""]) => void seen.push(command)),
  );
  const made = await begin(repo);
  work(scratch.top);
  write(scratch.top, "text", "one\n\ndiff --git a b\n");
  const tip = await save(repo, made, "implement", 1);
  seen.length = 0;
  const shown = await showWork(repo, { tip, base: made.base });
  expect(seen).toEqual(["diff"]);
  const range = [made.base, tip, "--", ".", ":(exclude)to-do.json"];
  const flags = ["--stat=120,100,200", "--patch"];
  expect(shown.diff.trimEnd()).toBe(await scratch.git("diff", ...flags, ...range));
  expect(await showWork(repo, { tip, base: tip })).toMatchObject({ diff: "" });
});
