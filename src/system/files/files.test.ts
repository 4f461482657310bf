import { execFileSync } from "node:child_process";
import {
  mkdtempSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
  readdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFiles } from "./files.js";

const files = nodeFiles();
const folder = (): string => mkdtempSync(join(tmpdir(), "looper-files-"));

test("an atomic write keeps the mode and the symlink of what was there, and leaves nothing beside it", async () => {
  const dir = folder();
  writeFileSync(join(dir, "real"), "old");
  chmodSync(join(dir, "real"), 0o640);
  symlinkSync("real", join(dir, "link"));
  await files.writeAtomic(join(dir, "link"), "new");
  expect(readFileSync(join(dir, "real"), "utf8")).toBe("new");
  expect(readlinkSync(join(dir, "link"))).toBe("real");
  expect(statSync(join(dir, "real")).mode & 0o777).toBe(0o640);
  expect(readdirSync(dir).sort()).toEqual(["link", "real"]);
});

test.runIf(process.platform === "linux")(
  "a folder that the system refuses to make below a folder there is is an error, not an endless attempt",
  async () => {
    await expect(files.makeFolder("/proc/looper/deep")).rejects.toMatchObject({ code: "ENOENT" });
  },
);

test("a folder is made with those above it, again without complaint, and not through a file", async () => {
  const dir = folder();
  await files.makeFolder(join(dir, "a/b/c"), 0o700);
  await files.makeFolder(join(dir, "a/b/c"));
  expect(statSync(join(dir, "a/b")).mode & 0o777).toBe(0o700);
  writeFileSync(join(dir, "file"), "");
  await expect(files.makeFolder(join(dir, "file"))).rejects.toMatchObject({ code: "EEXIST" });
  await expect(files.makeFolder(join(dir, "file/deep"))).rejects.toMatchObject({ code: "ENOTDIR" });
});

test("a dangling symlink is written through", async () => {
  const dir = folder();
  symlinkSync("later", join(dir, "link"));
  await files.writeAtomic(join(dir, "link"), "x");
  expect(readFileSync(join(dir, "later"), "utf8")).toBe("x");
});

test("an atomic write into a missing folder throws and makes nothing", async () => {
  const dir = folder();
  await expect(files.writeAtomic(join(dir, "no", "file"), "x")).rejects.toMatchObject({ code: "ENOENT" });
  expect(readdirSync(dir)).toEqual([]);
});

test("a full disk is an error, and the old file stays whole", async () => {
  // /dev/full takes no byte: the write fails before anything could be renamed.
  const file = await files.openAppend("/dev/full");
  await expect(file.append("x")).rejects.toMatchObject({ code: "ENOSPC" });
  await file.close();
});

test("appends are whole and in order, however many are asked for at once", async () => {
  const path = join(folder(), "log");
  const file = await files.openAppend(path, { mode: 0o600 });
  const lines = Array.from({ length: 200 }, (_, n) => `${String(n)} ${"x".repeat(n * 7)}\n`);
  await Promise.all(lines.map((line) => file.append(line)));
  await file.close();
  expect(readFileSync(path, "utf8")).toBe(lines.join(""));
  expect(file.size()).toBe(lines.join("").length);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a pipe where a file should be is an error, at once", async () => {
  const pipe = join(folder(), "pipe");
  execFileSync("mkfifo", [pipe]);
  await expect(files.read(pipe)).rejects.toMatchObject({ code: "EINVAL" });
  await expect(files.readRange(pipe, 0, 1)).rejects.toMatchObject({ code: "EINVAL" });
  await expect(files.openAppend(pipe)).rejects.toMatchObject({ code: "ENXIO" });
});

test("a device without an end is not a file; a device at its end is an empty file", async () => {
  const link = join(folder(), "zero");
  symlinkSync("/dev/zero", link);
  await expect(files.read(link)).rejects.toMatchObject({ code: "EINVAL" });
  await expect(files.readRange(link, 0, 1)).rejects.toMatchObject({ code: "EINVAL" });
  expect(await files.read("/dev/null")).toHaveLength(0);
});

test("what is not there is undefined, never an error", async () => {
  const dir = folder();
  expect(await files.read(join(dir, "none"))).toBeUndefined();
  expect(await files.stat(join(dir, "none"))).toBeUndefined();
  expect(await files.list(join(dir, "none"))).toEqual([]);
  expect(await files.realPath(join(dir, "none"))).toBeUndefined();
  await files.remove(join(dir, "none"));
  await files.touch(join(dir, "none"));
});

test("a range ends where the file ends", async () => {
  const path = join(folder(), "f");
  writeFileSync(path, "0123456789");
  expect(Buffer.from(await files.readRange(path, 3, 4)).toString()).toBe("3456");
  expect(Buffer.from(await files.readRange(path, 8, 10)).toString()).toBe("89");
  expect((await files.readRange(path, 20, 10)).length).toBe(0);
});
