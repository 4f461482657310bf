import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeFiles } from "../../system/files/files.js";
import { findProject } from "./project.js";

const files = nodeFiles();
let home = "";

beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), "project-")));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

function make(...entries: string[]): void {
  for (const entry of entries) {
    const file = path.join(home, entry);
    mkdirSync(entry.endsWith("/") ? file : path.dirname(file), { recursive: true });
    if (!entry.endsWith("/")) writeFileSync(file, entry.endsWith("package.json") ? '{"looper": {}}' : "{}");
  }
}

async function found(start: string, taskFile = "to-do.json"): Promise<string> {
  const folder = await findProject(files, { start: path.join(home, start), home, taskFile });
  return path.relative(home, folder) || "~";
}

test.each(["to-do.json", ".looper/config.json", ".looper/config.yaml", ".looper/config.yml", "package.json"])(
  "the nearest folder with %s",
  async (mark) => {
    make(`a/${mark}`, "a/b/c/");
    expect(await found("a/b/c")).toBe("a");
    make(`a/b/${mark}`);
    expect(await found("a/b/c")).toBe("a/b");
  },
);

test("the walk ends at the git root, which is the project when nothing else is", async () => {
  make("a/to-do.json", "a/repo/.git/", "a/repo/b/");
  expect(await found("a/repo/b")).toBe("a/repo");
  make("a/repo/b/to-do.json");
  expect(await found("a/repo/b")).toBe("a/repo/b");
});

test("a worktree's .git is a file", async () => {
  make("a/.git", "a/b/");
  expect(await found("a/b")).toBe("a");
});

test("without marks and git it is the folder itself", async () => {
  make("a/b/");
  writeFileSync(path.join(home, "a", "package.json"), '{"name": "a"}');
  expect(await found("a/b")).toBe("a/b");
});

test("the home folder is taken only when the walk starts there", async () => {
  make("to-do.json", ".git/", "a/b/");
  expect(await found("a/b")).toBe("a/b");
  expect(await found(".")).toBe("~");
});

test("a home folder reached through a symlink is still home", async () => {
  make("real/to-do.json", "real/a/");
  symlinkSync(path.join(home, "real"), path.join(home, "link"));
  const folder = await findProject(files, {
    start: path.join(home, "real/a"),
    home: path.join(home, "link"),
    taskFile: "to-do.json",
  });
  expect(folder).toBe(path.join(home, "real/a"));
});

test("a task file that was typed marks the folder it is in", async () => {
  make("repo/.git/", "repo/to-do.json", "repo/sub/plan.json", "repo/sub/deep/");
  expect(await found("repo/sub/deep", path.join(home, "repo/sub/plan.json"))).toBe("repo/sub");
  expect(await found("repo", path.join(home, "repo/sub/plan.json"))).toBe("repo");
  expect(await found("repo/sub/deep", "sub/plan.json")).toBe("repo");
});
