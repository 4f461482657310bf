import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  symlinkSync,
  writeFileSync,
  lstatSync,
  type Stats,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeTree } from "./tree.js";

function folder(): string {
  const top = mkdtempSync(join(tmpdir(), "looper-tree-"));
  mkdirSync(join(top, "in", "deep"), { recursive: true });
  mkdirSync(join(top, "out"));
  writeFileSync(join(top, "in", "ü"), "");
  writeFileSync(join(top, "out", "x"), "");
  writeFileSync(Buffer.concat([Buffer.from(`${top}/in/`), Buffer.from([0xff])]), "");
  symlinkSync("out", join(top, "link"));
  execFileSync("mkfifo", [join(top, "in", "deep", "pipe")]);
  return top;
}

test("a walk names everything in bytes, enters what it is told to, and follows no link", async () => {
  const walked = await nodeTree(folder()).walk("", (path) => path !== "out");
  expect(walked.map(({ path, kind }) => `${path} ${kind}`).sort()).toEqual([
    "in folder",
    "in/deep folder",
    "in/deep/pipe other",
    "in/\xc3\xbc file",
    "in/\xff file",
    "link symlink",
    "out folder",
  ]);
});

test("a walk of a missing folder or a file finds nothing, and a shallow walk finds names alone", async () => {
  const tree = nodeTree(folder());
  for (const from of ["none", "link/none", "in/deep/pipe"])
    expect(await tree.walk(from, () => true)).toEqual([]);
  expect(await tree.walk("in", () => false)).toContainEqual({ path: "in/deep", kind: "folder" });
});

/** The identity of a file, and how many names it has. */
function toIdentity({ dev, ino, nlink }: Stats): { device: number; inode: number; links: number } {
  return { device: dev, inode: ino, links: nlink };
}

test("modes and sizes are told, modes set, by names of any kind; a link's target is left alone", async () => {
  const top = folder();
  const tree = nodeTree(top);
  await tree.setMode("in/\xff", 0o640);
  chmodSync(join(top, "out"), 0o711);
  await tree.setMode("link", 0o700);
  await tree.setMode("none", 0o700);
  expect(await tree.look(["in/\xff", "out", "none", "in/\xff/none"])).toEqual([
    { ...toIdentity(lstatSync(Buffer.from(`${top}/in/\xff`, "latin1"))), kind: "file", mode: 0o640, size: 0 },
    {
      ...toIdentity(lstatSync(join(top, "out"))),
      kind: "folder",
      mode: 0o711,
      size: expect.any(Number) as number,
    },
    undefined,
    undefined,
  ]);
});

test("a file is removed, and a link but not what it leads to", async () => {
  const top = folder();
  const tree = nodeTree(top);
  await tree.remove("in/deep/pipe");
  await tree.remove("in/deep/pipe");
  expect(existsSync(join(top, "in", "deep", "pipe"))).toBe(false);
  await tree.remove("link");
  expect(existsSync(join(top, "out", "x"))).toBe(true);
});
