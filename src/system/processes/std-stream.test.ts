import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StdStream } from "./std-stream.js";

let folder = "";
let pipe = -1;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "looper-std-"));
  execFileSync("mkfifo", [path.join(folder, "pipe")]);
  pipe = openSync(path.join(folder, "pipe"), constants.O_RDWR | constants.O_NONBLOCK);
});

afterEach(() => {
  closeSync(pipe);
  rmSync(folder, { recursive: true, force: true });
});

/** Nothing here may make a stream of Node's. */
function noStream(): never {
  throw new Error("a stream was made");
}

function leftOf(stream: StdStream, text: string): string {
  return Buffer.from(stream.writeAtOnce(text)).toString("utf8");
}

function inPipe(): string {
  const into = Buffer.alloc(100_000);
  return into.subarray(0, readSync(pipe, into)).toString("utf8");
}

test("a pipe is written to without a stream, and is not a terminal", () => {
  const stream = new StdStream(pipe, noStream);
  expect(leftOf(stream, "grüße\n")).toBe("");
  expect(leftOf(stream, "")).toBe("");
  expect(inPipe()).toBe("grüße\n");
  expect([stream.isTty, stream.isFile, stream.opened]).toEqual([false, false, undefined]);
});

test("no more than an empty pipe holds, in all", () => {
  const stream = new StdStream(pipe, noStream);
  expect(leftOf(stream, "ü".repeat(40_000))).toBe("ü".repeat(40_000));
  expect(leftOf(stream, "a".repeat(65_000))).toBe("");
  // It cannot know whether a process has read meanwhile.
  inPipe();
  expect(leftOf(stream, "b".repeat(600))).toBe("b".repeat(600));
});

test("what a full pipe does not take is left to the stream", () => {
  writeSync(pipe, "a".repeat(65_536));
  expect(leftOf(new StdStream(pipe, noStream), "late")).toBe("late");
});

test("all is left of what goes to a file, or once a stream was made", () => {
  const file = openSync(path.join(folder, "file"), "w");
  const written = new StdStream(file, noStream);
  expect([leftOf(written, "text"), written.isFile]).toEqual(["text", true]);
  closeSync(file);
  const opened = new StdStream(pipe, () => process.stdout);
  opened.open();
  expect(leftOf(opened, "text")).toBe("text");
});

test("/dev/null takes everything, and is not a terminal", () => {
  const nowhere = openSync("/dev/null", "w");
  const stream = new StdStream(nowhere, noStream);
  expect([leftOf(stream, "a".repeat(100_000)), stream.isTty]).toEqual(["", false]);
  closeSync(nowhere);
});
