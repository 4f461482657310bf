import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import { createGitTools } from "./git.js";
import { callTool, getText } from "../../testing/call-tool.js";

const ports = nodePorts();
let top = "";
let root = "";
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nowhere",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org",
};
const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: root, env, encoding: "utf8", stdio: "pipe" }).trim();
const write = (name: string, text: string): void => {
  writeFileSync(path.join(root, name), text);
};
const call = async (name: string, args: unknown = {}, allowMain = false): Promise<string> =>
  getText(await callTool(createGitTools({ ports, root, env, allowMain }), name, args));

beforeEach(() => {
  top = mkdtempSync(path.join(tmpdir(), "looper-git-tools-"));
  root = path.join(top, "work");
  mkdirSync(root);
  git("init", "-q", "-b", "main");
  write("a.txt", "one\n");
  write("with space.txt", "one\n");
  git("add", ".");
  git("commit", "-qm", "first");
});
afterEach(() => {
  rmSync(top, { recursive: true, force: true });
});

const linked = () => Promise.resolve(new Set<string>());

test("git_diff leaves out files whose content is hidden, staged or not, unless the file is named", async () => {
  write("secret.txt", "one\n");
  git("add", "secret.txt");
  git("commit", "-qm", "second");
  write("secret.txt", "TOKEN=1\n");
  write("a.txt", "two\n");
  const hidden = { name: () => false, content: (file: string) => file === "secret.txt", linked };
  const diff = async (args: unknown) =>
    getText(await callTool(createGitTools({ ports, root, env, allowMain: false, hidden }), "git_diff", args));
  for (const staged of [false, true]) {
    if (staged) git("add", ".");
    const shown = await diff({ staged });
    expect(shown).toContain("+two");
    expect(shown).not.toContain("TOKEN");
    expect(shown).toContain("needs a permission: 1 of the files");
    expect(await diff({ staged, path: "." })).not.toContain("TOKEN");
    expect(await diff({ staged, path: "secret.txt" })).toContain("TOKEN");
  }
});

function withRemote(): void {
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", path.join(top, "remote.git")], { env });
  git("remote", "add", "origin", path.join(top, "remote.git"));
  git("push", "-q", "-u", "origin", "main");
}

test("git_status names the branch and the staged, changed and untracked files", async () => {
  expect(await call("git_status")).toBe("On branch main\nnothing to commit, working tree clean");
  write("a.txt", "two\n");
  git("mv", "with space.txt", "new name.txt");
  write("line\nbreak", "");
  expect(await call("git_status")).toBe(
    [
      "On branch main",
      "Changes to be committed:",
      "\trenamed:    with space.txt -> new name.txt",
      "",
      "Changes not staged for commit:",
      "\tmodified:   a.txt",
      "",
      "Untracked files:",
      '\t"line\\nbreak"',
      "",
    ].join("\n"),
  );
  rmSync(path.join(root, ".git"), { recursive: true });
  expect(await call("git_status")).toMatch(
    /^git status failed with exit code 128\nstderr:\n.*not a git repo/,
  );
});

test("git_diff shows the tree or the staged changes, of one path if asked, truncated with a mark", async () => {
  expect(await call("git_diff")).toBe("no unstaged changes");
  write("a.txt", "two\n");
  expect(await call("git_diff")).toContain("-one\n+two");
  expect(await call("git_diff", { staged: true })).toBe("no staged changes");
  expect(await call("git_diff", { path: "with space.txt" })).toBe("no unstaged changes");
  git("add", ".");
  expect(await call("git_diff", { staged: true })).toContain("+two");
  write("a.txt", "ä\n".repeat(100_000));
  const long = await call("git_diff");
  expect(long.length).toBeLessThan(30_000);
  expect(long).toMatch(/\[… \d+ of \d+ bytes were cut here …\]\n$/);
});

test("git_add leaves out files that a rule hides, unless the file is named", async () => {
  write("a.txt", "two\n");
  mkdirSync(path.join(root, "keys"));
  write("keys/k.txt", "key\n");
  const hidden = { name: (file: string) => file.startsWith("keys/"), content: () => false, linked };
  const add = async (files: string) =>
    getText(
      await callTool(createGitTools({ ports, root, env, allowMain: false, hidden }), "git_add", { files }),
    );
  expect(await add(".")).toBe(
    "staged:\nM\ta.txt\n[left out, because reading needs a permission: 1 of the files]",
  );
  expect(await add("keys")).toContain("left out");
  expect(await add("keys/k.txt")).toBe("staged:\nM\ta.txt\nA\tkeys/k.txt");
});

test("git_add stages the given files; git_commit reports the hash and refuses when nothing is staged", async () => {
  write("a.txt", "two\n");
  write("b.txt", "b\n");
  expect(await call("git_commit", { message: "x" })).toContain("nothing is staged");
  expect(await call("git_add", { files: ["b.txt"] })).toBe("staged:\nA\tb.txt");
  const said = await call("git_commit", { message: "Add b\n\nBecause." });
  expect(said).toMatch(new RegExp(`^committed ${git("rev-parse", "HEAD")}\n\\w+ Add b$`));
  expect(git("log", "-1", "--format=%B")).toBe("Add b\n\nBecause.");
  expect(git("status", "--porcelain")).toBe("M a.txt");
  rmSync(path.join(root, "b.txt"));
  expect(await call("git_add", { path: "." })).toBe("staged:\nM\ta.txt\nD\tb.txt");
  expect(await call("git_add", { files: ["no-such", "-A"] })).toContain("no-such");
});

test("a hook that refuses and one that waits for input give a failed result", async () => {
  write("a.txt", "two\n");
  git("add", ".");
  const hook = path.join(root, ".git", "hooks", "pre-commit");
  mkdirSync(path.dirname(hook), { recursive: true });
  writeFileSync(hook, "#!/bin/sh\nread answer || echo there is no input >&2; exit 1\n");
  chmodSync(hook, 0o755);
  expect(await call("git_commit", { message: "x" })).toContain("there is no input");
});

test("git_push pushes a branch, and main only if that is allowed", async () => {
  withRemote();
  git("checkout", "-qb", "feature");
  write("a.txt", "two\n");
  git("commit", "-qam", "second");
  expect(await call("git_push")).toContain("feature -> feature");
  expect(git("ls-remote", "origin", "feature")).toContain(git("rev-parse", "HEAD"));
  expect(git("rev-parse", "--abbrev-ref", "@{upstream}")).toBe("origin/feature");
  for (const branch of ["main", "HEAD:main", "feature:refs/heads/main", "+main"])
    expect(await call("git_push", { branch })).toContain("refused");
  expect(git("ls-remote", "origin", "main")).not.toContain(git("rev-parse", "HEAD"));
  expect(await call("git_push", { remote: "--mirror" })).toContain("no such remote");
  expect(await call("git_push", { branch: "HEAD:main" }, true)).toContain("HEAD -> main");
});

test("git_push pushes a branch to its own name even if its upstream is main", async () => {
  withRemote();
  git("checkout", "-q", "-b", "topic", "--track", "origin/main");
  git("config", "push.default", "upstream");
  write("a.txt", "two\n");
  git("commit", "-qam", "second");
  await call("git_push");
  expect(git("ls-remote", "origin", "main")).not.toContain(git("rev-parse", "HEAD"));
  expect(git("ls-remote", "origin", "topic")).toContain(git("rev-parse", "HEAD"));
  expect(git("rev-parse", "--abbrev-ref", "@{upstream}")).toBe("origin/main");
});

test("git_pull moves forward and refuses a merge", async () => {
  withRemote();
  write("a.txt", "two\n");
  git("commit", "-qam", "second");
  git("push", "-q");
  const second = git("rev-parse", "HEAD");
  git("reset", "-q", "--hard", "HEAD~1");
  expect(await call("git_pull")).toContain("Fast-forward");
  expect(git("rev-parse", "HEAD")).toBe(second);
  git("reset", "-q", "--hard", "HEAD~1");
  expect(await call("git_pull", { remote: "origin", branch: "main" })).toContain("Fast-forward");
  git("reset", "-q", "--hard", "HEAD~1");
  write("a.txt", "three\n");
  git("commit", "-qam", "other");
  expect(await call("git_pull")).toMatch(/^git pull failed with exit code 128[^]*fast-forward/);
  expect(await call("git_pull", { branch: "main:main" })).toContain("not a valid branch name");
});

test("git ignores the repository, index and tools of the caller's environment", async () => {
  const other = { ...env, GIT_DIR: "/nowhere", GIT_INDEX_FILE: "/nowhere", GIT_EXTERNAL_DIFF: "false" };
  const tools = createGitTools({ ports, root, env: other, allowMain: false });
  expect(getText(await callTool(tools, "git_status", {}))).toContain("On branch main");
});

test("the git tools run no program that the repository's settings name as its file monitor", async () => {
  git("config", "core.fsmonitor", "touch MONITORED; true");
  expect(await call("git_status")).toContain("working tree clean");
  expect(await call("git_diff")).not.toContain("MONITORED");
  expect(existsSync(path.join(root, "MONITORED"))).toBe(false);
});
