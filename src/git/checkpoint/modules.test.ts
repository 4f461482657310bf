import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { snapshot } from "../attempt/snapshot.js";
import { checkpoint, type Checkpoint } from "./checkpoint.js";
import { removeStaleLocks } from "../base/locks.js";
import type { Repository } from "../base/repository/repository.js";
import { restoreTo, type Restored } from "../restore/restore.js";
import { runAs, test, type Scratch } from "../testing/scratch.js";
import { attempt, changesOf, finish } from "../testing/scratch-task.js";

interface Nested {
  sub: (...args: string[]) => Promise<string>;
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
  return { sub };
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

test("changes inside a submodule stay when a task is given up, and its files as they were are kept and named", async ({
  scratch,
}) => {
  const { sub } = await nest(scratch);
  write(scratch, "libs/sub/person", "person\n");
  await sub("add", "person");
  write(scratch, "libs/sub/person", "person, later\n");
  const before = [await sub("status", "--porcelain"), await sub("rev-parse", "HEAD")];
  const { repo, taken } = await begin(scratch);
  expect([...taken.modules.keys()]).toEqual(["libs/sub"]);
  expect([await sub("status", "--porcelain"), await sub("rev-parse", "HEAD")]).toEqual(before);
  write(scratch, "libs/sub/in.txt", "agent\n");
  await sub("commit", "-qam", "agent");
  const tip = await sub("rev-parse", "HEAD");
  rmSync(join(scratch.top, "libs/sub/person"));
  write(scratch, "a.txt", "agent\n");
  await scratch.git("add", "-A");
  const order = { checkpoint: taken, run: "run-1", label: "T1-1" };
  const seen = await snapshot(repo, { ...order, policy: "runner" });
  expect(seen.inside).toEqual(["libs/sub"]);
  const { paths, warnings } = await restoreTo(repo, order);
  expect(paths).toEqual(["a.txt"]);
  expect(await scratch.git("diff", "--cached", "--name-only")).toBe("");
  expect(await sub("rev-parse", "HEAD")).toBe(tip);
  expect(readFileSync(join(scratch.top, "libs/sub/in.txt"), "utf8")).toBe("agent\n");
  expect(warnings).toEqual([
    "what the attempt changed inside libs/sub, a repository of its own, stays there; to put its files back as they were: git -C 'libs/sub' restore --source=refs/looper/rescue/run-1/T1-1-before -- :/",
  ]);
  await scratch.git(
    ...(warnings[0] ?? "")
      .replace(/.*: git /u, "")
      .replaceAll("'", "")
      .split(" "),
  );
  expect(readFileSync(join(scratch.top, "libs/sub/in.txt"), "utf8")).toBe("one\n");
  expect(readFileSync(join(scratch.top, "libs/sub/person"), "utf8")).toBe("person, later\n");
});

test("a submodule that was removed is linked again, also after a kill", async ({ scratch }) => {
  const { sub } = await nest(scratch);
  write(scratch, "libs/sub/person", "person\n");
  const { repo } = await begin(scratch);
  const staged = await scratch.git("ls-files", "-s");
  rmSync(join(scratch.top, "libs"), { recursive: true });
  await scratch.git("rm", "-q", "--cached", "libs/sub");
  await removeStaleLocks(repo, { since: Infinity });
  const again = await checkpoint(repo, { id: "T1", run: "run-2", reuse: true });
  await giveUp(repo, again);
  expect(await scratch.git("ls-files", "-s")).toBe(staged);
  await sub("restore", "--source=refs/looper/rescue/run-1/T1-1-before", "--", ":/");
  expect(readFileSync(join(scratch.top, "libs/sub/person"), "utf8")).toBe("person\n");
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
  expect([...taken.modules]).toEqual([]);
  write(scratch, "a.txt", "agent\n");
  expect((await giveUp(repo, taken)).paths).toEqual(["a.txt"]);
  expect(existsSync(join(scratch.top, "libs/sub/.git"))).toBe(false);
  expect(await scratch.git("status", "--porcelain")).toBe("");
});
