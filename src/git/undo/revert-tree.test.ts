import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { readPending, type Prepared } from "../commit/commit.js";
import type { Repository } from "../base/repository/repository.js";
import { publishWithTree } from "./revert-tree.js";
import { test, watchGit, type Scratch } from "../testing/scratch.js";
import { changesOf } from "../testing/scratch-task.js";
import { cleanPlan, finishUndo, liveOf, prepareUndo, taskCommit, undo } from "../testing/scratch-undo.js";

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

/** A task that changes, adds and removes files; the repository as it was before that is the answer. */
async function stage(scratch: Scratch): Promise<Repository> {
  write(scratch, "big.txt", "line\n".repeat(1000));
  write(scratch, "goes.txt", "x");
  await scratch.commitAll("more");
  await taskCommit(scratch, "T1", () => {
    write(scratch, "big.txt", "other\n".repeat(1000));
    write(scratch, "new.txt", "T1\n");
    rmSync(join(scratch.top, "goes.txt"));
    rmSync(join(scratch.top, "a.txt"));
    write(scratch, "a.txt/inside", "x");
  });
  write(scratch, "mine.txt", "a person\n");
  return scratch.open();
}

test("a kill before any git process of the protocol leads to exactly one commit and its tree at the next start", async ({
  scratch,
}) => {
  await stage(scratch);
  const start = await scratch.git("rev-parse", "HEAD");
  const seen = new Set<string>();
  // Every second process; in make proof each.
  const step = process.env["EXHAUSTIVE"] === undefined ? 2 : 1;
  for (let crashAt = 1; ; crashAt += step) {
    await scratch.git("reset", "-q", "--hard", start);
    let at = 0;
    const died: string[] = [];
    const dying = watchGit(scratch.ports, ([command = ""]) => {
      // Until then nothing is changed.
      if (at === 0 && command !== "fast-import") return;
      if (++at !== crashAt) return;
      died.push(command);
      throw new Error("SIGKILL");
    });
    try {
      await undo(scratch, await scratch.open({}, dying), "T1");
    } catch (error) {
      if (!(error instanceof Error && error.message === "SIGKILL")) throw error;
    }
    if (died.length === 0) break;
    for (const command of died) seen.add(command);
    const repo = await scratch.open();
    const pending = await readPending(repo);
    if (pending !== undefined) await finishUndo(scratch, repo, pending);
    else if ((await liveOf(repo, "T1")).length > 0) await undo(scratch, repo, "T1");
    expect(await scratch.git("rev-list", "--count", `${start}..HEAD`)).toBe("1");
    expect(await scratch.git("status", "--porcelain")).toBe("?? mine.txt");
    expect(read(scratch, "big.txt")).toBe("line\n".repeat(1000));
    expect(await scratch.git("for-each-ref", "refs/looper")).toBe("");
  }
  expect([...seen]).toEqual(
    expect.arrayContaining(["fast-import", "read-tree", "update-index", "update-ref"]),
  );
});

/** Killed when the commit is built and nothing else was done. */
async function killedEarly(repo: Repository): Promise<Prepared> {
  await prepareUndo(repo, "T1");
  const found = await readPending(repo);
  if (found === undefined) throw new Error("no pending");
  return found;
}

test("a half-written and a missing file of a killed git are written whole", async ({ scratch }) => {
  const repo = await stage(scratch);
  const pending = await killedEarly(repo);
  write(scratch, "big.txt", "line\n".repeat(400) + "li");
  write(scratch, "goes.txt", "");
  rmSync(join(scratch.top, "a.txt"), { recursive: true });
  await finishUndo(scratch, repo, pending);
  expect(await scratch.git("status", "--porcelain")).toBe("?? mine.txt");
});

test("changes of a person between the kill and the next start stay theirs", async ({ scratch }) => {
  const repo = await stage(scratch);
  const pending = await killedEarly(repo);
  write(scratch, "big.txt", "a person\n");
  const { warnings } = await publishWithTree(repo, pending);
  expect(warnings).toEqual([expect.stringContaining("big.txt was changed meanwhile")]);
  expect(read(scratch, "big.txt")).toBe("a person\n");
  expect(await scratch.git("status", "--porcelain", "--", ":!to-do.json")).toBe(" M big.txt\n?? mine.txt");
  expect(await scratch.git("show", "HEAD:big.txt")).toBe("line\n".repeat(1000).trimEnd());
});

test("commits of a person between the kill and the next start are not undone", async ({ scratch }) => {
  const repo = await stage(scratch);
  const pending = await killedEarly(repo);
  write(scratch, "big.txt", "a person\n");
  write(scratch, "else.txt", "a person\n");
  rmSync(join(scratch.top, "new.txt"));
  await scratch.git("add", "big.txt", "else.txt", "new.txt");
  await scratch.git("commit", "-qm", "person");
  const { commit, warnings } = await publishWithTree(repo, pending);
  expect(warnings).toEqual([expect.stringContaining("big.txt was committed anew")]);
  expect(await changesOf(scratch, commit)).toEqual([
    "A a.txt",
    "D a.txt/inside",
    "A goes.txt",
    "M to-do.json",
  ]);
  expect(await scratch.git("status", "--porcelain", "--", ":!to-do.json")).toBe("?? mine.txt");
  expect(read(scratch, "big.txt")).toBe("a person\n");
});

test("an undo applies filters and line ends, and leaves an inner repository to the person", async ({
  scratch,
}) => {
  write(scratch, ".gitattributes", "*.crlf text eol=crlf\n");
  write(scratch, "x.crlf", "1\r\n2\r\n");
  await scratch.commitAll("more");
  await taskCommit(scratch, "T1", () => {
    write(scratch, "x.crlf", "T1\r\n");
  });
  const repo = await scratch.open();
  await undo(scratch, repo, "T1");
  expect(read(scratch, "x.crlf")).toBe("1\r\n2\r\n");
  expect(await scratch.git("status", "--porcelain")).toBe("");

  await scratch.git("init", "-q", "sub");
  await scratch.git(
    "-C",
    "sub",
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@b",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "1",
  );
  await scratch.commitAll("sub");
  await taskCommit(scratch, "T2", () => undefined);
  await scratch.git(
    "-C",
    "sub",
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@b",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "2",
  );
  await scratch.git("commit", "-qa", "--amend", "--no-edit");
  expect((await cleanPlan(repo, "T2")).changes).toMatchObject([{ path: "sub", to: { mode: "160000" } }]);
  const { warnings } = await publishWithTree(repo, await prepareUndo(repo, "T2"));
  expect(warnings).toEqual([expect.stringContaining("sub is a repository of its own")]);
  expect(await scratch.git("status", "--porcelain", "--", "sub")).toBe(" M sub");
  expect(await scratch.git("-C", "sub", "log", "--format=%s")).toBe("2\n1");
});

test("an undo changes the commit and not the tree outside a sparse checkout", async ({ scratch }) => {
  write(scratch, "out/x.txt", "before\n");
  await scratch.commitAll("more");
  await taskCommit(scratch, "T1", () => {
    write(scratch, "out/x.txt", "T1\n");
    write(scratch, "dir/b.txt", "T1\n");
  });
  await scratch.git("sparse-checkout", "set", "dir");
  expect(there(scratch, "out")).toBe(false);
  await undo(scratch, await scratch.open(), "T1");
  expect(read(scratch, "dir/b.txt")).toBe("two\n");
  expect(await scratch.git("show", "HEAD:out/x.txt")).toBe("before");
  expect(there(scratch, "out")).toBe(false);
  expect(await scratch.git("status", "--porcelain")).toBe("");
});
