import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRunLog } from "../../logging/run-log.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import { row } from "../../todo/testing/testing.js";
import { drive } from "../step/drive.js";
import { replayAt, replayRun } from "./replay.js";
import { createWorld } from "../testing/world/in-world.js";
import { createSim } from "../testing/world/sim.js";

type Line = Record<string, unknown> & { seq: number; type: string };

const ports = nodePorts();
let root: string;
/** The log of a run that finished one task. */
let folder: string;
let whole: Line[];

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "looper-replay-"));
  const log = await createRunLog(ports, root, { redact: (text) => text, onLine: () => undefined });
  const disk = { rows: [row("T1")], commits: [], checkpoints: [] };
  const { inbox, perform } = createWorld(createSim(disk, { review: false }), () => Promise.resolve());
  await drive({ log, clock: ports.clock, perform }, inbox);
  await log.close();
  folder = log.folder;
  const text = await readFile(path.join(folder, "events.jsonl"), "utf8");
  whole = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

/** The log with its lines replaced. */
async function rewritten(lines: readonly Line[]): Promise<void> {
  await writeFile(
    path.join(folder, "events.jsonl"),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
}

function changed(type: string, more: object, at = 0): Line[] {
  const found = whole.filter((line) => line.type === type)[at];
  if (found === undefined) throw new Error(`no line ${type}`);
  return whole.map((line) => (line === found ? { ...line, ...more } : line));
}

function seqOf(type: string, at = 0): number {
  return whole.filter((line) => line.type === type)[at]?.seq ?? -1;
}

const decisions = (lines: readonly Line[]): number => lines.filter(({ type }) => type === "decided").length;

test("the log of a run, whole or truncated anywhere, gives the same decisions", async () => {
  expect(await replayRun(ports, folder)).toEqual({ decisions: decisions(whole) });
  for (const cut of [1, 2, Math.floor(whole.length / 2), whole.length - 1]) {
    await rewritten(whole.slice(0, cut));
    expect(await replayRun(ports, folder)).toEqual({ decisions: decisions(whole.slice(0, cut)) });
  }
  await rewritten([]);
  expect(await replayRun(ports, folder)).toEqual({ decisions: 0 });
});

test("a line that is missing or cannot be read is named", async () => {
  await rewritten(whole.filter(({ seq }) => seq !== 4));
  expect(await replayRun(ports, folder)).toEqual({
    seq: 4,
    difference: "then: line 4 is missing or cannot be read\nnow:  the log continues with 5",
  });
  const strange = seqOf("checkpoint");
  await rewritten(changed("checkpoint", { dirty: "many" }));
  expect(await replayRun(ports, folder)).toEqual({
    seq: strange,
    difference: "then: an event checkpoint\nnow:  it cannot be read as one",
  });
});

test("a replay finds a changed decision, a changed reason and a changed line for readers", async () => {
  await rewritten(changed("decided", { because: { rule: "whim" } }, 3));
  expect(await replayRun(ports, folder)).toMatchObject({
    seq: seqOf("decided", 3),
    difference: expect.stringMatching(
      /^then: .*"rule":"whim".*\nnow: {2}\{"effects":.*"rule":"(?!whim)/,
    ) as string,
  });
  await rewritten(changed("decided", { effects: [] }, 1));
  expect(await replayRun(ports, folder)).toMatchObject({ seq: seqOf("decided", 1) });
  const told = whole.find(({ type }) => type === "task_selected");
  await rewritten(changed("task_selected", { type: "warning", message: "no" }));
  expect(await replayRun(ports, folder)).toEqual({
    seq: told?.seq,
    difference: "then: a line warning\nnow:  a line task_selected",
  });
});

test("a decision before any event and an impossible event are differences", async () => {
  const [first, decided] = whole;
  if (first === undefined || decided === undefined) throw new Error("an empty log");
  await rewritten([{ ...decided, seq: 1 }]);
  expect(await replayRun(ports, folder)).toMatchObject({
    seq: 1,
    difference: expect.stringContaining("now:  nothing") as string,
  });
  await rewritten([{ ...first, seq: 1, type: "woke" }]);
  expect(await replayRun(ports, folder)).toEqual({
    seq: 1,
    difference: "then: an event woke\nnow:  a run begins with run_started, not woke",
  });
});

test("a follower gets each event with its decision, and may end the replay", async () => {
  const heard: string[] = [];
  const followed = await replayRun(ports, folder, (event, next) => {
    heard.push(`${event.seq} ${event.type} ${next.because.rule}`);
    return Promise.resolve(
      event.type === "checkpoint" ? { seq: event.seq, difference: "enough" } : undefined,
    );
  });
  expect(followed).toEqual({ seq: seqOf("checkpoint"), difference: "enough" });
  expect(heard.at(0)).toBe("1 run_started run-started");
  expect(heard.at(-1)).toBe(`${seqOf("checkpoint")} checkpoint checkpoint-made`);
});

test("replaying up to a line returns the last event before it with its decision", async () => {
  const seq = seqOf("checkpoint");
  expect(await replayAt(ports, folder, seq)).toMatchObject({
    seq,
    event: "checkpoint",
    next: { because: { rule: "checkpoint-made" }, effects: [{ kind: "run-agent" }] },
  });
  expect(await replayAt(ports, folder, seq + 1)).toMatchObject({ seq, event: "checkpoint" });
  const last = whole.at(-1)?.seq ?? 0;
  expect(await replayAt(ports, folder, last)).toMatchObject({
    event: "run_ended",
    next: { state: { phase: "ended" } },
  });
  expect(await replayAt(ports, folder, last + 1)).toEqual({ last });
  await rewritten([]);
  expect(await replayAt(ports, folder, 1)).toEqual({ last: 0 });
});
