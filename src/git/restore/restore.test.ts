import { spawnSync } from "node:child_process";
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
import { checkpoint } from "../checkpoint/checkpoint.js";
import { restoreTo } from "./restore.js";
import { test, watchGit } from "../testing/scratch.js";

const REVIEW = { id: "review 1", run: "run-1", reuse: false };
const ORDER = { run: "run-1", label: "review-1" };
const RESCUE = "refs/looper/rescue/run-1/review-1";

test("a restore returns every file to its bytes and mode, and keeps the replaced content", async ({
  scratch,
}) => {
  const { top, git } = scratch;
  const write = (path: string, content: string): void => {
    writeFileSync(join(top, path), content);
  };
  const read = (path: string): string => readFileSync(join(top, path), "utf8");
  write("dirty", "person\n");
  write("staged", "person\n");
  await git("add", "staged");
  write("new\nline", "kept\n");
  write("run.sh", "#!/bin/sh\n");
  chmodSync(join(top, "run.sh"), 0o755);
  symlinkSync("a.txt", join(top, "link"));
  mkdirSync(join(top, "looper-logs"));
  write("looper-logs/x", "log 1");
  const before = await git("status", "--porcelain");

  const repo = await scratch.open();
  const taken = await checkpoint(repo, REVIEW);
  write("a.txt", "agent\n");
  write("dirty", "agent\n");
  write("new\nline", "agent\n");
  chmodSync(join(top, "run.sh"), 0o644);
  rmSync(join(top, "link"));
  write("link", "a file now");
  rmSync(join(top, "dir"), { recursive: true });
  write("dir", "a file now");
  mkdirSync(join(top, "made", "deep"), { recursive: true });
  write("made/deep/ü", "agent\n");
  await git("add", "made", "a.txt");
  write("to-do.json", "the runner's");
  write("looper-logs/x", "log 2");

  const restored = await restoreTo(repo, { ...ORDER, checkpoint: taken });
  expect([...restored.paths].sort()).toEqual(
    ["a.txt", "dir", "dir/b.txt", "dirty", "link", "made/deep/ü", "new\nline", "run.sh"].sort(),
  );
  expect([read("a.txt"), read("dirty"), read("new\nline"), read("dir/b.txt")]).toEqual([
    "one\n",
    "person\n",
    "kept\n",
    "two\n",
  ]);
  expect(lstatSync(join(top, "run.sh")).mode & 0o777).toBe(0o755);
  expect(readlinkSync(join(top, "link"))).toBe("a.txt");
  expect(existsSync(join(top, "made"))).toBe(false);
  expect([read("to-do.json"), read("looper-logs/x")]).toEqual(["the runner's", "log 2"]);
  rmSync(join(top, "to-do.json"));
  await git("checkout", "-q", "--", "to-do.json");
  expect(await git("status", "--porcelain")).toBe(before);
  expect(restored.rescue).toBe(RESCUE);
  expect(await git("show", `${RESCUE}:made/deep/ü`)).toBe("agent");
  expect(await git("show", `${RESCUE}:dirty`)).toBe("agent");
});

test("a restore without differences keeps no rescue and starts two git processes", async ({ scratch }) => {
  const seen: string[] = [];
  const repo = await scratch.open(
    {},
    watchGit(scratch.ports, ([command = ""]) => void seen.push(command)),
  );
  const taken = await checkpoint(repo, REVIEW);
  seen.length = 0;
  expect(await restoreTo(repo, { ...ORDER, checkpoint: taken })).toEqual({
    paths: [],
    rescue: undefined,
    warnings: [],
  });
  expect(seen).toEqual(["add", "diff-index"]);
});

test("a restore leaves a tracked log and backlog as they are", async ({ scratch }) => {
  const { top } = scratch;
  mkdirSync(join(top, "looper-logs"));
  writeFileSync(join(top, "looper-logs/x"), "old");
  await scratch.commitAll("tracked");
  const repo = await scratch.open();
  const taken = await checkpoint(repo, REVIEW);
  writeFileSync(join(top, "looper-logs/x"), "new");
  rmSync(join(top, "to-do.json"));
  writeFileSync(join(top, "a.txt"), "agent\n");
  await scratch.git("add", "looper-logs");
  expect((await restoreTo(repo, { ...ORDER, checkpoint: taken })).paths).toEqual(["a.txt"]);
  expect(readFileSync(join(top, "looper-logs/x"), "utf8")).toBe("new");
  expect(existsSync(join(top, "to-do.json"))).toBe(false);
});

test("a restore works before the first commit", async ({ scratch }) => {
  await scratch.git("checkout", "-q", "--orphan", "fresh");
  await scratch.git("rm", "-rq", "--cached", ".");
  const repo = await scratch.open();
  const taken = await checkpoint(repo, REVIEW);
  writeFileSync(join(scratch.top, "a.txt"), "agent\n");
  writeFileSync(join(scratch.top, "new"), "agent\n");
  await scratch.git("add", "new");
  expect((await restoreTo(repo, { ...ORDER, checkpoint: taken })).paths).toEqual(["a.txt", "new"]);
  expect(readFileSync(join(scratch.top, "a.txt"), "utf8")).toBe("one\n");
  expect(await scratch.git("status", "--porcelain")).toBe("?? a.txt\n?? dir/\n?? to-do.json");
});

test("a restore of a tree that was just seen without changes starts no process", async ({ scratch }) => {
  const seen: string[] = [];
  const repo = await scratch.open(
    {},
    watchGit(scratch.ports, ([command = ""]) => void seen.push(command)),
  );
  const taken = await checkpoint(repo, REVIEW);
  seen.length = 0;
  const back = await restoreTo(repo, { ...ORDER, checkpoint: taken, unchanged: true });
  expect(back).toMatchObject({ paths: [], rescue: undefined, warnings: [] });
  expect(seen).toEqual([]);
});

test("folders that an attempt closed, and pipes in the place of files, do not stop a restore", async ({
  scratch,
}) => {
  const { top } = scratch;
  mkdirSync(join(top, "deep/er"), { recursive: true });
  writeFileSync(join(top, "deep/er/x"), "mine\n");
  const repo = await scratch.open();
  const taken = await checkpoint(repo, REVIEW);
  rmSync(join(top, "deep/er/x"));
  for (const folder of ["deep/er", "deep"]) chmodSync(join(top, folder), 0o500);
  for (const path of ["a.txt", "dir"]) {
    rmSync(join(top, path), { recursive: true });
    spawnSync("mkfifo", [join(top, path)]);
  }
  await restoreTo(repo, { ...ORDER, checkpoint: taken });
  expect(readFileSync(join(top, "deep/er/x"), "utf8")).toBe("mine\n");
  expect(readFileSync(join(top, "a.txt"), "utf8")).toBe("one\n");
  expect(lstatSync(join(top, "deep")).mode & 0o777).toBe(0o700);
  expect(await scratch.git("status", "--porcelain")).toBe("?? deep/");
});
