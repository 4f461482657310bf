import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint, dropCheckpoint, keepCheckpoints } from "./checkpoint.js";
import { asResult, runGit } from "../base/git.js";
import { runAs, test, watchGit } from "../testing/scratch.js";
import { snapshot } from "../attempt/snapshot.js";

const T1 = { id: "T1", run: "run-1", reuse: false };
const REF = "refs/looper/checkpoint/main/T1";

/** Names no JavaScript string can hold, and those that break naive parsers. */
const NAMES = ["new\nline", 'quo"te', "ü", "-dash", "back\\slash", "tab\t", " ", ":(top)", "#x", "a b"];

function write(top: string, path: string, content: string): void {
  writeFileSync(join(top, path), content);
}

test("a checkpoint holds the tree with names of any kind, and touches neither index nor HEAD", async ({
  scratch,
}) => {
  const { top, git } = scratch;
  write(top, "staged.txt", "staged\n");
  await git("add", "staged.txt");
  write(top, "a.txt", "changed\n");
  for (const name of NAMES) write(top, name, name);
  writeFileSync(Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff, 0xfe])]), "not UTF-8");
  symlinkSync("a.txt", join(top, "link"));
  write(top, "run.sh", "#!/bin/sh\n");
  chmodSync(join(top, "run.sh"), 0o755);
  rmSync(join(top, "dir"), { recursive: true });
  write(top, "dir", "a file now");
  const before = await git("status", "--porcelain", "-z");

  const repo = await scratch.open();
  const taken = await checkpoint(repo, T1);
  expect(await git("status", "--porcelain", "-z")).toBe(before);
  expect(await git("rev-parse", REF)).toBe(taken.base);
  expect(await git("rev-parse", `${REF}^`)).toBe(taken.before.commit);
  const { out } = await runGit(repo, ["ls-tree", "-r", "-z", taken.base]);
  const modes = new Map(
    out.split("\0").map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, 6)]),
  );
  for (const name of NAMES) expect(modes.get(Buffer.from(name).toString("latin1"))).toBe("100644");
  expect(modes.get("\xff\xfe")).toBe("100644");
  expect(modes.get("link")).toBe("120000");
  expect(modes.get("run.sh")).toBe("100755");
  expect(modes.get("dir")).toBe("100644");
  expect(modes.has("dir/b.txt")).toBe(false);
  expect(await git("show", `${REF}:a.txt`)).toBe("changed");
  expect(taken.dirty.size).toBe(NAMES.length + 1 + 2 + 1 + 1 + 2);
  expect(taken.recorded).toEqual({ commit: taken.before.commit, branch: "refs/heads/main", run: "run-1" });
});

test("a checkpoint omits the backlog, its copies, the log and ignored files", async ({ scratch }) => {
  const { top, git } = scratch;
  write(top, ".gitignore", "looper-logs/\nignored\n");
  mkdirSync(join(top, "looper-logs"));
  for (const name of [
    "looper-logs/x",
    "ignored",
    "to-do.json",
    "to-do.json.edited-1",
    ".to-do.json.0123456789ab.tmp",
  ])
    write(top, name, "new\n");
  const repo = await scratch.open();
  const taken = await checkpoint(repo, T1);
  expect(await git("ls-tree", "-r", "--name-only", taken.base)).toBe(".gitignore\na.txt\ndir/b.txt");
  expect([...taken.dirty]).toEqual([".gitignore"]);
  expect(taken.warnings).toEqual([]);
});

test("a task's first checkpoint is reused with the current HEAD, and replaced without reuse", async ({
  scratch,
}) => {
  write(scratch.top, "a.txt", "person\n");
  const repo = await scratch.open();
  const first = await checkpoint(repo, T1);
  write(scratch.top, "a.txt", "attempt\n");
  await scratch.git("commit", "-q", "--allow-empty", "-m", "meanwhile");
  const again = await checkpoint(repo, { id: "T1", run: "run-2", reuse: true });
  expect(again).toMatchObject({ base: first.base, reused: true, recorded: first.recorded });
  expect(again.dirty).toEqual(first.dirty);
  expect(again.before.commit).toBe(await scratch.git("rev-parse", "HEAD"));
  const other = await checkpoint(repo, T1);
  expect(other.reused).toBe(false);
  expect(await scratch.git("show", `${REF}:a.txt`)).toBe("attempt");
  await dropCheckpoint(repo, "T1");
  await dropCheckpoint(repo, "T1");
  expect(await scratch.git("for-each-ref", "refs/looper")).toBe("");
  expect((await checkpoint(repo, { ...T1, reuse: true })).reused).toBe(false);
});

test("checkpoints of killed runs are deleted at the end, except those of tasks in hand", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  const long = `ü/${"x".repeat(300)}`;
  for (const id of ["T1", "T2", "review", long]) await checkpoint(repo, { ...T1, id });
  await keepCheckpoints(repo, ["T1", "T9"]);
  expect(await scratch.git("for-each-ref", "--format=%(refname)", "refs/looper")).toBe(REF);
  await keepCheckpoints(repo, []);
  expect(await scratch.git("for-each-ref", "refs/looper")).toBe("");
});

test("a checkpoint before the first commit is a root commit, and so is a later one of the same task", async ({
  scratch,
}) => {
  await runAs(scratch.ports, { cwd: scratch.top, env: scratch.env }, ["checkout", "-q", "--orphan", "fresh"]);
  await scratch.git("rm", "-rq", "--cached", ".");
  const repo = await scratch.open();
  for (const content of ["x", "y"]) {
    write(scratch.top, "a.txt", content);
    const taken = await checkpoint(repo, T1);
    expect(taken.before).toMatchObject({ commit: undefined, branch: "refs/heads/fresh" });
    expect(await scratch.git("log", "--format=%P", REF)).toBe("");
    expect([...taken.dirty].sort()).toEqual(["a.txt", "dir/b.txt"]);
  }
  const again = await checkpoint(repo, { ...T1, reuse: true });
  expect([...again.dirty].sort()).toEqual(["a.txt", "dir/b.txt"]);
});

test("an empty repository has a checkpoint", async ({ scratch }) => {
  const folder = join(scratch.top, "..", "empty");
  mkdirSync(folder);
  await runAs(scratch.ports, { cwd: folder, env: scratch.env }, ["init", "-q"]);
  const repo = await scratch.open({ projectDir: folder, todoFile: join(folder, "to-do.json"), exclude: [] });
  const taken = await checkpoint(repo, T1);
  expect(taken.dirty.size).toBe(0);
  write(folder, "first", "1");
  const after = await snapshot(repo, { checkpoint: taken, run: "r", label: "T1-1", policy: "runner" });
  expect(after.changes.map(({ path }) => path)).toEqual(["first"]);
});

test("detached HEAD", async ({ scratch }) => {
  await scratch.git("checkout", "-q", "--detach");
  const taken = await checkpoint(await scratch.open(), T1);
  expect(taken.before).toMatchObject({ branch: undefined, commit: await scratch.git("rev-parse", "HEAD") });
});

test("each working tree has its own", async ({ scratch }) => {
  const linked = join(scratch.top, "..", "linked");
  await scratch.git("worktree", "add", "-q", "-b", "side", linked);
  write(linked, "a.txt", "linked\n");
  const todoFile = join(linked, "to-do.json");
  const there = await scratch.open({ projectDir: linked, todoFile, exclude: [] });
  const one = await checkpoint(await scratch.open(), T1);
  const two = await checkpoint(there, T1);
  expect(two.before.branch).toBe("refs/heads/side");
  expect(await scratch.git("show", `${one.base}:a.txt`)).toBe("one");
  expect(await scratch.git("show", "refs/looper/checkpoint/linked-linked/T1:a.txt")).toBe("linked");
});

test("a change within the same second and of the same size is detected", async ({ scratch }) => {
  const { top, git } = scratch;
  const old = new Date(1_700_000_000_000);
  write(top, "a.txt", "111\n");
  utimesSync(join(top, "a.txt"), old, old);
  await git("add", "a.txt");
  utimesSync(join(top, ".git", "index"), old, old);
  // Same inode, size and time as the index knows it, and as old as the index itself.
  write(top, "a.txt", "222\n");
  utimesSync(join(top, "a.txt"), old, old);
  await git("config", "core.trustctime", "false");
  const taken = await checkpoint(await scratch.open(), T1);
  expect(await git("show", `${taken.base}:a.txt`)).toBe("222");
});

test("an embedded repository without commits is remembered and does not block the outer checkpoint", async ({
  scratch,
}) => {
  const inner = join(scratch.top, "inner");
  mkdirSync(inner);
  await runAs(scratch.ports, { cwd: inner, env: scratch.env }, ["init", "-q"]);
  write(scratch.top, "zzz", "in");
  const taken = await checkpoint(await scratch.open(), T1);
  expect([...taken.dirty]).toEqual(["zzz"]);
  expect([...taken.modules.keys()]).toEqual(["inner"]);
});

test("a checkpoint is made in spite of a killed git's lock of the own index, and of a lock of the person's index", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  await checkpoint(repo, T1);
  write(scratch.top, ".git/looper/index.lock", "");
  write(scratch.top, ".git/index.lock", "");
  expect((await checkpoint(repo, { ...T1, reuse: true })).reused).toBe(true);
  expect((await checkpoint(repo, T1)).reused).toBe(false);
});

test("a checkpoint starts six git processes, and throws a GitError if one fails", async ({ scratch }) => {
  const seen: string[] = [];
  const ports = watchGit(scratch.ports, ([command = ""]) => void seen.push(command));
  const repo = await scratch.open({}, ports);
  seen.length = 0;
  await checkpoint(repo, T1);
  expect(seen).toEqual(["for-each-ref", "ls-files", "add", "ls-files", "diff-index", "fast-import"]);
  rmSync(join(scratch.top, ".git", "objects"), { recursive: true });
  expect(await asResult(() => checkpoint(repo, T1))).toMatchObject({ ok: false });
});

test("staging is repeated if a file vanishes meanwhile", async ({ scratch }) => {
  const { top, ports } = scratch;
  write(top, "new.txt", "new\n");
  const stderr = "fatal: unable to stat '.new.txt.swp': No such file or directory\n";
  let failures = 0;
  const flaky: typeof ports = {
    ...ports,
    processes: {
      ...ports.processes,
      run: (spec, options) =>
        spec.args.includes("add") && failures++ < 2
          ? Promise.resolve({
              end: { how: "exited", code: 128 },
              stdout: new Uint8Array(),
              stderr,
              timedOut: false,
            })
          : ports.processes.run(spec, options),
    },
  };
  const taken = await checkpoint(await scratch.open({}, flaky), T1);
  expect(failures).toBe(3);
  expect([...taken.dirty.keys()]).toEqual(["new.txt"]);
});

test("a checkpoint holds the whole tree although another task's is deleted while it is staged", async ({
  scratch,
}) => {
  const plain = await scratch.open();
  await checkpoint(plain, T1);
  let deleted = 0;
  const ports = watchGit(scratch.ports, async ([command = ""]) => {
    if (command !== "diff-index" || deleted++ > 0) return;
    await dropCheckpoint(plain, "T1");
  });
  write(scratch.top, "a.txt", "of T2\n");
  await checkpoint(await scratch.open({}, ports), { ...T1, id: "T2" });
  expect(deleted).toBeGreaterThan(0);
  expect(await scratch.git("ls-tree", "-r", "--name-only", "refs/looper/checkpoint/main/T2")).toBe(
    "a.txt\ndir/b.txt",
  );
});
