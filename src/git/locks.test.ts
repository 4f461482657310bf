import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint } from "./checkpoint.js";
import { removeStaleLocks } from "./locks.js";
import { must, test, type Scratch } from "./scratch.js";

const NOW = 1_800_000_000_000;

/** Ports whose clock stands at NOW and tells what was slept; `meanwhile` happens in the sleep. */
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

test("locks of the dead run go, older ones and those that change stay", async ({ scratch }) => {
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

test("without locks nothing is waited for; the index of our own goes", async ({ scratch }) => {
  const { slept, ports } = clocked(scratch, () => undefined);
  const repo = await scratch.open({}, ports);
  must(await checkpoint(repo, { id: "T1", run: "r", reuse: false }));
  expect(existsSync(join(repo.gitDir, "looper", "index"))).toBe(true);
  expect(await removeStaleLocks(repo, { since: 0 })).toEqual([]);
  expect(slept).toEqual([]);
  expect(existsSync(join(repo.gitDir, "looper"))).toBe(false);
});

test("in a linked worktree: its own locks and the shared ones, not another tree's", async ({ scratch }) => {
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
