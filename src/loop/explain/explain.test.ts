import { mkdtempSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { LogPlace } from "../../logging/is-of-task-file.js";
import { RULES } from "../testing/world/sim.js";
import { findJudged } from "./explain.js";

const ports = nodePorts();
const [OLD, NEW, NEWEST] = ["2026-11-20_00-00-00", "2026-11-21_00-00-00", "2026-11-22_00-00-00"];
const TODO = "/p/to-do.json";
const job = (task: string, number: number) => ({
  ...{ iteration: number, phase: "iteration", job: number, task_id: task, agent: "fake", attempt: 1 },
});
const begun = (todo: string) => ({
  ...{ type: "run_started", run: NEW, version: "1", project: "/p", todo_file: todo },
  ...{ rules: RULES, agents: [], git: true, warnings: [] },
});
const gate = (task: string, number: number, verdict: string) => ({
  ...{ type: "gate_finished", ...job(task, number), verdict, cold: true, commands: [], tampered: [] },
  ...{ evidence: "", warnings: [], duration_ms: 1 },
});
const baseline = (task: string, file: string) => ({
  ...{ type: "baseline_finished", ...job(task, 1), outcome: "measured", file, duration_ms: 1 },
  commands: [{ command: "make", passed: true }],
});
const checkpoint = (task: string, base: string) => ({
  ...{ type: "checkpoint", ...job(task, 1), base, reused: false, dirty: 0 },
});

function logs(runs: Record<string, readonly object[]>): LogPlace {
  const logDir = mkdtempSync(join(tmpdir(), "looper-judged-"));
  for (const [run, lines] of Object.entries(runs)) {
    const folder = join(logDir, "runs", run);
    mkdirSync(folder, { recursive: true });
    const timestamp = "2026-11-21T00:00:00.000Z";
    const texts = lines.map((line, at) => `${JSON.stringify({ seq: at + 1, timestamp, ...line })}\n`);
    writeFileSync(join(folder, "events.jsonl"), texts.join(""));
  }
  return { folder: "/p", logDir, todoFile: TODO };
}

test("the last verdict on the task is found, with its checkpoint and its baseline from the logs' own folder", async () => {
  const place = logs({
    [OLD]: [gate("T1", 1, "failed")],
    [NEW]: [
      ...[checkpoint("T1", "c1"), baseline("T1", `/elsewhere/runs/${OLD}/baseline-1.json`)],
      ...[gate("T1", 1, "failed"), gate("T1", 2, "unverified"), gate("T1", 3, "interrupted")],
      ...[checkpoint("T2", "c2"), gate("T2", 4, "passed")],
    ],
  });
  expect(await findJudged(ports, place, "T1")).toMatchObject({
    run: NEW,
    earlier: [OLD],
    gate: { job: 2, verdict: "unverified" },
    base: "c1",
    baseline: join(place.logDir, "runs", OLD, "baseline-1.json"),
    before: [{ command: "make" }],
  });
});

test("a run without a verdict on the task, or of another task file, is passed over", async () => {
  const place = logs({
    [OLD]: [gate("T1", 1, "failed")],
    [NEW]: [gate("T2", 1, "passed"), gate("T1", 2, "interrupted")],
    [NEWEST]: [begun("/p/other.json"), gate("T1", 1, "passed")],
  });
  expect(await findJudged(ports, place, "T1")).toMatchObject({ run: OLD, earlier: [] });
  expect(await findJudged(ports, place, "T9")).toBeUndefined();
});
