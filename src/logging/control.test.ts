import { appendFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../system/processes/node-ports.js";
import { TaskId } from "../todo/model/task.js";
import { openControl, tellRun, type ControlLine } from "./control.js";

const ports = nodePorts();
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "control-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const line = (id: string): ControlLine => ({
  type: "edit",
  at: "2026-01-02T03:04:05Z",
  changes: [{ op: "remove", id: TaskId.parse(id) }],
});

test("messages to a run are read once and in order, and only the user can read the file", async () => {
  const next = openControl(ports, folder);
  expect(await next()).toEqual([]);
  await tellRun(ports, folder, line("T1"));
  await tellRun(ports, folder, line("T2"));
  expect(await next()).toEqual([line("T1"), line("T2")]);
  expect(await next()).toEqual([]);
  await tellRun(ports, folder, line("T3"));
  expect(await next()).toEqual([line("T3")]);
  expect((await stat(join(folder, "control.jsonl"))).mode & 0o777).toBe(0o600);
});

test("a half-written line does not damage the next one, and invalid lines are skipped", async () => {
  const next = openControl(ports, folder);
  await appendFile(join(folder, "control.jsonl"), '{"type":"edit","at":"2026');
  expect(await next()).toEqual([]);
  await tellRun(ports, folder, line("T1"));
  await appendFile(
    join(folder, "control.jsonl"),
    'null\n{"type":"edit","at":"yesterday","changes":[]}\n{"type":"dance"}\n',
  );
  await tellRun(ports, folder, line("T2"));
  expect(await next()).toEqual([line("T1"), line("T2")]);
});
