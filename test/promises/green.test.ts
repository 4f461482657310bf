// `make test` keeps the commit it passed on in build/green. Leaves running it to `make test` itself.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ROOT } from "../rig/documents.js";

let folder: string;

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: "pipe" }).trim();
const green = (...args: string[]): string =>
  run(process.execPath, path.join(ROOT, "scripts/green.mjs"), ...args);
const kept = (): string | undefined =>
  existsSync(path.join(folder, "build/green"))
    ? readFileSync(path.join(folder, "build/green"), "utf8")
    : undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "green-"));
  writeFileSync(path.join(folder, ".gitignore"), "build/\n");
  run("git", "init", "-q");
  run("git", "add", "-A");
  run("git", "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-q", "-m", "start");
});

test("the commit that passed is kept, and nothing else", () => {
  const commit = green();
  expect(commit).toMatch(/^[0-9a-f]{40}$/);
  green(commit, "--reporter=json", "--outputFile.json=/tmp/report");
  expect(kept()).toBe(`${commit}\n`);
});

test("nothing is kept of files that differ from the commit, before or after the tests", () => {
  const commit = green();
  writeFileSync(path.join(folder, "new.txt"), "");
  expect(green()).toBe("");
  green(commit);
  green("");
  expect(kept()).toBeUndefined();
});

test("nothing is kept of another commit, or of a part of the tests", () => {
  const commit = green();
  green(commit, "-t", "a name");
  green(commit, "--project", "unit");
  green("0".repeat(40));
  expect(kept()).toBeUndefined();
});
