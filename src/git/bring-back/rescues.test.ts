import { asResult } from "../base/git.js";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  restoreRescue,
  type BroughtBack,
  dropRescue,
  listRescues,
  showRescue,
  type Rescue,
} from "./bring-back.js";
import { checkpoint, type Checkpoint } from "../checkpoint/checkpoint.js";
import type { Repository } from "../base/repository/repository.js";
import { restoreTo } from "../restore/restore.js";
import { test, type Scratch } from "../testing/scratch.js";
import { stateOf } from "../testing/scratch-state.js";
import { snapshot } from "../attempt/snapshot.js";

const ORDER = { run: "2026-01-02_03-04-05", label: "T1-1" };

function write(scratch: Scratch, path: string, content: string): void {
  writeFileSync(join(scratch.top, path), content);
}

function read(scratch: Scratch, path: string): string {
  return readFileSync(join(scratch.top, path), "utf8");
}

async function begin(scratch: Scratch, id = "T1"): Promise<{ repo: Repository; taken: Checkpoint }> {
  const repo = await scratch.open();
  return { repo, taken: await checkpoint(repo, { id, run: ORDER.run, reuse: false }) };
}

/** Gives a task up after some work; answers with its rescue. */
async function rescued(scratch: Scratch, work: () => unknown): Promise<{ repo: Repository; rescue: Rescue }> {
  const { repo, taken } = await begin(scratch);
  await work();
  await restoreTo(repo, { ...ORDER, checkpoint: taken });
  const [rescue] = await listRescues(repo);
  if (rescue === undefined) throw new Error("no rescue");
  return { repo, rescue };
}

async function bring(rescue: Rescue): Promise<BroughtBack> {
  return await restoreRescue(rescue);
}

test("rescues are listed newest first, each with its kind, task and content", async ({ scratch }) => {
  const { repo } = await rescued(scratch, async () => {
    write(scratch, "staged", "only staged\n");
    await scratch.git("add", "staged");
    rmSync(join(scratch.top, "staged"));
    write(scratch, "a.txt", "agent\n");
  });
  await scratch.git("update-ref", "-d", "refs/looper/checkpoint/main/T1");
  write(scratch, "a.txt", "person\n");
  const { taken } = await begin(scratch, "T 2".replace(" ", ""));
  write(scratch, "a.txt", "both\n");
  for (const name of ["x", "y"]) {
    write(scratch, name, "agent\n");
    await scratch.git("add", name);
    await scratch.git("commit", "-qm", name);
  }
  await snapshot(repo, { checkpoint: taken, run: ORDER.run, label: "T2-1", policy: "runner" });
  const review = await begin(scratch, "the review");
  write(scratch, "new", "review\n");
  await restoreTo(repo, { run: ORDER.run, label: "review-3", checkpoint: review.taken });
  const listed = await listRescues(repo);
  const told = listed.map(({ id, why, task, changes, staged }) => [
    id.replace(ORDER.run, "R"),
    why,
    task,
    changes.map(({ path }) => path),
    staged.map(({ path }) => path),
  ]);
  expect(told.sort()).toEqual([
    ["R/T1-1", "given-up", "T1", ["a.txt"], ["staged"]],
    ["R/T2-1", "commits", "T2", ["x", "y"], []],
    ["R/T2-1-before", "before", "T2", ["a.txt"], []],
    ["R/review-3", "review", undefined, ["new"], []],
  ]);
  const times = listed.map(({ at }) => at);
  expect(times).toEqual([...times].sort((a, b) => b - a));
  const shown = await showRescue(listed.find(({ why }) => why === "given-up") ?? listed[0] ?? fail());
  expect(shown).toMatch(/ a\.txt \| 2 \+-[^]*-one\n\+agent\n[^]*Only in the index[^]*\+only staged\n/);
});

function fail(): never {
  throw new Error("no rescue");
}

test("paths of any kind in a rescue can be read back", async ({ scratch }) => {
  const { repo, taken } = await begin(scratch, "ä/ö.lock");
  write(scratch, "a.txt", "agent\n");
  await restoreTo(repo, { run: `r${"x".repeat(300)}`, label: "ä/ö.lock-1", checkpoint: taken });
  expect((await listRescues(repo))[0]).toMatchObject({
    id: `r${"x".repeat(300)}/ä/ö.lock-1`,
    task: "ä/ö.lock",
    label: "ä/ö.lock-1",
  });
});

test("dropping removes only this rescue, and only if it is unchanged", async ({ scratch }) => {
  const { rescue } = await rescued(scratch, () => {
    write(scratch, "a.txt", "agent\n");
  });
  await scratch.git("update-ref", `${rescue.ref}-2`, rescue.commit);
  expect(await asResult(() => dropRescue({ ...rescue, commit: "1".repeat(40) }))).toMatchObject({
    ok: false,
  });
  await dropRescue(rescue);
  expect((await listRescues(rescue.repo)).map(({ id }) => id)).toEqual([`${rescue.id}-2`]);
  expect(await scratch.git("cat-file", "-t", rescue.commit)).toBe("commit");
});

test("a rescue comes back uncommitted as the task left it, and the index stays", async ({ scratch }) => {
  const { top, git } = scratch;
  write(scratch, "run.sh", "#!/bin/sh\n");
  symlinkSync("a.txt", join(top, "link"));
  await scratch.commitAll("more");
  write(scratch, "mine", "person\n");
  await git("add", "mine");
  const { rescue } = await rescued(scratch, () => {
    write(scratch, "a.txt", "agent\n");
    chmodSync(join(top, "run.sh"), 0o755);
    rmSync(join(top, "link"));
    symlinkSync("nowhere", join(top, "link"));
    rmSync(join(top, "dir"), { recursive: true });
    write(scratch, "dir", "a file now\n");
    mkdirSync(join(top, "made"));
    write(scratch, "made/ü\n", "");
  });
  const index = await git("ls-files", "-s");
  const { files } = await stateOf(scratch);
  expect(files.some((line) => line.startsWith("made"))).toBe(false);
  expect(await bring(rescue)).toMatchObject({ already: [], left: [] });
  expect(await git("ls-files", "-s")).toBe(index);
  expect([read(scratch, "a.txt"), read(scratch, "dir"), read(scratch, "made/ü\n")]).toEqual([
    "agent\n",
    "a file now\n",
    "",
  ]);
  expect(statSync(join(top, "run.sh")).mode & 0o111).toBe(0o111);
  expect(existsSync(join(top, ".git", "looper", "index"))).toBe(false);
  // Twice changes nothing.
  const after = await stateOf(scratch);
  const again = await bring(rescue);
  expect(again).toMatchObject({ restored: [] });
  expect("already" in again ? again.already.length : 0).toBe(rescue.changes.length);
  expect(await stateOf(scratch)).toEqual(after);
});

test("a rescue merges with changes in other lines of a file, and does nothing if the same lines changed", async ({
  scratch,
}) => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${String(at)}\n`);
  write(scratch, "long.txt", lines.join(""));
  await scratch.commitAll("long");
  const { rescue } = await rescued(scratch, () => {
    write(scratch, "long.txt", lines.with(1, "agent\n").join(""));
    write(scratch, "new", "agent\n");
  });
  write(scratch, "long.txt", lines.with(1, "person\n").join(""));
  const before = await stateOf(scratch);
  expect(await bring(rescue)).toEqual({ clashes: [{ path: "long.txt", why: "differs" }] });
  expect(await stateOf(scratch)).toEqual(before);
  write(scratch, "long.txt", lines.with(18, "person\n").join(""));
  expect(await bring(rescue)).toMatchObject({ restored: ["long.txt", "new"] });
  expect(read(scratch, "long.txt")).toBe(lines.with(1, "agent\n").with(18, "person\n").join(""));
});

test("a refused rescue names the paths in its way: changed or ignored files, folders, files in a folder's place", async ({
  scratch,
}) => {
  const { top } = scratch;
  write(scratch, "bin", "a\0b");
  await scratch.commitAll("binary");
  const { rescue } = await rescued(scratch, () => {
    write(scratch, "a.txt", "agent\n");
    write(scratch, "bin", "a\0agent");
    write(scratch, "file", "agent\n");
    write(scratch, "x.env", "agent\n");
    mkdirSync(join(top, "folder", "deep"), { recursive: true });
    write(scratch, "folder/deep/x", "agent\n");
    mkdirSync(join(top, "dim"));
    write(scratch, "dim/x", "agent\n");
  });
  write(scratch, "bin", "a\0person");
  mkdirSync(join(top, "file"));
  write(scratch, "file/x", "person\n");
  write(scratch, "folder", "person\n");
  write(scratch, ".gitignore", "*.env\ndim\n");
  write(scratch, "x.env", "SECRET=1\n");
  write(scratch, "dim", "ignored\n");
  const before = await stateOf(scratch);
  const back = await bring(rescue);
  expect("clashes" in back ? [...back.clashes].sort((a, b) => (a.path < b.path ? -1 : 1)) : []).toEqual([
    { path: "bin", why: "differs" },
    { path: "dim/x", why: "ignored" },
    { path: "file", why: "folder" },
    { path: "folder/deep/x", why: "folder" },
    { path: "x.env", why: "ignored" },
  ]);
  expect(await stateOf(scratch)).toEqual(before);
});

test("a file that is not there any more comes back whole: nothing is overwritten", async ({ scratch }) => {
  const { rescue } = await rescued(scratch, () => {
    write(scratch, "a.txt", "agent\n");
  });
  rmSync(join(scratch.top, "a.txt"));
  expect(await bring(rescue)).toMatchObject({ restored: ["a.txt"] });
  expect(read(scratch, "a.txt")).toBe("agent\n");
});

test("content that only the index had is kept if an attempt unstages it, even if the task succeeds", async ({
  scratch,
}) => {
  write(scratch, "part", "first half\n");
  await scratch.git("add", "part");
  write(scratch, "part", "first half\nsecond half\n");
  const { repo, taken } = await begin(scratch);
  await scratch.git("add", "part");
  const order = { run: ORDER.run, label: "T1-1", policy: "runner" as const };
  await snapshot(repo, { ...order, checkpoint: taken });
  const [kept] = await listRescues(repo);
  expect(kept).toMatchObject({ why: "before", task: "T1" });
  expect(kept?.staged.map(({ path }) => path)).toEqual(["part"]);
  const shown = await showRescue(kept ?? fail());
  expect(shown).toMatch(/Only in the index[^]*\+first half\n$/);
  const again = await checkpoint(repo, { id: "T1", run: ORDER.run, reuse: true });
  expect(again.index).toEqual(taken.index);
});
