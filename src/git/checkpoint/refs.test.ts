import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint } from "./checkpoint.js";
import { test, type Scratch } from "../testing/scratch.js";
import { warnOfRefs } from "./refs.js";
import { snapshot, type Snapshot } from "../attempt/snapshot.js";

const [one, two] = ["1".repeat(40), "2".repeat(40)];
const refs = (all: Record<string, string>) => new Map(Object.entries(all));

test("branches that were made or moved are named, the branch of HEAD and remote ones are not", () => {
  const before = {
    branch: "refs/heads/main",
    refs: refs({
      "refs/heads/main": one,
      "refs/heads/kept": one,
      "refs/heads/a/b": one,
      "refs/heads/gone": one,
      "refs/remotes/origin/x": one,
    }),
  };
  const now = {
    refs: refs({
      "refs/heads/main": two,
      "refs/heads/kept": one,
      "refs/heads/a/b": two,
      "refs/heads/new": two,
      "refs/remotes/origin/x": two,
    }),
  };
  expect(warnOfRefs(before, now)).toEqual([
    `the branch a/b was moved during the attempt; to put it back: git branch -f a/b ${one}`,
    "the branch new was made during the attempt, and stays; to remove it: git branch -D new",
  ]);
  expect(warnOfRefs(before, before)).toEqual([]);
});

test("tags that were made or moved are named with the command that takes it back", () => {
  const before = { branch: "refs/heads/main", refs: refs({ "refs/tags/v1": one, "refs/tags/v2": one }) };
  const now = { refs: refs({ "refs/tags/v1": two, "refs/tags/v3": one, "refs/heads/v3": one }) };
  expect(warnOfRefs(before, now)).toEqual([
    "the branch v3 was made during the attempt, and stays; to remove it: git branch -D v3",
    `the tag v1 was moved during the attempt; to put it back: git tag -f v1 ${one}`,
    "the tag v3 was made during the attempt, and stays; to remove it: git tag -d v3",
  ]);
});

/** Does this between a checkpoint and its snapshot. */
async function during(scratch: Scratch, agent: () => Promise<unknown>): Promise<Snapshot> {
  const repo = await scratch.open();
  const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  await agent();
  return await snapshot(repo, { checkpoint: taken, run: "run-1", label: "T1-1", policy: "runner" });
}

/** A commit beside the branch, under this name. */
async function makeBeside({ person }: Scratch, ...name: string[]): Promise<string> {
  const commit = await person("commit-tree", "-p", "HEAD", "-m", name.join(" "), "HEAD^{tree}");
  await person(...name, commit);
  return commit;
}

test("a branch, a tag and a note that an attempt removed are back under their names, and named", async ({
  scratch,
}) => {
  const branch = await makeBeside(scratch, "branch", "wip/x");
  await scratch.person("tag", "-a", "-m", "kept", "v1");
  await scratch.person("notes", "add", "-m", "remember");
  const refs = ["refs/heads", "refs/tags", "refs/notes"];
  const before = await scratch.git("for-each-ref", ...refs);
  const { warnings } = await during(scratch, async () => {
    await scratch.git("branch", "-D", "wip/x");
    await scratch.git("tag", "-d", "v1");
    await scratch.git("update-ref", "-d", "refs/notes/commits");
  });
  expect(await scratch.git("for-each-ref", ...refs)).toBe(before);
  expect(await scratch.git("rev-parse", "wip/x")).toBe(branch);
  expect(warnings).toEqual([
    "the branch wip/x was removed during the attempt, and is back",
    "the tag v1 was removed during the attempt, and is back",
    "the note commits was removed during the attempt, and is back",
  ]);
});

test("refs that an attempt removed are back also where it had git prune all that no ref names", async ({
  scratch,
}) => {
  await makeBeside(scratch, "branch", "wip/x");
  await scratch.person("tag", "-a", "-m", "kept", "v1");
  await scratch.person("tag", "-a", "-m", "moved", "v2", await makeBeside(scratch, "branch", "v2-start"));
  await scratch.person("notes", "add", "-m", "remember");
  writeFileSync(join(scratch.top, "a.txt"), "stashed\n");
  await scratch.person("stash", "push", "-q");
  const refs = ["refs/heads/wip", "refs/notes", "refs/stash"];
  const before = await scratch.git("for-each-ref", ...refs);
  const moved = await scratch.git("rev-parse", "v2^{commit}");
  const { warnings } = await during(scratch, async () => {
    await scratch.git("branch", "-D", "wip/x", "v2-start");
    await scratch.git("tag", "-d", "v1");
    await scratch.git("tag", "-f", "v2", "HEAD");
    await scratch.git("update-ref", "-d", "refs/notes/commits");
    await scratch.git("stash", "clear");
    await scratch.git("reflog", "expire", "--expire=now", "--all");
    await scratch.git("gc", "-q", "--prune=now");
  });
  expect(await scratch.git("for-each-ref", ...refs)).toBe(before);
  expect(await scratch.git("rev-parse", "v1", "v2-start")).toBe(
    `${await scratch.git("rev-parse", "HEAD")}\n${moved}`,
  );
  expect(await scratch.git("rev-parse", "refs/looper/rescue/run-1/T1-1-ref")).toBe(moved);
  expect(warnings.map((warning) => warning.replace(/;.*/u, ""))).toEqual([
    "the branch v2-start was removed during the attempt, and is back",
    "the branch wip/x was removed during the attempt, and is back",
    "the tag v1 was removed during the attempt, and is back without its message, which git has removed",
    "the tag v2 was moved during the attempt",
    "the note commits was removed during the attempt, and is back",
    expect.stringContaining("was dropped during the attempt, and is back"),
  ]);
});

test("content that the agent of a killed run removed is kept by the next run, and named", async ({
  scratch,
}) => {
  const branch = await makeBeside(scratch, "branch", "wip/x");
  await scratch.person("branch", "stays", await makeBeside(scratch, "branch", "other"));
  const take = async (run: string) =>
    (await checkpoint(await scratch.open(), { id: "T1", run, reuse: true })).warnings;
  expect(await take("run-1")).toEqual([]);
  await scratch.git("branch", "-D", "other");
  expect(await take("run-2")).toEqual([]);
  await scratch.git("branch", "-D", "wip/x");
  await scratch.git("reflog", "expire", "--expire=now", "--all");
  await scratch.git("gc", "-q", "--prune=now");
  expect(await take("run-3")).toEqual([
    expect.stringMatching(
      /^branches, tags or stashes were removed or moved since a run was killed.*refs\/looper\/rescue\/run-3\/T1-ref/,
    ),
  ]);
  expect(await scratch.git("log", "--format=%P", "-1", "refs/looper/rescue/run-3/T1-ref")).toContain(branch);
  expect(await take("run-3")).toEqual([]);
});

test("a removed branch whose place is taken is kept under a rescue, with the command that puts it back", async ({
  scratch,
}) => {
  const commit = await makeBeside(scratch, "branch", "topic");
  await scratch.person("branch", "fix/branch", commit);
  const { warnings } = await during(scratch, async () => {
    await scratch.git("branch", "-D", "topic", "fix/branch");
    await scratch.git("branch", "topic/new");
    await scratch.git("branch", "fix");
  });
  const kept = "refs/looper/rescue/run-1/T1-1-ref-2";
  expect(await scratch.git("rev-parse", kept)).toBe(commit);
  expect(warnings).toEqual([
    `the branch fix/branch was removed during the attempt, and is kept as ${kept.slice(0, -2)}; to put it back: git branch -f fix-branch-before ${commit}`,
    `the branch topic was removed during the attempt, and is kept as ${kept}; to put it back: git branch -f topic-before ${commit}`,
  ]);
  for (const line of warnings) await scratch.person(...(/ git (.*)$/.exec(line)?.[1]?.split(" ") ?? []));
  expect(await scratch.git("rev-parse", "topic-before", "fix-branch-before")).toBe(`${commit}\n${commit}`);
});

test("a removed branch that a symbolic ref names is back once", async ({ scratch }) => {
  const commit = await makeBeside(scratch, "branch", "old");
  await scratch.person("symbolic-ref", "refs/heads/alias", "refs/heads/old");
  const { warnings } = await during(scratch, () => scratch.git("update-ref", "-d", "refs/heads/old"));
  expect(await scratch.git("rev-parse", "old", "alias")).toBe(`${commit}\n${commit}`);
  expect(warnings).toEqual([
    "the branch alias was removed during the attempt, and is back",
    "the branch old was removed during the attempt, and is back",
  ]);
});

test("a branch that was moved off its commit stays, and the commit is kept; one that was moved on needs nothing", async ({
  scratch,
}) => {
  const commit = await makeBeside(scratch, "branch", "off");
  await scratch.person("branch", "on");
  const { warnings } = await during(scratch, async () => {
    await scratch.git("branch", "-f", "off", "HEAD");
    await scratch.git("branch", "-f", "on", commit);
  });
  const kept = "refs/looper/rescue/run-1/T1-1-ref";
  expect(await scratch.git("rev-parse", kept)).toBe(commit);
  expect(await scratch.git("rev-parse", "off")).toBe(await scratch.git("rev-parse", "HEAD"));
  expect(warnings).toEqual([
    `the branch off was moved during the attempt; what it was is kept as ${kept}; to put it back: git branch -f off ${commit}`,
  ]);
});

test("a branch that a person moves in another working tree is left alone", async ({ scratch }) => {
  await makeBeside(scratch, "branch", "theirs");
  const beside = `${scratch.top}-beside`;
  await scratch.person("worktree", "add", "-q", beside, "theirs");
  const { warnings } = await during(scratch, async () => {
    await scratch.person("-C", beside, "reset", "-q", "--hard", "main");
  });
  expect(warnings).toEqual([]);
});

test("entries of the stash that an attempt dropped or cleared are back, with their messages", async ({
  scratch,
}) => {
  const stash = async (text: string): Promise<void> => {
    writeFileSync(join(scratch.top, "a.txt"), `${text}\n`);
    await scratch.person("stash", "push", "-q", "-m", text);
  };
  await stash("first");
  await stash("ü second");
  const list = async (): Promise<string[]> =>
    (await scratch.git("stash", "list", "--format=%H %gs")).split("\n");
  const before = await list();
  const dropped = await during(scratch, () => scratch.git("stash", "drop", "-q", "stash@{1}"));
  expect((await list()).toSorted()).toEqual(before.toSorted());
  expect(dropped.warnings).toEqual([
    'the stash "On main: first" was dropped during the attempt, and is back',
  ]);
  const again = await list();
  const cleared = await during(scratch, () => scratch.git("stash", "clear"));
  expect(await list()).toEqual(again);
  expect(cleared.warnings).toHaveLength(2);
});
