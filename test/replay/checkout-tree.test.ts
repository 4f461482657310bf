import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { readRecords, recordAttempt, recordStart } from "../../src/git/commit/run-refs.js";
import { checkpoint } from "../../src/git/checkpoint/checkpoint.js";
import { diffFromParent, setHead, checkOutTree, resolveObject, listDifferences } from "./checkout-tree.js";
import { attemptRef, startRef } from "../../src/git/base/names.js";
import { openRepository, type Repository } from "../../src/git/base/repository/repository.js";
import { must, runAs, test, type Scratch } from "../../src/git/testing/scratch.js";
import { cloneShared } from "./shared-clone.js";
import { snapshot } from "../../src/git/attempt/snapshot.js";

/** A clone of the scratch repository, beside it. */
async function cloneOf(scratch: Scratch, repo: Repository): Promise<Repository> {
  const folder = join(scratch.top, "..", "clone");
  const env = await cloneShared(repo, { folder, home: join(scratch.top, "..", "home") });
  const places = { projectDir: folder, todoFile: join(folder, "to-do.json"), exclude: [], env };
  return must(await openRepository(scratch.ports, places));
}

test("a start and an attempt are read back and written into a clone that never touches the first", async ({
  scratch,
}) => {
  const at = (name: string) => join(scratch.top, name);
  const repo = await scratch.open();
  writeFileSync(at("a.txt"), "person\n");
  writeFileSync(at("untracked"), "person\n");
  const taken = await checkpoint(repo, { id: "T1", run: "r 1", reuse: false });
  const backlog = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d, 0xff]);
  await recordStart(repo, { run: "r 1", base: taken.base, backlog, log: "/logs" });
  rmSync(at("dir"), { recursive: true });
  writeFileSync(at("dir"), "a file now\n");
  rmSync(at("untracked"));
  mkdirSync(at("untracked"));
  writeFileSync(at("untracked/ü \n"), "a folder now\n");
  symlinkSync("a.txt", at("link"));
  writeFileSync(at("run.sh"), "#!/bin/sh\n");
  chmodSync(at("run.sh"), 0o755);
  const { changes } = await snapshot(repo, {
    checkpoint: taken,
    run: "r 1",
    label: "T1-1",
    policy: "runner",
  });
  const commit = await recordAttempt(repo, { run: "r 1", task: "T1", attempt: 1, base: taken.base, changes });
  const records = await readRecords(repo, "r 1");
  expect(records?.start).toEqual({ base: taken.base, backlog });
  expect([...(records?.attempts.keys() ?? [])].sort()).toEqual(
    [attemptRef("r 1", "T1", 1), startRef("r 1")].sort(),
  );
  expect(await readRecords(repo, "r")).toBeUndefined();

  const before = await scratch.git("for-each-ref");
  const status = await scratch.git("status", "--porcelain");
  const clone = await cloneOf(scratch, repo);
  const head = await scratch.git("rev-parse", "HEAD");
  await setHead(clone, { head, base: taken.base });
  expect(await checkOutTree(clone, { base: taken.base, changes: [] })).toBe(3);
  const inClone = (name: string) => join(clone.cwd, name);
  expect(readFileSync(inClone("untracked"), "utf8")).toBe("person\n");
  expect(readFileSync(inClone("dir/b.txt"), "utf8")).toBe("two\n");
  expect(existsSync(inClone("to-do.json"))).toBe(false);
  const found = await diffFromParent(clone, commit);
  expect(await checkOutTree(clone, { base: taken.base, changes: found })).toBe(changes.length);
  expect(readFileSync(inClone("untracked/ü \n"), "utf8")).toBe("a folder now\n");
  expect(readFileSync(inClone("dir"), "utf8")).toBe("a file now\n");
  expect(lstatSync(inClone("link")).isSymbolicLink()).toBe(true);
  expect(lstatSync(inClone("run.sh")).mode & 0o100).toBe(0o100);
  // And back, whatever is there.
  writeFileSync(inClone("left over"), "x");
  expect(await checkOutTree(clone, { base: taken.base, changes: [] })).toBe(changes.length + 1);
  expect(existsSync(inClone("left over"))).toBe(false);
  expect(await checkOutTree(clone, { base: taken.base, changes: [] })).toBe(0);

  expect(await resolveObject(clone, `${commit}^{commit}`)).toBe(commit);
  expect(await resolveObject(clone, `${"1".repeat(40)}^{commit}`)).toBeUndefined();
  expect((await listDifferences(clone, taken.base, head)).sort()).toEqual([
    "a.txt",
    "to-do.json",
    "untracked",
  ]);
  expect(await scratch.git("for-each-ref")).toBe(before);
  expect(await scratch.git("status", "--porcelain")).toBe(status);
});

test("a clone has the person's conversion settings, and not their filters, hooks and templates", async ({
  scratch,
}) => {
  const { HOME = "" } = scratch.env;
  const at = (name: string) => join(scratch.top, name);
  mkdirSync(join(HOME, ".config/git"), { recursive: true });
  writeFileSync(join(HOME, ".config/git/ignore"), "*.mine\n");
  writeFileSync(at(".git/info/exclude"), "*.here");
  writeFileSync(join(HOME, "attributes"), "*.bin -text\n");
  await scratch.git("config", "core.autocrlf", "input");
  await scratch.git("config", "core.attributesFile", "~/attributes");
  await scratch.git("config", "filter.bad.smudge", "false");
  await scratch.git("config", "filter.bad.clean", "false");
  await scratch.git("config", "filter.bad.required", "true");
  const repo = await scratch.open();
  const clone = await cloneOf(scratch, repo);
  const head = await scratch.git("rev-parse", "HEAD");
  await setHead(clone, { head, base: head });
  await checkOutTree(clone, { base: head, changes: [] });
  for (const name of ["x.mine", "x.here", "crlf.txt", "crlf.bin"])
    writeFileSync(join(clone.cwd, name), "line\r\n");
  writeFileSync(join(clone.cwd, ".gitattributes"), "*.bad filter=bad\n");
  writeFileSync(join(clone.cwd, "x.bad"), "whatever\n");
  const git = (...args: string[]) => runAs(scratch.ports, { cwd: clone.cwd, env: { ...clone.env } }, args);
  await git("add", "-A");
  expect((await git("diff", "--cached", "--name-only", head)).split("\n")).toEqual([
    ".gitattributes",
    "crlf.bin",
    "crlf.txt",
    "to-do.json",
    "x.bad",
  ]);
  expect(await git("cat-file", "-s", ":crlf.txt")).toBe("5");
  expect(await git("cat-file", "-s", ":crlf.bin")).toBe("6");
  expect(existsSync(join(clone.gitDir, "hooks"))).toBe(false);
});
