import { asResult } from "../git.js";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { useBranch } from "./head.js";
import { summariseChanges, findTasksInHistory } from "../read/history.js";
import { test } from "../../testing/scratch.js";

test("a new branch starts at HEAD and changes no file", async ({ scratch }) => {
  writeFileSync(join(scratch.top, "a.txt"), "person\n");
  await scratch.git("add", "a.txt");
  const repo = await scratch.open();
  const head = await scratch.git("rev-parse", "HEAD");
  await useBranch(repo, "looper/run-1");
  await useBranch(repo, "looper/run-1");
  expect(await scratch.git("symbolic-ref", "HEAD")).toBe("refs/heads/looper/run-1");
  expect(await scratch.git("rev-parse", "HEAD")).toBe(head);
  expect(await scratch.git("status", "--porcelain")).toBe("M  a.txt");
});

test("an existing branch is switched to unless uncommitted changes would mix with it", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  await scratch.git("branch", "same");
  await scratch.git("switch", "-qc", "other");
  writeFileSync(join(scratch.top, "a.txt"), "other\n");
  await scratch.commitAll("other");
  await scratch.git("switch", "-q", "main");
  await useBranch(repo, "other");
  expect(readFileSync(join(scratch.top, "a.txt"), "utf8")).toBe("other\n");
  await scratch.git("switch", "-q", "main");
  writeFileSync(join(scratch.top, "dir", "b.txt"), "person\n");
  expect(JSON.stringify(await asResult(() => useBranch(repo, "other")))).toContain(
    "there are uncommitted changes",
  );
  expect(await scratch.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
  await useBranch(repo, "same");
  expect(await scratch.git("status", "--porcelain")).toBe(" M dir/b.txt");
});

test("before the first commit only the branch's name is set, and an invalid name is refused", async ({
  scratch,
}) => {
  await scratch.git("checkout", "-q", "--orphan", "fresh");
  const repo = await scratch.open();
  await useBranch(repo, "next");
  expect(await scratch.git("symbolic-ref", "HEAD")).toBe("refs/heads/next");
  for (const name of ["-x", "a..b", "a b", ""]) {
    expect(await asResult(() => useBranch(repo, name))).toMatchObject({ ok: false });
  }
  expect(await asResult(() => useBranch(repo, "main"))).toMatchObject({ ok: false });
});

test("the newest version of the backlog that has tasks is found, unless a committed one without tasks says to start anew", async ({
  scratch,
}) => {
  const todo = join(scratch.top, "to-do.json");
  const repo = await scratch.open();
  writeFileSync(todo, '\uFEFF{"tasks":[{"id":"ü"}]}');
  const newest = await scratch.commitAll("with tasks");
  for (const content of ['{"tasks":[]}', "{ broken", "null", ""]) {
    writeFileSync(todo, content);
    await scratch.commitAll("without");
  }
  rmSync(todo);
  await scratch.commitAll("gone");
  expect(await findTasksInHistory(repo)).toEqual({ commit: newest });
  writeFileSync(todo, '{"tasks":[]}');
  await scratch.commitAll("anew");
  expect(await findTasksInHistory(repo)).toBe("emptied");
});

test("a version with tasks is not found without a committed one, without a commit, or for a backlog elsewhere", async ({
  scratch,
}) => {
  const never = await scratch.open({ todoFile: join(scratch.top, "other.json") });
  expect(await findTasksInHistory(never)).toBeUndefined();
  const outside = await scratch.open({ todoFile: join(scratch.top, "..", "to-do.json") });
  expect(await findTasksInHistory(outside)).toBeUndefined();
  await scratch.git("checkout", "-q", "--orphan", "fresh");
  expect(await findTasksInHistory(await scratch.open())).toBeUndefined();
});

test("the summary of changes since a commit omits the runner's own files and is bounded", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  const begun = await scratch.git("rev-parse", "HEAD");
  writeFileSync(join(scratch.top, "a.txt"), "one\nmore\n");
  writeFileSync(join(scratch.top, "to-do.json"), "{}");
  const text = await summariseChanges(repo, begun);
  expect(text).toMatch(/^ a\.txt \| 1 \+\n 1 file changed, 1 insertion\(\+\)\n$/);
  for (let at = 0; at < 300; at++) writeFileSync(join(scratch.top, `many-${String(at)}`), "x\n");
  await scratch.commitAll("many");
  const bounded = await summariseChanges(repo, begun);
  expect(bounded.split("\n").length).toBeLessThan(210);
  expect(bounded).toContain("301 files changed");
  expect(await asResult(() => summariseChanges(repo, "nothing"))).toMatchObject({ ok: false });
});
