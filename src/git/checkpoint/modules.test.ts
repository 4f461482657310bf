import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { restoreRescue } from "../bring-back/bring-back.js";
import { snapshot } from "../attempt/snapshot.js";
import { checkpoint, type Checkpoint } from "./checkpoint.js";
import { removeStaleLocks } from "../base/locks.js";
import type { Repository } from "../base/repository/repository.js";
import { listRescues } from "../bring-back/rescues.js";
import { restoreTo } from "../restore/restore.js";
import type { Restored } from "../restore/restore-order.js";
import { runAs, test, type Scratch } from "../testing/scratch.js";
import { stateOf } from "../testing/scratch-state.js";
import { attempt, changesOf, finish } from "../testing/scratch-task.js";

interface Nested {
  sub: (...args: string[]) => Promise<string>;
  state: () => Promise<unknown>;
}

/** The scratch repository with a submodule `libs/sub`, on its branch main, with a file `in.txt`. */
async function nest(scratch: Scratch): Promise<Nested> {
  const { top, ports, env } = scratch;
  const origin = join(top, "..", "origin");
  mkdirSync(origin);
  const outside = (...args: string[]) => runAs(ports, { cwd: origin, env }, args);
  await outside("init", "-q");
  for (const [key, value] of [
    ["user.name", "x"],
    ["user.email", "x@example.org"],
  ] as const)
    await scratch.git("config", "--global", key, value);
  writeFileSync(join(origin, "in.txt"), "one\n");
  await outside("add", "-A");
  await outside("commit", "-qm", "sub");
  await scratch.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", origin, "libs/sub");
  await scratch.commitAll("with sub");
  const folder = join(top, "libs/sub");
  const sub = (...args: string[]) => runAs(ports, { cwd: folder, env }, args);
  const state = async () => [
    await stateOf(scratch),
    await stateOf(scratch, sub, folder),
    await sub("rev-parse", "HEAD", "main"),
    await sub("rev-parse", "--abbrev-ref", "HEAD"),
  ];
  return { sub, state };
}

function write(scratch: Scratch, path: string, content: string): void {
  writeFileSync(join(scratch.top, path), content);
}

async function begin(scratch: Scratch): Promise<{ repo: Repository; taken: Checkpoint }> {
  const repo = await scratch.open();
  return { repo, taken: await checkpoint(repo, { id: "T1", run: "run-1", reuse: false }) };
}

async function giveUp(repo: Repository, taken: Checkpoint): Promise<Restored> {
  return await restoreTo(repo, { checkpoint: taken, run: "run-1", label: "T1-1" });
}

test("a moved or changed submodule is restored with its index, and the replaced content is kept in it", async ({
  scratch,
}) => {
  const { sub, state } = await nest(scratch);
  write(scratch, "libs/sub/person", "person\n");
  await sub("add", "person");
  write(scratch, "libs/sub/person", "person, later\n");
  const before = await state();
  const { repo, taken } = await begin(scratch);
  expect(taken.modules).toEqual(["libs/sub"]);
  expect(await state()).toEqual(before);
  write(scratch, "libs/sub/in.txt", "agent\n");
  await sub("commit", "-qam", "agent");
  const tip = await sub("rev-parse", "HEAD");
  write(scratch, "libs/sub/new", "agent\n");
  write(scratch, "a.txt", "agent\n");
  await scratch.git("add", "-A");
  const { paths: around, inside: within } = await giveUp(repo, taken);
  const paths = [...around, ...within];
  expect(await state()).toEqual(before);
  expect([...paths].sort()).toEqual(["a.txt", "libs/sub", "libs/sub/in.txt", "libs/sub/new"]);
  expect(await sub("rev-parse", "refs/looper/rescue/run-1/T1-1")).toBe(tip);
  expect(await sub("show", "refs/looper/rescue/run-1/T1-1-2:new")).toBe("agent");
  expect(await sub("for-each-ref", "refs/looper/checkpoint")).toBe("");

  const rescues = await listRescues(repo);
  expect(rescues.map(({ id }) => id).sort()).toEqual([
    "run-1/T1-1",
    "run-1/T1-1-2@libs/sub",
    "run-1/T1-1@libs/sub",
  ]);
  const inside = rescues.find(({ id }) => id === "run-1/T1-1-2@libs/sub");
  const outside = rescues.find(({ id }) => id === "run-1/T1-1");
  if (inside === undefined || outside === undefined) throw new Error("no such rescue");
  expect(await restoreRescue(inside)).toMatchObject({ restored: ["in.txt", "new"] });
  expect(readFileSync(join(scratch.top, "libs/sub/new"), "utf8")).toBe("agent\n");
  expect(await restoreRescue(outside)).toMatchObject({ restored: ["a.txt"], left: ["libs/sub"] });
});

test("a submodule that was removed comes back, also after a kill", async ({ scratch }) => {
  const { state } = await nest(scratch);
  write(scratch, "libs/sub/person", "person\n");
  const before = await state();
  const { repo } = await begin(scratch);
  rmSync(join(scratch.top, "libs"), { recursive: true });
  await scratch.git("rm", "-q", "--cached", "libs/sub");
  await removeStaleLocks(repo, { since: Infinity });
  const again = await checkpoint(repo, { id: "T1", run: "run-2", reuse: true });
  await giveUp(repo, again);
  expect(await state()).toEqual(before);
});

test("a repository that an agent made inside the tree stays, because no commit can hold it", async ({
  scratch,
}) => {
  await nest(scratch);
  const { repo, taken } = await begin(scratch);
  await scratch.git("clone", "-q", join(scratch.top, "..", "origin"), join(scratch.top, "made"));
  write(scratch, "a.txt", "agent\n");
  await giveUp(repo, taken);
  expect(readFileSync(join(scratch.top, "made/in.txt"), "utf8")).toBe("one\n");
  expect(await scratch.git("status", "--porcelain")).toBe("?? made/");
});

test("the commit of a task that moves a submodule holds its new commit, and no checkpoint stays in it", async ({
  scratch,
}) => {
  const { sub } = await nest(scratch);
  const repo = await scratch.open();
  const prepared = await attempt(repo, async () => {
    write(scratch, "libs/sub/in.txt", "agent\n");
    await sub("commit", "-qam", "agent");
  });
  const commit = await finish(scratch, repo, prepared);
  expect(await changesOf(scratch, commit)).toEqual(["M libs/sub", "M to-do.json"]);
  expect(await scratch.git("rev-parse", `${commit}:libs/sub`)).toBe(await sub("rev-parse", "main"));
  expect(await sub("for-each-ref", "refs/looper")).toBe("");
  expect(await scratch.git("status", "--porcelain")).toBe("");
});

test("a submodule that is not checked out is ignored", async ({ scratch }) => {
  await nest(scratch);
  await scratch.git("submodule", "deinit", "-q", "-f", "libs/sub");
  const { repo, taken } = await begin(scratch);
  expect(taken.modules).toEqual([]);
  write(scratch, "a.txt", "agent\n");
  expect((await giveUp(repo, taken)).paths).toEqual(["a.txt"]);
  expect(existsSync(join(scratch.top, "libs/sub/.git"))).toBe(false);
  expect(await scratch.git("status", "--porcelain")).toBe("");
});

test("a change inside a submodule is taken back, also where the tree around it was seen without changes", async ({
  scratch,
}) => {
  const { state } = await nest(scratch);
  const before = await state();
  const { repo, taken } = await begin(scratch);
  write(scratch, "libs/sub/in.txt", "agent\n");
  const order = { checkpoint: taken, run: "run-1", label: "T1-1" };
  expect((await snapshot(repo, { ...order, policy: "runner" })).changes).toEqual([]);
  expect(await restoreTo(repo, { ...order, unchanged: true })).toMatchObject({
    paths: [],
    inside: ["libs/sub/in.txt"],
  });
  expect(await state()).toEqual(before);
});
