// Which file is the prompt of a stage, and which files cannot be one.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../system/processes/node-ports.js";
import { readStageTemplate } from "./store.js";

const root = mkdtempSync(path.join(tmpdir(), "looper-store-"));
const folder = path.join(root, "prompts");
const bundled = path.join(root, "bundled");
const file = path.join(folder, "implement.md");
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  mkdirSync(bundled, { recursive: true });
  writeFileSync(path.join(bundled, "implement.md"), "the shipped one");
});

const read = (name: string) =>
  readStageTemplate(nodePorts().files, { bundled, instead: {}, folders: [folder] }, name);

test("a project's own prompt comes first, without its byte order mark", async () => {
  expect((await read("implement")).text).toBe("the shipped one");
  writeFileSync(file, "\uFEFFmine");
  expect(await read("implement")).toEqual({ name: file, text: "mine" });
});

test.each<[string, () => void, string]>([
  [
    "a folder",
    () => {
      mkdirSync(file);
    },
    "it is a folder",
  ],
  ["a pipe", () => execFileSync("mkfifo", [file]), "it is a pipe or a device"],
  [
    "a link to nowhere",
    () => {
      symlinkSync("gone.md", file);
    },
    "it is a link that leads nowhere",
  ],
  [
    "a link outside",
    () => {
      symlinkSync(path.join(bundled, "implement.md"), file);
    },
    "a link that leads out of",
  ],
  [
    "a large file",
    () => {
      writeFileSync(file, "x".repeat(1024 * 1024 + 1));
    },
    "at most 1048576 are read",
  ],
  [
    "UTF-16",
    () => {
      writeFileSync(file, Buffer.from("\uFEFFhi", "utf16le"));
    },
    "it begins as UTF-16 does",
  ],
  [
    "a program",
    () => {
      writeFileSync(file, "a\0b");
    },
    "it has a NUL byte",
  ],
  [
    "nothing",
    () => {
      writeFileSync(file, " \n");
    },
    "there is nothing in it",
  ],
])("%s is refused, and the shipped prompt is not used in its place", async (_what, make, why) => {
  make();
  await expect(read("implement")).rejects.toThrow(`cannot use ${file} as a prompt: `);
  await expect(read("implement")).rejects.toThrow(why);
});

test("an unknown prompt is refused with the nearest one", async () => {
  await expect(read("implemet")).rejects.toMatchObject({
    message: 'there is no prompt "implemet"',
    hint: `did you mean implement? or write ${path.join(folder, "implemet.md")}`,
  });
});
