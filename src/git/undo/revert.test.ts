import { asResult } from "../base/git.js";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { readHead } from "../base/repository/head.js";
import { planRevert } from "./revert-tree.js";
import { test, type Scratch } from "../testing/scratch.js";
import { changesOf } from "../testing/scratch-task.js";
import { cleanPlan, liveOf, planFor, REOPENED, taskCommit, undo } from "../testing/scratch-undo.js";
import { listTaskCommits } from "../commit/live-commits.js";

function write(scratch: Scratch, path: string, content: string): void {
  mkdirSync(join(scratch.top, path, ".."), { recursive: true });
  writeFileSync(join(scratch.top, path), content);
}

function read(scratch: Scratch, path: string): string {
  return readFileSync(join(scratch.top, path), "utf8");
}

function there(scratch: Scratch, path: string): boolean {
  return existsSync(join(scratch.top, path));
}

test("an undo reverts contents, modes, links, strange names, and swaps of file and folder", async ({
  scratch,
}) => {
  write(scratch, "run.sh", "#!/bin/sh\n");
  write(scratch, "target", "x");
  symlinkSync("target", join(scratch.top, "link"));
  await scratch.commitAll("more");
  const before = await scratch.git("ls-tree", "-r", "HEAD");
  const names = ["new\nline", 'quo"te', "ü", "-dash", "[a]*?"];
  await taskCommit(scratch, "T1", () => {
    for (const name of names) write(scratch, name, name);
    rmSync(join(scratch.top, "dir"), { recursive: true });
    write(scratch, "dir", "a file now");
    rmSync(join(scratch.top, "a.txt"));
    write(scratch, "a.txt/inside", "a folder now");
    chmodSync(join(scratch.top, "run.sh"), 0o755);
    rmSync(join(scratch.top, "link"));
    symlinkSync("nowhere", join(scratch.top, "link"));
    write(scratch, "deep/er/file", "x");
  });
  const repo = await scratch.open();
  const commit = await undo(scratch, repo, "T1");
  expect(await scratch.git("rev-parse", "main")).toBe(commit);
  expect(read(scratch, "a.txt")).toBe("one\n");
  expect(read(scratch, "dir/b.txt")).toBe("two\n");
  expect(lstatSync(join(scratch.top, "run.sh")).mode & 0o111).toBe(0);
  expect(readlinkSync(join(scratch.top, "link"))).toBe("target");
  for (const name of [...names, "deep"]) expect(there(scratch, name)).toBe(false);
  expect(await scratch.git("status", "--porcelain")).toBe("");
  const after = await scratch.git("ls-tree", "-r", "HEAD");
  const withoutBacklog = (tree: string) => tree.split("\n").filter((line) => !line.endsWith("to-do.json"));
  expect(withoutBacklog(after)).toEqual(withoutBacklog(before));
  expect(await scratch.git("show", "HEAD:to-do.json")).toBe(REOPENED.trimEnd());
  expect(await scratch.git("for-each-ref", "refs/looper")).toBe("");
  expect(await scratch.git("fsck", "--no-dangling")).toBe("");
});

test("an undo keeps later work, also in the same file, and follows a rename", async ({ scratch }) => {
  const lines = Array.from({ length: 40 }, (_, n) => `line ${String(n)}\n`);
  write(scratch, "long.txt", lines.join(""));
  await scratch.commitAll("long");
  await taskCommit(scratch, "T1", () => {
    write(scratch, "long.txt", ["first\n", ...lines].join(""));
  });
  await taskCommit(scratch, "T2", () => {
    renameSync(join(scratch.top, "long.txt"), join(scratch.top, "longer.txt"));
    write(scratch, "longer.txt", ["first\n", ...lines, "last\n"].join(""));
  });
  await undo(scratch, await scratch.open(), "T1");
  expect(read(scratch, "longer.txt")).toBe([...lines, "last\n"].join(""));
  expect(there(scratch, "long.txt")).toBe(false);
  expect(await scratch.git("status", "--porcelain")).toBe("");
});

test("an undo works for a task whose commit is the root commit", async ({ scratch }) => {
  await scratch.git("checkout", "-q", "--orphan", "fresh");
  await scratch.git("rm", "-rqf", ".");
  await taskCommit(scratch, "T1", () => {
    write(scratch, "a.txt", "new\n");
  });
  await scratch.git("commit", "-q", "--allow-empty", "-m", "later");
  const commit = await undo(scratch, await scratch.open(), "T1");
  expect(there(scratch, "a.txt")).toBe(false);
  expect(await changesOf(scratch, commit)).toEqual(["D a.txt", "M to-do.json"]);
});

test("an undo lists later work on the same lines as conflicts, with the commits, and changes no files", async ({
  scratch,
}) => {
  await taskCommit(scratch, "T1", () => {
    write(scratch, "a.txt", "T1\n");
    write(scratch, "ü.txt", "T1\n");
    write(scratch, "free.txt", "T1\n");
  });
  const second = await taskCommit(scratch, "T2", () => {
    write(scratch, "a.txt", "T1 and T2\n");
  });
  write(scratch, "a.txt", "a person\n");
  rmSync(join(scratch.top, "ü.txt"));
  write(scratch, "ü.txt", "changed\n");
  const person = await scratch.commitAll("By hand: Looper-Task: T9");
  const before = await scratch.git("status", "--porcelain");
  const repo = await scratch.open();
  expect(await planFor(repo, "T1")).toEqual({
    kind: "conflicts",
    conflicts: [
      {
        path: "a.txt",
        later: [
          { commit: person, title: "By hand: Looper-Task: T9" },
          { commit: second, title: "Do T2", task: "T2" },
        ],
      },
      { path: "ü.txt", later: [{ commit: person, title: "By hand: Looper-Task: T9" }] },
    ],
  });
  expect(await scratch.git("status", "--porcelain")).toBe(before);
  expect(await scratch.git("rev-parse", "HEAD")).toBe(person);
  expect(await scratch.git("for-each-ref", "refs/looper")).toBe("");
  // Taken out together with what came on top of it, T1 conflicts with the person's work alone.
  const both = await planFor(repo, "T1", "T2");
  expect(both).toMatchObject({ kind: "conflicts", conflicts: [{ path: "a.txt" }] });
});

test("several commits are undone newest first, in one change", async ({ scratch }) => {
  await taskCommit(scratch, "T1", () => {
    write(scratch, "a.txt", "T1\n");
  });
  await taskCommit(scratch, "T2", () => {
    write(scratch, "a.txt", "T1 and T2\n");
    write(scratch, "b.txt", "T2\n");
  });
  const repo = await scratch.open();
  expect(await planFor(repo, "T1")).toMatchObject({ kind: "conflicts" });
  const { changes } = await cleanPlan(repo, "T1", "T2");
  expect(changes.map(({ path }) => path)).toEqual(["a.txt", "b.txt"]);
  const commit = await undo(scratch, repo, "T1", "T2");
  expect(await changesOf(scratch, commit)).toEqual(["M a.txt", "D b.txt", "M to-do.json"]);
  expect(read(scratch, "a.txt")).toBe("one\n");
  expect(await liveOf(repo, "T1")).toEqual([]);
  expect(await liveOf(repo, "T2")).toEqual([]);
});

test("other work of a person stays: staged, half staged, changed or untracked", async ({ scratch }) => {
  write(scratch, "both.txt", "1\n2\n3\n");
  await scratch.commitAll("more");
  await taskCommit(scratch, "T1", () => {
    write(scratch, "new.txt", "T1\n");
    write(scratch, "dir/b.txt", "T1\n");
  });
  write(scratch, "both.txt", "staged\n2\n3\n");
  await scratch.git("add", "both.txt");
  write(scratch, "both.txt", "staged\n2\nchanged\n");
  write(scratch, "dir/mine", "untracked");
  write(scratch, "a.txt", "changed\n");
  const staged = await scratch.git("diff", "--cached");
  const changed = await scratch.git("diff");
  await undo(scratch, await scratch.open(), "T1");
  expect(await scratch.git("diff", "--cached")).toBe(staged);
  expect(await scratch.git("diff")).toBe(changed);
  expect(read(scratch, "dir/mine")).toBe("untracked");
  expect(await scratch.git("status", "--porcelain")).toBe(" M a.txt\nMM both.txt\n?? dir/mine");
});

test("an undo lists every path in its way: changed, staged and ignored files", async ({ scratch }) => {
  write(scratch, "gone/file", "x");
  write(scratch, "folder/file", "x");
  write(scratch, "plain", "x");
  await scratch.commitAll("more");
  await taskCommit(scratch, "T1", () => {
    write(scratch, "a.txt", "T1\n");
    write(scratch, "dir/b.txt", "T1\n");
    rmSync(join(scratch.top, "gone"), { recursive: true });
    rmSync(join(scratch.top, "folder"), { recursive: true });
    rmSync(join(scratch.top, "plain"));
    write(scratch, ".gitignore", "gone\nplain\nfolder\n");
  });
  const repo = await scratch.open();
  expect((await cleanPlan(repo, "T1")).inTheWay).toEqual([]);
  write(scratch, "a.txt", "a person\n");
  write(scratch, "dir/b.txt", "a person\n");
  await scratch.git("add", "dir/b.txt");
  write(scratch, "dir/b.txt", "T1\n");
  write(scratch, "gone", "an ignored file where a folder was");
  write(scratch, "plain/below", "an ignored file in a folder where a file was");
  write(scratch, "folder/file", "ignored");
  write(scratch, "folder/other", "ignored, and not in the way");
  expect((await cleanPlan(repo, "T1")).inTheWay).toEqual([
    "a.txt",
    "dir/b.txt",
    "folder/file",
    "gone",
    "plain/below",
  ]);
});

test("a task done again after an undo has its newer commit undone, and both stay in the history", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  const work = (text: string) => () => {
    write(scratch, "a.txt", text);
  };
  const first = await taskCommit(scratch, "T1", work("first\n"));
  const undone = await undo(scratch, repo, "T1");
  const second = await taskCommit(scratch, "T1", work("second\n"));
  expect((await liveOf(repo, "T1")).map(({ commit }) => commit)).toEqual([second]);
  const again = await undo(scratch, repo, "T1");
  expect(read(scratch, "a.txt")).toBe("one\n");
  expect(await liveOf(repo, "T1")).toEqual([]);
  expect(await scratch.git("log", "--format=%H", "-4")).toBe([again, second, undone, first].join("\n"));
  const trailers = await scratch.git("log", "-1", "--format=%(trailers:unfold)");
  expect(trailers.trim()).toBe(`Looper-Undo: T1\nLooper-Undo-Commit: ${second}`);
});

test("an undo with an old git fails with the version it needs", async ({ scratch }) => {
  await taskCommit(scratch, "T1", () => undefined);
  const { processes } = scratch.ports;
  const old = {
    ...scratch.ports,
    processes: {
      ...processes,
      run: (...[spec, options]: Parameters<typeof processes.run>) =>
        processes.run(
          spec.args.includes("merge-tree") ? { ...spec, args: ["merge-tree", "--no-such-flag"] } : spec,
          options,
        ),
    },
  };
  const repo = await scratch.open({}, old);
  const head = (await readHead(repo)).commit ?? "";
  const live = await listTaskCommits(repo, head);
  const plan = await asResult(() => planRevert(repo, head, live));
  expect(plan).toMatchObject({ ok: false, error: { message: "undoing needs git 2.38 or newer" } });
});
