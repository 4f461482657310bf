import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { commitBacklog, prepareCommit, publish } from "./commit.js";
import { runAs, test, watchGit, type Scratch } from "../testing/scratch.js";
import {
  attempt,
  changesOf,
  DONE,
  finish,
  MESSAGE,
  runAttempt,
  tryAttempt,
} from "../testing/scratch-task.js";

function write(scratch: Scratch, path: string, content: string): void {
  writeFileSync(join(scratch.top, path), content);
}

test("the commit holds the attempt's changes and the backlog, and the person's changes stay uncommitted", async ({
  scratch,
}) => {
  const { git } = scratch;
  write(scratch, "staged", "person\n");
  await git("add", "staged");
  write(scratch, "dirty", "person\n");
  write(scratch, "a.txt", "person\n");
  const repo = await scratch.open();
  const prepared = await attempt(repo, () => {
    for (const name of ["new\nline", 'quo"te', "ü", "-dash"]) write(scratch, name, name);
    rmSync(join(scratch.top, "dir"), { recursive: true });
    write(scratch, "dir", "a file now");
    write(scratch, "run.sh", "#!/bin/sh\n");
    chmodSync(join(scratch.top, "run.sh"), 0o755);
    symlinkSync("nowhere", join(scratch.top, "link"));
  });
  const commit = await finish(scratch, repo, prepared);
  expect(await git("rev-parse", "main")).toBe(commit);
  expect((await changesOf(scratch, commit)).sort()).toEqual(
    [
      "A -dash",
      "A dir",
      "A link",
      "A new\nline",
      'A quo"te',
      "A run.sh",
      "A ü",
      "D dir/b.txt",
      "M to-do.json",
    ].sort(),
  );
  expect(await git("show", `${commit}:to-do.json`)).toBe(DONE.trimEnd());
  expect(await git("ls-tree", commit, "run.sh", "link")).toMatch(/^120000 .*\n100755 /);
  expect(await git("log", "-1", "--format=%an <%ae>|%cn|%B")).toBe(
    `Ada Ü <ada@example.org>|Ada Ü|${MESSAGE}`,
  );
  expect(await git("status", "--porcelain")).toBe(" M a.txt\nA  staged\n?? dirty");
  expect(await git("for-each-ref", "refs/looper")).toBe("");
  expect(await git("fsck", "--no-dangling")).toBe("");
});

test("a folder where a file was", async ({ scratch }) => {
  const repo = await scratch.open();
  const prepared = await attempt(repo, () => {
    rmSync(join(scratch.top, "a.txt"));
    mkdirSync(join(scratch.top, "a.txt"));
    write(scratch, "a.txt/inside", "x");
  });
  const commit = await finish(scratch, repo, prepared);
  expect(await changesOf(scratch, commit)).toEqual(["D a.txt", "A a.txt/inside", "M to-do.json"]);
  expect(await scratch.git("status", "--porcelain")).toBe("");
});

test("a path that a person and the attempt changed is committed whole", async ({ scratch }) => {
  write(scratch, "a.txt", "one\nperson\n");
  const repo = await scratch.open();
  const commit = await finish(
    scratch,
    repo,
    await attempt(repo, () => {
      write(scratch, "a.txt", "one\nperson\nagent\n");
    }),
  );
  expect(await scratch.git("show", `${commit}:a.txt`)).toBe("one\nperson\nagent");
  expect(await scratch.git("status", "--porcelain")).toBe("");
});

test("a task starts at most twelve git processes", async ({ scratch }) => {
  const seen: string[] = [];
  const repo = await scratch.open(
    {},
    watchGit(scratch.ports, ([command = ""]) => void seen.push(command)),
  );
  await repo.identity();
  await repo.todoFiltered();
  seen.length = 0;
  await finish(
    scratch,
    repo,
    await attempt(repo, () => {
      write(scratch, "a.txt", "x");
    }),
  );
  expect(seen).toHaveLength(12);
});

test("an attempt without changes commits the backlog if git tracks it, otherwise nothing", async ({
  scratch,
}) => {
  const repo = await scratch.open();
  const commit = await finish(scratch, repo, await attempt(repo, () => undefined));
  expect(await changesOf(scratch, commit)).toEqual(["M to-do.json"]);
  await scratch.git("rm", "-q", "--cached", "to-do.json");
  await scratch.git("commit", "-qm", "untracked");
  expect(await tryAttempt(repo, () => undefined)).toBe("nothing");
});

test("an untracked backlog is committed with other changes, and an ignored one never", async ({
  scratch,
}) => {
  await scratch.git("rm", "-q", "--cached", "to-do.json");
  await scratch.git("commit", "-qm", "untracked");
  chmodSync(join(scratch.top, "to-do.json"), 0o755);
  const repo = await scratch.open();
  const change = (content: string) => () => {
    write(scratch, "a.txt", content);
  };
  const first = await finish(scratch, repo, await attempt(repo, change("x")));
  expect(await changesOf(scratch, first)).toEqual(["M a.txt", "A to-do.json"]);
  expect(await scratch.git("ls-tree", first, "to-do.json")).toMatch(/^100755/);
  await scratch.git("rm", "-q", "--cached", "to-do.json");
  write(scratch, ".gitignore", "to-do.json\n");
  await scratch.commitAll("ignored");
  const second = await finish(scratch, repo, await attempt(repo, change("y")));
  expect(await changesOf(scratch, second)).toEqual(["M a.txt"]);
});

test("a backlog outside the repository is not committed", async ({ scratch }) => {
  const repo = await scratch.open({ todoFile: join(scratch.top, "..", "to-do.json") });
  expect(await tryAttempt(repo, () => undefined)).toBe("nothing");
});

test("git converts the line ends of the backlog and applies its filters", async ({ scratch }) => {
  const seen = await runAttempt(await scratch.open(), () => undefined);
  const stored = async (backlog: string): Promise<string> => {
    const bytes = Buffer.from(backlog);
    const order = { taskId: "T1", run: "r", snapshot: seen, backlog: bytes, message: MESSAGE, facts: null };
    const prepared = await prepareCommit(await scratch.open(), order);
    return prepared === "nothing"
      ? prepared
      : scratch.git("cat-file", "blob", `${prepared.commit}:to-do.json`);
  };
  write(scratch, ".gitattributes", "*.json text eol=crlf\n");
  expect(await stored("{\r\n}\r\n")).toBe("{\n}");
  write(scratch, ".gitattributes", "*.json filter=shout\n");
  await scratch.git("config", "filter.shout.clean", "tr a-z A-Z");
  expect(await stored('{"a":1}\n')).toBe('{"A":1}');
});

test("no commits yet, detached, a linked worktree, no identity", async ({ scratch }) => {
  const { git } = scratch;
  const work = () => {
    write(scratch, "a.txt", "agent\n");
  };
  await git("checkout", "-q", "--detach");
  const repo = await scratch.open();
  const detached = await finish(scratch, repo, await attempt(repo, work));
  expect(await git("rev-parse", "HEAD")).toBe(detached);
  expect(await git("rev-parse", "main")).not.toBe(detached);

  await git("checkout", "-q", "--orphan", "fresh");
  await git("rm", "-rq", "--cached", ".");
  await git("config", "--unset", "user.name");
  write(scratch, "person", "untracked before\n");
  const orphan = await scratch.open();
  const root = await finish(
    scratch,
    orphan,
    await attempt(orphan, () => {
      write(scratch, "new", "agent\n");
    }),
  );
  expect(await git("log", "--format=%H %P %an", "HEAD")).toBe(`${root}  Looper`);
  expect(await changesOf(scratch, root)).toEqual(["A new", "A to-do.json"]);
  expect(await git("status", "--porcelain")).toBe("?? a.txt\n?? dir/\n?? person");
});

test("a commit in a linked worktree is on the branch of that worktree", async ({ scratch }) => {
  const linked = join(scratch.top, "..", "linked");
  await scratch.git("worktree", "add", "-q", "-b", "side", linked);
  const todoFile = join(linked, "to-do.json");
  const repo = await scratch.open({ projectDir: linked, todoFile, exclude: [] });
  const prepared = await attempt(repo, () => {
    writeFileSync(join(linked, "new"), "x");
  });
  writeFileSync(todoFile, DONE);
  await publish(repo, prepared);
  expect(await scratch.git("rev-parse", "side")).toBe(prepared.commit);
  expect(await runAs(scratch.ports, { cwd: linked, env: scratch.env }, ["status", "--porcelain"])).toBe("");
  expect(await scratch.git("status", "--porcelain")).toBe("");
});

test("the backlog alone is committed only if HEAD has another version", async ({ scratch }) => {
  write(scratch, "staged", "person\n");
  await scratch.git("add", "staged");
  write(scratch, "to-do.json", DONE);
  const repo = await scratch.open();
  const order = { run: "run-1", bytes: Buffer.from(DONE), message: "looper: complete\n" };
  const made = await commitBacklog(repo, order);
  if (made === "nothing") throw new Error("nothing");
  expect(await changesOf(scratch, made.commit)).toEqual(["M to-do.json"]);
  expect(await scratch.git("log", "-1", "--format=%s")).toBe("looper: complete");
  expect(await scratch.git("status", "--porcelain")).toBe("A  staged");
  expect(await commitBacklog(repo, order)).toBe("nothing");
  await scratch.git("rm", "-q", "--cached", "to-do.json");
  await scratch.git("commit", "-qm", "untracked");
  expect(await commitBacklog(repo, { ...order, bytes: Buffer.from("{}") })).toBe("nothing");
});

test("outputs that git ignores travel with the backlog while their task is open", async ({ scratch }) => {
  mkdirSync(join(scratch.top, "tasks/T1"), { recursive: true });
  write(scratch, "tasks/.gitignore", "*\n");
  write(scratch, "tasks/T1/1-plan.json", "{}\n");
  write(scratch, "tasks/T1/1-plan.md", "a plan\n");
  const repo = await scratch.open();
  const folder = join(scratch.top, "tasks");
  const files = new Map([
    ["T1/1-plan.json", join(folder, "T1/1-plan.json")],
    ["T1/1-plan.md", join(folder, "T1/1-plan.md")],
  ]);
  const bytes = readFileSync(join(scratch.top, "to-do.json"));
  const order = {
    run: "run-1",
    bytes,
    message: "looper: waiting\n",
    outputs: { folder, owned: new Set(["T1"]), files },
  };
  const made = await commitBacklog(repo, order);
  if (made === "nothing") throw new Error("nothing");
  expect(await changesOf(scratch, made.commit)).toEqual(["A tasks/T1/1-plan.json", "A tasks/T1/1-plan.md"]);
  expect(await scratch.git("status", "--porcelain")).toBe("");
  expect(await commitBacklog(repo, order)).toBe("nothing");
  const half = new Map([["T1/1-plan.md", undefined]]);
  const other = await commitBacklog(repo, {
    ...order,
    outputs: { folder, owned: new Set(["T2"]), files: new Map() },
  });
  expect(other).toBe("nothing");
  const less = await commitBacklog(repo, { ...order, outputs: { ...order.outputs, files: half } });
  if (less === "nothing") throw new Error("nothing");
  expect(await changesOf(scratch, less.commit)).toEqual(["D tasks/T1/1-plan.json"]);
  expect(await scratch.git("status", "--porcelain")).toBe("");
});
