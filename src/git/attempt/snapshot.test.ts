import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint, type Checkpoint } from "../checkpoint/checkpoint.js";
import type { Repository } from "../base/repository/repository.js";
import { runAs, test, watchGit, type Scratch } from "../testing/scratch.js";
import type { CommitPolicy } from "../restore/settle-head.js";
import { snapshot, type Snapshot } from "./snapshot.js";

const RESCUE = "refs/looper/rescue/run-1/T1-1";

async function begin(scratch: Scratch): Promise<{ repo: Repository; taken: Checkpoint }> {
  const repo = await scratch.open();
  return { repo, taken: await checkpoint(repo, { id: "T1", run: "run-1", reuse: false }) };
}

async function look(repo: Repository, taken: Checkpoint, policy: CommitPolicy = "runner"): Promise<Snapshot> {
  return await snapshot(repo, { checkpoint: taken, run: "run-1", label: "T1-1", policy });
}

function paths(seen: Snapshot): string[] {
  return seen.changes.map(({ path }) => path);
}

function write(scratch: Scratch, path: string, content: string): void {
  writeFileSync(join(scratch.top, path), content);
}

function read(scratch: Scratch, path: string): string {
  return readFileSync(join(scratch.top, path), "utf8");
}

test("a snapshot lists the attempt's changes, without earlier changes and the runner's own files", async ({
  scratch,
}) => {
  write(scratch, "a.txt", "person\n");
  write(scratch, "theirs", "person\n");
  const { repo, taken } = await begin(scratch);
  write(scratch, "new\nline", "x");
  rmSync(join(scratch.top, "dir", "b.txt"));
  write(scratch, "to-do.json", '{"tasks":[]}');
  write(scratch, "to-do.json.edited-2026", "copy");
  mkdirSync(join(scratch.top, "looper-logs"));
  write(scratch, "looper-logs/x", "log");
  const seen = await look(repo, taken);
  expect(paths(seen)).toEqual(["dir/b.txt", "new\nline"]);
  expect(seen).toMatchObject({ verdict: "same", backlogMode: "100644", warnings: [] });
  expect(seen.head).toEqual({ commit: taken.before.commit, branch: "refs/heads/main" });
});

test("a warning names a path that a person and the attempt changed", async ({ scratch }) => {
  write(scratch, "ü.txt", "person\n");
  const { repo, taken } = await begin(scratch);
  write(scratch, "ü.txt", "person\nagent\n");
  const { warnings } = await look(repo, taken);
  expect(warnings).toEqual([
    expect.stringMatching(/^ü\.txt had your uncommitted changes, and the agent changed it too/),
  ]);
});

test("a warning says that the attempt deleted a file with changes of a person", async ({ scratch }) => {
  write(scratch, "a.txt", "person\n");
  const { repo, taken } = await begin(scratch);
  rmSync(join(scratch.top, "a.txt"));
  const { warnings } = await look(repo, taken);
  expect(warnings).toEqual([
    expect.stringMatching(
      /^a\.txt had your uncommitted changes, and the agent deleted it: .* Your version: git show /,
    ),
  ]);
});

test("the tree is kept between attempts, so the second snapshot holds the work of both", async ({
  scratch,
}) => {
  const { repo, taken } = await begin(scratch);
  write(scratch, "one", "1");
  await look(repo, taken);
  const again = await checkpoint(repo, { id: "T1", run: "run-1", reuse: true });
  write(scratch, "two", "2");
  expect(paths(await look(repo, again))).toEqual(["one", "two"]);
  rmSync(join(scratch.top, ".git", "looper"), { recursive: true });
  expect(paths(await look(repo, again))).toEqual(["one", "two"]);
});

test("a snapshot starts three git processes if HEAD was not moved", async ({ scratch }) => {
  const seen: string[] = [];
  const repo = await scratch.open(
    {},
    watchGit(scratch.ports, ([command = ""]) => void seen.push(command)),
  );
  const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  seen.length = 0;
  await look(repo, taken);
  expect(seen).toEqual(["for-each-ref", "add", "diff-index"]);
});

test("commits on the same branch are kept as a rescue, HEAD is restored, and tree and index stay", async ({
  scratch,
}) => {
  write(scratch, "staged", "person\n");
  await scratch.git("add", "staged");
  const { repo, taken } = await begin(scratch);
  write(scratch, "a.txt", "agent\n");
  write(scratch, "new", "agent\n");
  await scratch.git("rm", "-q", "dir/b.txt");
  await scratch.git("add", "a.txt", "new");
  await scratch.git("commit", "-qm", "mine", "--", "a.txt", "new", "dir/b.txt");
  const tip = await scratch.git("rev-parse", "HEAD");
  const seen = await look(repo, taken);
  expect(seen.verdict).toBe("put-back");
  expect(paths(seen)).toEqual(["a.txt", "dir/b.txt", "new"]);
  expect(await scratch.git("rev-parse", "HEAD", RESCUE)).toBe(`${String(taken.before.commit)}\n${tip}`);
  expect(await scratch.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
  expect(await scratch.git("status", "--porcelain")).toBe(" M a.txt\n D dir/b.txt\nA  staged\n?? new");
});

test("changes that a person staged on top of the agent's commit stay staged", async ({ scratch }) => {
  const { repo, taken } = await begin(scratch);
  write(scratch, "a.txt", "agent\n");
  write(scratch, "dir/b.txt", "agent\n");
  await scratch.commitAll("mine");
  write(scratch, "a.txt", "person\n");
  await scratch.git("add", "a.txt");
  expect((await look(repo, taken)).verdict).toBe("put-back");
  expect(await scratch.git("status", "--porcelain")).toBe("M  a.txt\n M dir/b.txt");
});

test("commits of an agent stay under the policy agent", async ({ scratch }) => {
  const { repo, taken } = await begin(scratch);
  write(scratch, "a.txt", "agent\n");
  const tip = await scratch.commitAll("mine");
  const seen = await look(repo, taken, "agent");
  expect(seen).toMatchObject({ verdict: "same", head: { commit: tip } });
  expect(paths(seen)).toEqual(["a.txt"]);
  expect(await scratch.git("rev-parse", "HEAD")).toBe(tip);
});

test("a root commit by the agent is removed from the branch", async ({ scratch }) => {
  await scratch.git("checkout", "-q", "--orphan", "fresh");
  await scratch.git("rm", "-rq", "--cached", ".");
  const { repo, taken } = await begin(scratch);
  write(scratch, "new", "agent\n");
  const tip = await scratch.commitAll("mine");
  const seen = await look(repo, taken);
  expect(seen).toMatchObject({
    verdict: "put-back",
    head: { commit: undefined, branch: "refs/heads/fresh" },
  });
  expect(paths(seen)).toEqual(["new"]);
  expect(await scratch.git("rev-parse", RESCUE)).toBe(tip);
  await expect(scratch.git("rev-parse", "--verify", "HEAD")).rejects.toThrow();
  expect(await scratch.git("symbolic-ref", "HEAD")).toBe("refs/heads/fresh");
  expect(await scratch.git("ls-files")).toBe("");
});

test("a detached HEAD with commits of the agent is restored", async ({ scratch }) => {
  await scratch.git("checkout", "-q", "--detach");
  const { repo, taken } = await begin(scratch);
  await scratch.git("commit", "-q", "--allow-empty", "-m", "mine");
  expect((await look(repo, taken)).verdict).toBe("put-back");
  expect(await scratch.git("rev-parse", "HEAD")).toBe(taken.before.commit);
  await expect(scratch.git("symbolic-ref", "-q", "HEAD")).rejects.toThrow();
});

test("HEAD and branch are restored after a switch, and the new branch and the work stay", async ({
  scratch,
}) => {
  const { repo, taken } = await begin(scratch);
  write(scratch, "on-main", "agent\n");
  const main = await scratch.commitAll("on main");
  await scratch.git("switch", "-qc", "feature", String(taken.before.commit));
  write(scratch, "a.txt", "agent\n");
  const tip = await scratch.commitAll("on feature");
  const seen = await look(repo, taken);
  expect(seen.verdict).toEqual({ moved: "the agent went from main to feature" });
  expect(paths(seen)).toEqual(["a.txt"]);
  expect(await scratch.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
  expect(await scratch.git("rev-parse", "main", "feature", RESCUE, `${RESCUE}-branch`)).toBe(
    [taken.before.commit, tip, tip, main].join("\n"),
  );
  expect(await scratch.git("status", "--porcelain")).toBe(" M a.txt");
});

test("after a switch to a branch at the same commit HEAD is put back", async ({ scratch }) => {
  const { repo, taken } = await begin(scratch);
  await scratch.git("switch", "-qc", "feature");
  expect((await look(repo, taken)).verdict).toBe("put-back");
  expect(await scratch.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
});

test("after a reset to an older commit the removed files come back, and the agent's changes stay", async ({
  scratch,
}) => {
  write(scratch, "later.txt", "later\n");
  write(scratch, "both.txt", "second\n");
  write(scratch, "a.txt", "two\n");
  mkdirSync(join(scratch.top, "deep"));
  write(scratch, "deep/x", "x\n");
  await scratch.commitAll("second");
  write(scratch, "to-do.json", "doing");
  const { repo, taken } = await begin(scratch);
  write(scratch, "to-do.json", "doing still");
  await scratch.git("reset", "-q", "--hard", "HEAD~1");
  write(scratch, "to-do.json", "doing still");
  write(scratch, "dir/b.txt", "agent\n");
  write(scratch, "both.txt", "agent, after the reset\n");
  const seen = await look(repo, taken);
  expect(seen.verdict).toEqual({ moved: "the agent rewrote main" });
  expect(paths(seen)).toEqual(["both.txt", "dir/b.txt"]);
  expect(read(scratch, "both.txt")).toBe("agent, after the reset\n");
  expect([read(scratch, "later.txt"), read(scratch, "a.txt"), read(scratch, "deep/x")]).toEqual([
    "later\n",
    "two\n",
    "x\n",
  ]);
  expect(read(scratch, "dir/b.txt")).toBe("agent\n");
  expect(read(scratch, "to-do.json")).toBe("doing still");
  expect(await scratch.git("rev-parse", "main")).toBe(taken.before.commit);
  expect(await scratch.git("status", "--porcelain")).toBe(" M both.txt\n M dir/b.txt\n M to-do.json");
  expect(await scratch.git("show", `${RESCUE}-tree:a.txt`)).toBe("one");
});

test("files that only an unrelated branch has are removed from the tree, and kept in the rescue", async ({
  scratch,
}) => {
  await scratch.git("switch", "-q", "--orphan", "other");
  write(scratch, "other.txt", "other\n");
  await scratch.commitAll("other");
  await scratch.git("switch", "-q", "main");
  write(scratch, "untracked", "person\n");
  const { repo, taken } = await begin(scratch);
  await scratch.git("switch", "-q", "other");
  const seen = await look(repo, taken);
  expect(paths(seen)).toEqual([]);
  expect(existsSync(join(scratch.top, "other.txt"))).toBe(false);
  expect(read(scratch, "a.txt") + read(scratch, "dir/b.txt") + read(scratch, "untracked")).toBe(
    "one\ntwo\nperson\n",
  );
  expect(await scratch.git("show", `${RESCUE}-tree:other.txt`)).toBe("other");
});

test("an amended commit counts as a rewritten branch", async ({ scratch }) => {
  const { repo, taken } = await begin(scratch);
  await scratch.git("commit", "-q", "--amend", "-m", "better");
  const tip = await scratch.git("rev-parse", "HEAD");
  expect((await look(repo, taken)).verdict).toEqual({ moved: "the agent rewrote main" });
  expect(await scratch.git("rev-parse", "HEAD", RESCUE)).toBe(`${String(taken.before.commit)}\n${tip}`);
});

test("an unfinished rebase is ended, and main is restored", async ({ scratch }) => {
  await scratch.git("switch", "-qc", "side");
  write(scratch, "a.txt", "side\n");
  await scratch.commitAll("side");
  await scratch.git("switch", "-q", "main");
  write(scratch, "a.txt", "main\n");
  await scratch.commitAll("main");
  const { repo, taken } = await begin(scratch);
  await expect(scratch.git("rebase", "-q", "side")).rejects.toThrow();
  const seen = await look(repo, taken);
  expect(seen.verdict).toEqual({ moved: "the agent began a rebase" });
  expect(existsSync(join(scratch.top, ".git", "rebase-merge"))).toBe(false);
  expect(await scratch.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
  expect(await scratch.git("rev-parse", "HEAD")).toBe(taken.before.commit);
  expect(await scratch.git("ls-files", "-u")).toBe("");
});

test("a push of the agent's commits fails the attempt; a fetch meanwhile, and a person's push, do not", async ({
  scratch,
}) => {
  const bare = join(scratch.top, "..", "bare");
  await scratch.git("clone", "-q", "--bare", ".", bare);
  await scratch.git("remote", "add", "origin", bare);
  const first = await begin(scratch);
  await scratch.git("push", "-q", "origin", "main");
  expect((await look(first.repo, first.taken)).verdict).toBe("same");

  const clone = join(scratch.top, "..", "clone");
  await scratch.git("clone", "-q", bare, clone);
  const there = { cwd: clone, env: { ...scratch.env, EMAIL: "x@example.org" } };
  const config = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
  await runAs(scratch.ports, there, [...config, "commit", "-q", "--allow-empty", "-m", "elsewhere"]);
  await runAs(scratch.ports, there, ["push", "-q", "origin", "HEAD:refs/heads/other"]);
  const second = await begin(scratch);
  await scratch.git("fetch", "-q", "origin");
  await scratch.git("commit", "-q", "--allow-empty", "-m", "mine");
  expect((await look(second.repo, second.taken)).verdict).toBe("put-back");

  const third = await begin(scratch);
  await scratch.git("commit", "-q", "--allow-empty", "-m", "pushed");
  await scratch.git("push", "-q", "origin", "main");
  await scratch.git("commit", "-q", "--allow-empty", "-m", "on top");
  expect((await look(third.repo, third.taken)).verdict).toEqual({ moved: "the agent pushed to origin/main" });
  expect(await scratch.git("rev-parse", "main")).toBe(third.taken.before.commit);
  // The first rescue under this label is not overwritten.
  expect(await scratch.git("log", "-1", "--format=%s", RESCUE)).toBe("mine");
  expect(await scratch.git("log", "-1", "--format=%s", `${RESCUE}-2`)).toBe("on top");
});

test("a branch that the agent deleted is restored", async ({ scratch }) => {
  const { repo, taken } = await begin(scratch);
  await scratch.git("checkout", "-q", "--detach");
  await scratch.git("branch", "-qD", "main");
  expect((await look(repo, taken)).verdict).toBe("put-back");
  expect(await scratch.git("rev-parse", "main")).toBe(taken.before.commit);
  expect(await scratch.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
});

test("a snapshot has no mode for an untracked backlog", async ({ scratch }) => {
  await scratch.git("rm", "-q", "--cached", "to-do.json");
  await scratch.git("commit", "-qm", "untracked");
  const { repo, taken } = await begin(scratch);
  expect(await look(repo, taken)).toMatchObject({ backlogMode: undefined, changes: [] });
});

const HOSTILE = "untracked' ; touch pwned ; '";

const UNDOES: readonly (readonly [name: string, ...commands: (readonly string[])[]])[] = [
  ["stash", ["stash", "-q", "-u"]],
  ["checkout", ["checkout", "-q", "HEAD", "--", "."], ["clean", "-fdq"]],
  ["reset", ["reset", "-q", "--hard"], ["clean", "-fdq"]],
  ["restore", ["restore", "-SW", "."], ["clean", "-fdq"]],
];

test.for(UNDOES)(
  "changes of a person that the agent undid are told so, and come back: %s",
  async (undo, { scratch }) => {
    const [, ...commands] = undo;
    write(scratch, "gone", "gone\n");
    await scratch.commitAll("more");
    write(scratch, "a.txt", "person\n");
    // Pasted into a shell, the name of a file is a name.
    write(scratch, HOSTILE, "person\n");
    write(scratch, "dir/b.txt", "staged\n");
    await scratch.person("add", "dir/b.txt");
    write(scratch, "dir/b.txt", "staged and dirty\n");
    rmSync(join(scratch.top, "gone"));
    const { repo, taken } = await begin(scratch);
    for (const command of commands) await scratch.git(...command);
    write(scratch, "agents", "agent\n");
    const seen = await look(repo, taken);
    const undone = seen.warnings.filter((line) => line.includes("the agent undid them: no commit has them"));
    expect(undone.map((line) => line.split(" had ", 1)[0])).toEqual(["a.txt", "dir/b.txt", "gone", HOSTILE]);
    for (const line of undone)
      execFileSync("sh", ["-c", /git restore .*$/.exec(line)?.[0] ?? "false"], { cwd: scratch.top });
    expect(existsSync(join(scratch.top, "pwned"))).toBe(false);
    expect([read(scratch, "a.txt"), read(scratch, "dir/b.txt"), read(scratch, HOSTILE)]).toEqual([
      "person\n",
      "staged and dirty\n",
      "person\n",
    ]);
    expect(existsSync(join(scratch.top, "gone"))).toBe(false);
    const staged = /not staged any more \(dir\/b\.txt\); each is kept: git show (\S+)PATH$/.exec(
      seen.warnings.join("\n"),
    )?.[1];
    expect(await scratch.person("show", `${staged ?? ""}dir/b.txt`)).toBe("staged");
  },
);

test("a removal that a person staged does not go into a commit unnamed", async ({ scratch }) => {
  await scratch.person("rm", "-q", "--cached", "a.txt");
  const { repo, taken } = await begin(scratch);
  await scratch.git("clean", "-fdq");
  await scratch.git("rm", "-q", "dir/b.txt");
  const seen = await look(repo, taken);
  expect(paths(seen)).toEqual(["a.txt", "dir/b.txt"]);
  expect(seen.warnings).toEqual([
    expect.stringMatching(/^a\.txt had your .*: a commit of the attempt deletes it/),
  ]);
});
