import { asResult } from "./git.js";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { checkpoint } from "../checkpoint/checkpoint.js";
import { assertUnlocked, removeStaleLocks } from "./locks.js";
import { undoGateChanges } from "../restore/restore.js";
import { test, type Scratch } from "../testing/scratch.js";
import { snapshot } from "../attempt/snapshot.js";

const NOW = 1_800_000_000_000;

/** Ports with a clock that stays at NOW and records sleeps; `meanwhile` is called during each. */
function clocked(scratch: Scratch, meanwhile: () => void) {
  const slept: number[] = [];
  const sleep = (ms: number) => {
    slept.push(ms);
    meanwhile();
    return Promise.resolve();
  };
  return { slept, ports: { ...scratch.ports, clock: { ...scratch.ports.clock, now: () => NOW, sleep } } };
}

function lock(scratch: Scratch, path: string, ago: number): string {
  const file = join(scratch.top, ".git", path);
  writeFileSync(file, "");
  utimesSync(file, (NOW - ago) / 1000, (NOW - ago) / 1000);
  return file;
}

test("locks of the dead run are removed, and older or changing ones stay", async ({ scratch }) => {
  mkdirSync(join(scratch.top, ".git", "modules", "sub"), { recursive: true });
  const stale = [
    lock(scratch, "index.lock", 60_000),
    lock(scratch, "HEAD.lock", 1_000),
    lock(scratch, "packed-refs.lock", 20_000),
    lock(scratch, "refs/heads/main.lock", 20_000),
    lock(scratch, "modules/sub/index.lock", 20_000),
  ];
  const old = lock(scratch, "config.lock", 600_000);
  const alive = lock(scratch, "shallow.lock", 2_000);
  const { slept, ports } = clocked(scratch, () => {
    lock(scratch, "shallow.lock", 0);
  });
  const repo = await scratch.open({}, ports);
  const removed = await removeStaleLocks(repo, { since: NOW - 100_000 });
  expect(removed.sort()).toEqual(stale.sort());
  expect(slept).toEqual([4_000]);
  expect([old, alive].map((file) => existsSync(file))).toEqual([true, true]);
  expect(stale.some((file) => existsSync(file))).toBe(false);
});

test("without locks the removal does not wait, and the own index is removed", async ({ scratch }) => {
  const { slept, ports } = clocked(scratch, () => undefined);
  const repo = await scratch.open({}, ports);
  await checkpoint(repo, { id: "T1", run: "r", reuse: false });
  expect(existsSync(join(repo.gitDir, "looper", "index"))).toBe(true);
  expect(await removeStaleLocks(repo, { since: 0 })).toEqual([]);
  expect(slept).toEqual([]);
  expect(existsSync(join(repo.gitDir, "looper"))).toBe(false);
});

test("in a linked worktree its own locks and the shared ones are removed, and another tree's stay", async ({
  scratch,
}) => {
  const folder = join(scratch.top, "..");
  for (const name of ["one", "two"]) await scratch.git("worktree", "add", "-q", join(folder, name));
  const projectDir = join(folder, "one");
  const { ports } = clocked(scratch, () => undefined);
  const repo = await scratch.open({ projectDir, todoFile: join(projectDir, "to-do.json") }, ports);
  const own = lock(scratch, "worktrees/one/index.lock", 9_000);
  const shared = lock(scratch, "packed-refs.lock", 9_000);
  const other = lock(scratch, "worktrees/two/index.lock", 9_000);
  expect(await removeStaleLocks(repo, { since: NOW - 10_000 })).toEqual([own, shared]);
  expect(existsSync(other)).toBe(true);
});

test("locks of an attempt or the gate are removed after it, and earlier ones stay", async ({ scratch }) => {
  const { ports } = clocked(scratch, () => undefined);
  const repo = await scratch.open({}, ports);
  const before = lock(scratch, "config.lock", 60_000);
  const taken = await checkpoint(repo, { id: "T1", run: "r", reuse: false });
  const made = ["index.lock", "HEAD.lock", "refs/heads/main.lock"].map((path) => lock(scratch, path, 0));
  const order = { checkpoint: taken, run: "r", label: "T1-1" };
  const { warnings, changes } = await snapshot(repo, { ...order, policy: "runner" });
  expect(warnings).toHaveLength(3);
  for (const path of made) expect(warnings.join("\n")).toContain(path);
  expect([before, ...made].map((file) => existsSync(file))).toEqual([true, false, false, false]);

  lock(scratch, "index.lock", 0);
  // The one from before gave way to another.
  lock(scratch, "config.lock", 1_000);
  const back = await undoGateChanges(repo, { ...order, changes });
  expect(back.warnings).toHaveLength(2);
  expect([before, ...made].some((file) => existsSync(file))).toBe(false);
});

test("the lock of a git process that is running in the tree stays, as while the user writes a message", async ({
  scratch,
}) => {
  const { ports } = clocked(scratch, () => undefined);
  const repo = await scratch.open({}, ports);
  const taken = await checkpoint(repo, { id: "T1", run: "r", reuse: false });
  writeFileSync(join(scratch.top, "a.txt"), "more\n");
  const started = join(scratch.top, ".git", "editor-started");
  const go = join(scratch.top, ".git", "editor-go");
  spawnSync("mkfifo", [go]);
  const editor = `touch '${started}'; read -r _ <'${go}'; echo message >`;
  const commit = scratch.git("-c", `core.editor=${editor}`, "commit", "-qa");
  await vi.waitUntil(() => existsSync(started), { timeout: 300_000 });
  const held = join(scratch.top, ".git", "index.lock");
  expect(existsSync(held)).toBe(true);
  const order = { checkpoint: taken, run: "r", label: "T1-1", changes: [] };
  await asResult(() => undoGateChanges(repo, order));
  expect(existsSync(held)).toBe(true);
  writeFileSync(go, "go\n");
  await commit;
  expect(existsSync(held)).toBe(false);
});

test("a start waits for a lock that goes, and names one that stays", async ({ scratch }) => {
  let slept = 0;
  let meanwhile: () => void = () => undefined;
  const { clock } = scratch.ports;
  const sleep = (ms: number) => {
    slept += ms;
    meanwhile();
    return Promise.resolve();
  };
  const ports = { ...scratch.ports, clock: { ...clock, monotonic: () => slept, sleep } };
  const repo = await scratch.open({}, ports);
  lock(scratch, "config.lock", 0);
  await assertUnlocked(repo);
  expect(slept).toBe(0);
  for (const path of ["index.lock", "HEAD.lock", "packed-refs.lock", "refs/heads/main.lock"]) {
    const file = lock(scratch, path, 0);
    await expect(assertUnlocked(repo)).rejects.toMatchObject({
      kind: "environment",
      message: expect.stringContaining(`${file} is there`) as string,
      hint: expect.stringContaining(`rm '${file}'`) as string,
    });
    rmSync(file);
  }
  slept = 0;
  const still = lock(scratch, "index.lock", NOW);
  await expect(assertUnlocked(repo)).rejects.toMatchObject({ kind: "environment" });
  expect(slept).toBe(0);
  rmSync(still);
  const passing = lock(scratch, "index.lock", 0);
  slept = 0;
  meanwhile = () => {
    rmSync(passing, { force: true });
  };
  await assertUnlocked(repo);
  expect(slept).toBe(500);
});
