// Metadata that git's trees cannot contain (permission bits, empty folders, pipes instead of files) is restored when
// a task is abandoned.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint } from "./checkpoint.js";
import { removeStaleLocks } from "../base/locks.js";
import { undoGateChanges } from "../restore/undo-gate-changes.js";
import type { Repository } from "../base/repository/repository.js";
import { restoreTo } from "../restore/restore.js";
import { test, type Scratch } from "../testing/scratch.js";
import { stateOf } from "../testing/scratch-state.js";
import { snapshot } from "../attempt/snapshot.js";

const T1 = { id: "T1", run: "run-1", reuse: false };
const LABEL = { run: "run-1", label: "T1-1" };

function write(scratch: Scratch, path: string, mode = 0o644): void {
  writeFileSync(join(scratch.top, path), `${path}\n`);
  chmodSync(join(scratch.top, path), mode);
}

function folder(scratch: Scratch, path: string, mode = 0o755): void {
  mkdirSync(join(scratch.top, path), { recursive: true });
  chmodSync(join(scratch.top, path), mode);
}

function pipe(scratch: Scratch, path: string): void {
  const { status } = spawnSync("mkfifo", [join(scratch.top, path)]);
  if (status !== 0) throw new Error(`no pipe at ${path}`);
}

function remove(scratch: Scratch, ...paths: string[]): void {
  for (const path of paths) rmSync(join(scratch.top, path), { recursive: true });
}

function modeOf(scratch: Scratch, path: string): string {
  return (lstatSync(join(scratch.top, path)).mode & 0o7777).toString(8);
}

/** Given up twice: at once, and by a start after a kill, with nothing but the repository to go by. */
async function giveUp(scratch: Scratch, repo: Repository, work: () => void): Promise<readonly string[]> {
  const before = await stateOf(scratch);
  const taken = await checkpoint(repo, T1);
  expect(await stateOf(scratch)).toEqual(before);
  work();
  const { warnings } = await restoreTo(repo, { checkpoint: taken, ...LABEL });
  expect(await stateOf(scratch)).toEqual(before);

  work();
  await removeStaleLocks(repo, { since: Infinity });
  const again = await checkpoint(repo, { ...T1, reuse: true });
  expect(again).toMatchObject({ reused: true, usual: taken.usual, unseen: taken.unseen });
  await restoreTo(repo, { checkpoint: again, ...LABEL });
  expect(await stateOf(scratch)).toEqual(before);
  return warnings;
}

test("permissions of tracked files, untracked files and folders are restored, changed or made anew", async ({
  scratch,
}) => {
  write(scratch, "tracked-640", 0o640);
  write(scratch, "tracked-400", 0o400);
  write(scratch, "program", 0o755);
  write(scratch, "program-700", 0o700);
  await scratch.commitAll("modes");
  write(scratch, "secret", 0o600);
  write(scratch, "shared", 0o666);
  folder(scratch, "private", 0o700);
  write(scratch, "private/key", 0o400);
  folder(scratch, "closed");
  write(scratch, "closed/x");
  chmodSync(join(scratch.top, "closed"), 0o500);
  const repo = await scratch.open();
  await giveUp(scratch, repo, () => {
    remove(scratch, "secret", "tracked-400", "private");
    for (const path of ["tracked-640", "program", "program-700", "shared", "dir", "closed"])
      chmodSync(join(scratch.top, path), 0o777);
    remove(scratch, "closed/x");
    write(scratch, "a.txt", 0o600);
    chmodSync(scratch.top, 0o777);
    write(scratch, "new", 0o600);
  });
  expect(modeOf(scratch, ".")).toBe("755");
});

test("files behind folders without permission are restored too", async ({ scratch }) => {
  write(scratch, "mine", 0o600);
  const repo = await scratch.open();
  await giveUp(scratch, repo, () => {
    write(scratch, "dir/b.txt", 0o000);
    writeFileSync(join(scratch.top, "mine"), "agent\n");
    chmodSync(join(scratch.top, "mine"), 0o000);
    chmodSync(join(scratch.top, "dir"), 0o000);
  });
  const kept = await scratch.git("show", "refs/looper/rescue/run-1/T1-1:mine");
  expect(kept).toBe("agent");
});

test("paths without permission are opened before git reads the tree", async ({ scratch }) => {
  folder(scratch, "ro");
  write(scratch, "ro/y");
  write(scratch, "mine", 0o600);
  await scratch.commitAll("ro");
  chmodSync(join(scratch.top, "ro"), 0o555);
  const set: string[] = [];
  const { files } = scratch.ports;
  const tree = (top: string) => {
    const real = files.tree(top);
    const setMode = (path: string, mode: number) => {
      set.push(`${path} ${mode.toString(8)}`);
      return real.setMode(path, mode);
    };
    return { ...real, setMode };
  };
  const repo = await scratch.open({}, { ...scratch.ports, files: { ...files, tree } });
  const taken = await checkpoint(repo, T1);
  remove(scratch, "ro/y");
  chmodSync(join(scratch.top, "ro"), 0o500);
  for (const path of ["mine", "dir/b.txt", "dir"]) chmodSync(join(scratch.top, path), 0o000);
  await restoreTo(repo, { checkpoint: taken, ...LABEL });
  expect(set.slice(0, 4).sort()).toEqual(["dir 700", "dir/b.txt 400", "mine 400", "ro 700"]);
  expect(["ro", "ro/y", "mine", "dir", "dir/b.txt"].map((path) => modeOf(scratch, path))).toEqual([
    "555",
    "644",
    "600",
    "755",
    "644",
  ]);
});

test("a changed exec bit is kept, and recorded in git's own mode", async ({ scratch }) => {
  const repo = await scratch.open();
  await giveUp(scratch, repo, () => {
    chmodSync(join(scratch.top, "a.txt"), 0o755);
  });
  expect(await scratch.git("ls-tree", "refs/looper/rescue/run-1/T1-1", "a.txt")).toMatch(/^100755/);
});

test("empty folders are restored, new ones are removed, and ignored ones with a file stay", async ({
  scratch,
}) => {
  writeFileSync(join(scratch.top, ".gitignore"), "*.log\n");
  await scratch.commitAll("ignore");
  folder(scratch, "e/f");
  folder(scratch, "g", 0o750);
  folder(scratch, "dir/h/i");
  folder(scratch, "logs/empty");
  write(scratch, "logs/x.log");
  const repo = await scratch.open();
  await giveUp(scratch, repo, () => {
    remove(scratch, "e", "g", "dir/h");
    writeFileSync(join(scratch.top, "g"), "a file now\n");
    for (const path of ["new/one", "new/two", "dir/new", "full"]) folder(scratch, path);
    write(scratch, "full/x");
  });
  expect(modeOf(scratch, "g")).toBe("750");
});

test("a restore changes no files behind a symlink that git ignores", async ({ scratch }) => {
  const elsewhere = mkdtempSync(join(tmpdir(), "looper-else-"));
  mkdirSync(join(elsewhere, "g"), { mode: 0o700 });
  writeFileSync(join(scratch.top, ".gitignore"), "/e\n");
  await scratch.commitAll("ignore");
  folder(scratch, "e/f/h");
  folder(scratch, "e/g/i");
  const repo = await scratch.open();
  const taken = await checkpoint(repo, T1);
  remove(scratch, "e");
  symlinkSync(elsewhere, join(scratch.top, "e"));
  await restoreTo(repo, { checkpoint: taken, ...LABEL });
  expect(readdirSync(elsewhere)).toEqual(["g"]);
  expect(readdirSync(join(elsewhere, "g"))).toEqual([]);
  expect(lstatSync(join(elsewhere, "g")).mode & 0o777).toBe(0o700);
  rmSync(elsewhere, { recursive: true });
});

test("new pipes, also in the place of a file or a folder, are removed and named, and a person's stays", async ({
  scratch,
}) => {
  pipe(scratch, "mine");
  folder(scratch, "own");
  pipe(scratch, "own/mine");
  const repo = await scratch.open();
  const warnings = await giveUp(scratch, repo, () => {
    remove(scratch, "a.txt", "dir");
    for (const path of ["a.txt", "dir", "new"]) pipe(scratch, path);
    folder(scratch, "n/m");
    pipe(scratch, "n/m/p");
    folder(scratch, "full");
    write(scratch, "full/x");
    pipe(scratch, "full/p");
  });
  expect(warnings).toEqual([
    expect.stringMatching(/removed: (?=.*a\.txt)(?=.*dir)(?=.*new)(?=.*n\/m\/p)(?=.*full\/p)(?!.*mine)/),
  ]);
});

test("a warning names a person's pipe that was removed, because it cannot be restored", async ({
  scratch,
}) => {
  pipe(scratch, "mine");
  const repo = await scratch.open();
  const taken = await checkpoint(repo, T1);
  remove(scratch, "mine");
  const { warnings } = await restoreTo(repo, { checkpoint: taken, ...LABEL });
  expect(warnings).toEqual([expect.stringMatching(/cannot be restored: mine$/)]);
});

test("files committed meanwhile keep their permissions", async ({ scratch }) => {
  write(scratch, "b", 0o640);
  await scratch.commitAll("b");
  const repo = await scratch.open();
  const taken = await checkpoint(repo, T1);
  folder(scratch, "later", 0o700);
  write(scratch, "later/c", 0o600);
  writeFileSync(join(scratch.top, "b"), "again\n");
  chmodSync(join(scratch.top, "b"), 0o600);
  await scratch.commitAll("meanwhile");
  write(scratch, "a.txt", 0o600);
  await restoreTo(repo, { checkpoint: taken, ...LABEL });
  expect(["later", "later/c", "b", "a.txt"].map((path) => modeOf(scratch, path))).toEqual([
    "700",
    "600",
    "600",
    "644",
  ]);
});

test("permissions that the gate changed are restored, and the attempt's stay", async ({ scratch }) => {
  write(scratch, "b", 0o600);
  write(scratch, "c", 0o600);
  const repo = await scratch.open();
  const taken = await checkpoint(repo, T1);
  writeFileSync(join(scratch.top, "c"), "attempt\n");
  const { changes } = await snapshot(repo, { checkpoint: taken, ...LABEL, policy: "runner" });
  for (const path of ["b", "c"]) writeFileSync(join(scratch.top, path), "gate\n");
  const { warnings } = await undoGateChanges(repo, { checkpoint: taken, changes, ...LABEL });
  expect(warnings).toEqual([]);
  expect([modeOf(scratch, "b"), existsSync(join(scratch.top, "c"))]).toEqual(["600", true]);
});

test("a tree with usual metadata needs no second commit and no further process", async ({ scratch }) => {
  const repo = await scratch.open();
  const { beside, unseen, usual } = await checkpoint(repo, T1);
  expect({ beside, modes: unseen.modes, empty: unseen.empty }).toEqual({
    beside: undefined,
    modes: [],
    empty: [],
  });
  expect(usual).toEqual({ file: 0o644, program: 0o755, folder: 0o755 });
});
