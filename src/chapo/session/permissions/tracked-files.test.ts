import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import { readRules } from "../../rules/read-rules.js";
import { createPrintedFinder } from "./tracked-files.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "tracked-"));
  git("init", "-q");
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };

function git(...args: string[]): void {
  const as = ["-c", "user.name=P", "-c", "user.email=p@example.org"];
  execFileSync("git", [...as, ...args], { cwd: root, env });
}

function commit(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  git("add", "-A", "-f");
  git("commit", "-qm", "made");
}

function open(deny: readonly string[], guardsSecrets = false) {
  const { rules, problems } = readRules({ deny }, root);
  expect(problems).toEqual([]);
  return createPrintedFinder({ ports: nodePorts(), root, env, rules, guardsSecrets: () => guardsSecrets });
}

const PRINTING = [
  "git diff",
  "git diff HEAD~1",
  "git -c color.ui=always diff --stat -p",
  "true && git show",
  "git show HEAD~1",
  "git log -p -3",
  "git log --patch -- .",
  "git grep TOKEN",
  "git cat-file -p 1234567",
  "git cat-file --batch < ids",
  "git stash show -p",
  "git archive HEAD",
  "git diff -- '*'",
  "git diff -- ':(top)'",
  "git st",
  // Without a `--` a word may be a revision.
  "git diff src/a.ts",
  "git grep TOKEN src",
];
const NOT_PRINTING = [
  "git status",
  "git diff --stat",
  "git log --oneline -5",
  "git show --stat",
  "git diff HEAD -- src",
  "git log -p -- src/a.ts",
  "git grep TOKEN -- '*.ts'",
  "git show HEAD:src/a.ts",
  "git cat-file -t HEAD",
  "git diff -- . ':!secret'",
  "git add -u && git commit -m 'git diff'",
  "git push -u origin x",
  "cat src/a.ts",
];

describe("a project whose denied file git has", () => {
  test.each(PRINTING)("%s may print it", async (text) => {
    commit({ "secret/.env": "TOKEN=1", "src/a.ts": "a" });
    expect(await open(["Read(secret/**)"])(text)).toEqual(["secret/.env"]);
  });

  test.each(NOT_PRINTING)("%s does not", async (text) => {
    commit({ "secret/.env": "TOKEN=1", "src/a.ts": "a" });
    expect(await open(["Read(secret/**)"])(text)).toEqual([]);
  });
});

test("a file that is only in the history may be printed", async () => {
  commit({ ".env": "TOKEN=1", "src/a.ts": "a" });
  git("rm", "-q", ".env");
  git("commit", "-qm", "removed");
  expect(await open(["Read(.env)"])("git log -p")).toEqual([".env"]);
});

test("nothing is found where git does not have the file, or there is no repository", async () => {
  commit({ "src/a.ts": "a" });
  writeFileSync(path.join(root, ".env"), "TOKEN=1");
  expect(await open(["Read(.env)"], true)("git diff")).toEqual([]);
  rmSync(path.join(root, ".git"), { recursive: true });
  expect(await open(["Read(.env)"], true)("git diff")).toEqual([]);
});

test("files with secret names count where these are asked about", async () => {
  commit({ "config/.env": "TOKEN=1" });
  expect(await open([], true)("git diff")).toEqual(["config/.env"]);
  expect(await open([], false)("git diff")).toEqual([]);
});
