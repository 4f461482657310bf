import { mkdtempSync, mkdirSync, readFileSync, statSync, writeFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../system/processes/node-ports.js";
import { createRedact } from "../system/text/secrets/redact.js";
import type { Sealed } from "./events/events.js";
import { findRun, listRuns, readLines } from "./read.js";
import { createRunLog } from "./run-log.js";

const ports = nodePorts();
const logDir = (): string => join(mkdtempSync(join(tmpdir(), "looper-log-")), "logs");

async function linesOf(folder: string, from = 0): Promise<number[]> {
  const seqs: number[] = [];
  for await (const line of readLines(ports, folder, from)) seqs.push(line.seq);
  return seqs;
}

test("lines are sealed in order, redacted, and only this user may read them", async () => {
  const seen: Sealed[] = [];
  const dir = logDir();
  const redact = createRedact(["hunter2hunter2"]);
  const log = await createRunLog(ports, dir, { redact, onLine: (line) => seen.push(line) });
  await log.tell({ type: "warning", message: "the password is hunter2hunter2" }, { type: "woke" });
  await log.close();
  const path = join(log.folder, "events.jsonl");
  expect(readFileSync(path, "utf8")).not.toContain("hunter2");
  expect(seen.map(({ seq, type }) => `${String(seq)} ${type}`)).toEqual(["1 warning", "2 woke"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(log.folder).mode & 0o777).toBe(0o700);
  expect(readlinkSync(join(dir, "last"))).toBe(join("runs", log.run));
  expect(readFileSync(join(dir, ".gitignore"), "utf8")).toBe("*\n");
});

test("two runs of the same second have two folders, and the newest is found", async () => {
  const dir = logDir();
  const at = Date.parse("2026-11-20T21:46:01Z");
  const still = { ...ports, clock: { ...ports.clock, now: () => at } };
  const options = { redact: createRedact([]), onLine: () => undefined };
  const first = await createRunLog(still, dir, options);
  const second = await createRunLog(still, dir, options);
  expect([first.run, second.run]).toEqual(["2026-11-20_21-46-01", "2026-11-20_21-46-01-2"]);
  for (let n = 3; n <= 11; n++) await (await createRunLog(still, dir, options)).close();
  await Promise.all([first.close(), second.close()]);
  expect((await findRun(ports, dir))?.endsWith("-11")).toBe(true);
  expect((await listRuns(ports, dir)).at(1)).toBe(second.run);
  expect(await findRun(ports, dir, first.run)).toBe(first.folder);
  expect(await findRun(ports, dir, "../..")).toBeUndefined();
});

test("half-written, invalid and blank lines are skipped, and the next read continues at the last offset", async () => {
  const folder = join(logDir(), "runs", "x");
  mkdirSync(folder, { recursive: true });
  const line = (seq: number): string =>
    `{"type":"woke","seq":${String(seq)},"timestamp":"2026-11-20T00:00:00.000Z"}\n`;
  const path = join(folder, "events.jsonl");
  writeFileSync(path, line(1) + "garbage\n\n[1]\n" + line(2) + line(3).slice(0, 20));
  expect(await linesOf(folder)).toEqual([1, 2]);
  let end = 0;
  for await (const one of readLines(ports, folder)) end = one.end;
  writeFileSync(path, line(1) + "garbage\n\n[1]\n" + line(2) + line(3));
  expect(await linesOf(folder, end)).toEqual([3]);
});

test("a line longer than a chunk is read whole", async () => {
  const folder = join(logDir(), "runs", "x");
  mkdirSync(folder, { recursive: true });
  const long = JSON.stringify({ type: "message", seq: 1, timestamp: "t", content: "ü".repeat(3_000_000) });
  writeFileSync(join(folder, "events.jsonl"), long + "\n" + '{"type":"woke","seq":2,"timestamp":"t"}\n');
  const sizes: number[] = [];
  for await (const one of readLines(ports, folder)) sizes.push(one.text.length);
  expect(sizes).toEqual([long.length, 39]);
});

test("a log that cannot be written fails with an error and a hint", async () => {
  const full = { ...ports.files, openAppend: () => ports.files.openAppend("/dev/full") };
  const log = await createRunLog({ ...ports, files: full }, logDir(), {
    redact: createRedact([]),
    onLine: () => undefined,
  });
  await expect(log.tell({ type: "woke" })).rejects.toMatchObject({ kind: "environment" });
});

test("a run that was killed before its first line has no lines", async () => {
  expect(await linesOf(mkdtempSync(join(tmpdir(), "looper-log-")))).toEqual([]);
});

test("types to skip are recognised without parsing, except in a log with another key order", async () => {
  const folder = join(logDir(), "runs", "x");
  mkdirSync(folder, { recursive: true });
  const at = '"timestamp":"2026-11-20T00:00:00.000Z"';
  const lines = [
    `{"seq":1,${at},"type":"message","content":"\\"type\\":\\"woke\\""}`,
    `{"seq":2,${at},"type":"woke"}`,
    `{"type":"message","seq":3,${at}}`,
    `{"seq":4,${at},"type":"messages"}`,
  ];
  writeFileSync(join(folder, "events.jsonl"), lines.map((line) => `${line}\n`).join(""));
  const seen: number[] = [];
  for await (const { seq } of readLines(ports, folder, 0, { but: (type) => type === "message" }))
    seen.push(seq);
  expect(seen).toEqual([2, 3, 4]);
});
