import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { toBytes } from "../bytes.js";
import { gitEnv } from "../../../system/git-env.js";
import { asResult, runGit } from "../git.js";
import { headOf } from "./head.js";
import { initRepository, openRepository } from "./repository.js";
import { test, type Scratch } from "../../testing/scratch.js";

function places(scratch: Scratch, projectDir: string, env = scratch.env) {
  return { projectDir, todoFile: join(projectDir, "to-do.json"), exclude: [], env };
}

test("a project in a subfolder opens the whole repository, with the backlog's path from the top", async ({
  scratch,
}) => {
  mkdirSync(join(scratch.top, "pro jé"));
  const projectDir = join(scratch.top, "pro jé");
  const todoFile = join(projectDir, "to-do.json");
  const repo = await scratch.open({
    projectDir,
    todoFile,
    exclude: [join(projectDir, "logs"), "/elsewhere", scratch.top],
  });
  expect(repo.cwd).toBe(scratch.top);
  expect(repo.tree).toBe("main");
  expect(repo.todo).toEqual({ path: toBytes("pro jé/to-do.json"), file: todoFile });
  expect(repo.excludes).toEqual([
    ":(exclude,top,literal)pro jé/to-do.json",
    ":(exclude,top,glob)pro jé/to-do.json.*",
    ":(exclude,top,glob)pro jé/.to-do.json.*.tmp",
    ":(exclude,top,literal)pro jé/logs",
  ]);
});

test("a backlog behind a symlink has its real path, and one outside is not in the repository", async ({
  scratch,
}) => {
  mkdirSync(join(scratch.top, "real"));
  writeFileSync(join(scratch.top, "real", "t[1].json"), "{}");
  symlinkSync(join("real", "t[1].json"), join(scratch.top, "link.json"));
  const linked = await scratch.open({ todoFile: join(scratch.top, "link.json"), exclude: [] });
  expect(linked.todo?.path).toBe("real/t[1].json");
  expect(linked.excludes[1]).toBe(":(exclude,top,glob)real/t\\[1\\].json.*");
  const outside = await scratch.open({ todoFile: join(scratch.top, "..", "to-do.json"), exclude: [] });
  expect(outside.todo).toBeUndefined();
  expect(outside.excludes).toEqual([]);
});

test("linked worktrees and submodules open, each under a name of its own", async ({ scratch }) => {
  const linked = join(scratch.top, "..", "main");
  await scratch.git("worktree", "add", "-q", "-b", "side", linked);
  const worktree = await scratch.open(places(scratch, linked));
  expect(worktree.tree).toBe("linked-main");
  expect(worktree.gitDir).toBe(join(scratch.top, ".git", "worktrees", "main"));
  expect(worktree.commonDir).toBe(join(scratch.top, ".git"));
  expect((await headOf(worktree)).branch).toBe("refs/heads/side");

  await scratch.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", linked, "sub");
  const submodule = await scratch.open(places(scratch, join(scratch.top, "sub")));
  expect(submodule.cwd).toBe(join(scratch.top, "sub"));
  expect(submodule.gitDir).toBe(join(scratch.top, ".git", "modules", "sub"));
});

test("opening distinguishes a missing git, a missing repository, a bare one, and a git folder", async ({
  scratch,
}) => {
  const outside = join(scratch.top, "..");
  const open = (folder: string, env = scratch.env) =>
    openRepository(scratch.ports, places(scratch, folder, env));
  expect(await open(scratch.top, { PATH: "/nowhere" })).toMatchObject({ error: { why: "no-git" } });
  expect(await open(outside)).toMatchObject({ error: { why: "no-repository" } });
  expect(await open(join(scratch.top, ".git"))).toMatchObject({ error: { why: "unusable" } });
  await scratch.git("clone", "-q", "--bare", ".", join(outside, "bare"));
  expect(await open(join(outside, "bare"))).toMatchObject({ error: { why: "unusable" } });
  writeFileSync(join(scratch.top, ".git", "config"), "[core\n");
  const broken = await open(scratch.top);
  expect(broken).toMatchObject({ error: { why: "unusable" } });
});

test("a repository is made in a folder without one", async ({ scratch }) => {
  const folder = join(scratch.top, "..", "new");
  mkdirSync(folder);
  await initRepository(scratch.ports, folder, scratch.env);
  const repo = await scratch.open(places(scratch, folder));
  expect(await headOf(repo)).toEqual({ commit: undefined, branch: "refs/heads/main" });
});

test("the caller's variables never redirect git, and those of identity and configuration stay", async ({
  scratch,
}) => {
  const env = {
    ...scratch.env,
    GIT_DIR: "/elsewhere",
    GIT_WORK_TREE: "/elsewhere",
    GIT_INDEX_FILE: "/elsewhere",
    GIT_OBJECT_DIRECTORY: "/elsewhere",
    GIT_TRACE: "1",
    GIT_LITERAL_PATHSPECS: "1",
    LC_ALL: "de_DE.UTF-8",
    GIT_COMMITTER_NAME: "Bo",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "user.email",
    GIT_CONFIG_VALUE_0: "bo@example.org",
  };
  const repo = await scratch.open({ env });
  expect(repo.gitDir).toBe(join(scratch.top, ".git"));
  expect((await repo.identity()).who).toBe("Bo <bo@example.org>");
  expect(gitEnv(env)).not.toHaveProperty("GIT_TRACE");
  expect(gitEnv(env)).toMatchObject({ LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_CONFIG_COUNT: "1" });
});

test("commits get git's identity or looper's own, and never an invented one", async ({ scratch }) => {
  expect((await (await scratch.open()).identity()).who).toBe("Ada Ü <ada@example.org>");
  await scratch.git("config", "--unset", "user.email");
  expect(await (await scratch.open()).identity()).toEqual({
    who: "Looper <looper@localhost>",
    zone: "+0000",
  });
});

test("a .git that is removed does not make git use a repository further up", async ({ scratch }) => {
  const inner = join(scratch.top, "inner");
  mkdirSync(inner);
  await initRepository(scratch.ports, inner, scratch.env);
  const repo = await scratch.open(places(scratch, inner));
  rmSync(join(inner, ".git"), { recursive: true });
  expect(await asResult(() => headOf(repo))).toMatchObject({ ok: false });
});

test("a failing git is reported in its own words, and a hanging one is ended", async ({ scratch }) => {
  const repo = await scratch.open();
  await expect(runGit(repo, ["rev-parse", "--verify", "nothing"])).rejects.toThrow(/^git rev-parse: fatal: /);
  const impatient = {
    ...repo,
    ports: {
      ...repo.ports,
      processes: {
        ...repo.ports.processes,
        run: () =>
          Promise.resolve({
            end: { how: "killed" as const, signal: "SIGTERM" },
            stdout: new Uint8Array(),
            stderr: "",
            timedOut: true,
          }),
      },
    },
  };
  await expect(runGit(impatient, ["add"])).rejects.toThrow("git add: took longer than 60 s");
});
