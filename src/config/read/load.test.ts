import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeFiles } from "../../system/files/files.js";
import { loadSettings } from "./load.js";

const files = nodeFiles();
let project = "";

beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), "load-"));
});
afterEach(() => {
  rmSync(project, { recursive: true });
});

function write(name: string, text: string): string {
  const file = path.join(project, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const load = (user: string[] = []) => loadSettings(files, { project, user });

test("no files, no settings", async () => {
  write("package.json", '{"name": "x"}');
  expect(await load([path.join(project, "none.json")])).toEqual({ user: undefined, project: undefined });
});

test.each([
  [".looper/config.json", '{\n"git": {"init": true}}', 2],
  [".looper/config.yaml", "# x\ngit:\n  init: true\n", 2],
  [".looper/config.yml", "git: {init: true}\n", 1],
  ["package.json", '{\n"looper":\n{ "git": {"init": true} } }', 3],
])("%s works like the others", async (name, text, line) => {
  write(name, text);
  const found = (await load()).project;
  expect(found).toMatchObject({ name, value: { git: { init: true } } });
  expect(found?.lineOf(["git"])).toBe(line);
});

test("a user's file is named whole, and both layers are told apart", async () => {
  const user = write("user.yaml", "loop: {review: false}");
  write(".looper/config.json", "");
  const found = await load([user]);
  expect(found.user).toMatchObject({ name: user, value: { loop: { review: false } } });
  expect(found.project).toMatchObject({ name: ".looper/config.json", value: undefined });
});

test("two project files are an error that names both", async () => {
  const one = write(".looper/config.yml", "{}");
  const two = write("package.json", '{"looper": {}}');
  await expect(load()).rejects.toMatchObject({
    kind: "usage",
    message: `two settings files: ${one} and ${two}`,
  });
});

test("a broken file is the user's to mend: file and line", async () => {
  write(".looper/config.json", '{\n  "a": }');
  await expect(load()).rejects.toMatchObject({
    kind: "usage",
    message: ".looper/config.json:2: not JSON: value expected",
  });
  rmSync(path.join(project, ".looper/config.json"));
  mkdirSync(path.join(project, ".looper/config.json"));
  await expect(load()).rejects.toMatchObject({ kind: "usage" });
});

test("a link that leads nowhere cannot be read", async () => {
  mkdirSync(path.join(project, ".looper"));
  symlinkSync("gone.json", path.join(project, ".looper/config.json"));
  await expect(load()).rejects.toMatchObject({
    kind: "usage",
    message: expect.stringContaining(".looper/config.json cannot be read") as unknown,
  });
});

test("a pipe in place of a settings file is an error, at once", async () => {
  const pipe = path.join(project, ".looper", "config.json");
  mkdirSync(path.dirname(pipe), { recursive: true });
  execFileSync("mkfifo", [pipe]);
  await expect(load()).rejects.toMatchObject({
    kind: "usage",
    message: expect.stringContaining("is a pipe") as string,
  });
});

test("nothing of the project runs while its settings are loaded", async () => {
  const trap = (name: string) =>
    `require("fs").writeFileSync(${JSON.stringify(path.join(project, name))}, "")`;
  for (const name of [
    ".config/config.js",
    ".config/config.cjs",
    ".looper/config.js",
    "cosmiconfig.config.js",
  ]) {
    chmodSync(write(name, trap("sprung")), 0o755);
  }
  write(".looper/config.json", '{"$import": "./config.js"}');
  const back = process.cwd();
  process.chdir(project);
  try {
    expect((await load()).project?.value).toEqual({ $import: "./config.js" });
    expect(process.cwd()).toBe(project);
  } finally {
    process.chdir(back);
  }
  expect(existsSync(path.join(project, "sprung"))).toBe(false);
});
