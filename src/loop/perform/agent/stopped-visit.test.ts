// A visit that an earlier run began: its session is resumed if its agent was stopped in order, and the prompt says what is there.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import { Task } from "../../../todo/model/task.js";
import { backlog } from "../../../todo/testing/testing.js";
import type { JobFacts } from "../../step/effects.js";
import type { AgentStage } from "./agent-stage.js";
import { findStoppedVisit, introduceVisit, withoutSession } from "./stopped-visit.js";
import { createMemory, type World } from "../world.js";

const logDir = mkdtempSync(path.join(tmpdir(), "looper-stopped-"));
afterEach(() => {
  rmSync(path.join(logDir, "runs"), { recursive: true, force: true });
});

const RUN = "2026-11-24_07-00-00";
const SINCE = "2026-11-24T07:30:00.000Z";
const AT = "2026-11-24T08:00:00.000Z";
const visit = { task_id: Task.shape.id.parse("T1"), stage: "implement", visit: 3 };
const job: JobFacts = { job: 1, iteration: 1, phase: "iteration", agent: "codex", attempt: 1, ...visit };

function makeWorld(): World {
  const task = Task.parse({
    ...{ id: "T1", title: "x", priority: 1, status: "doing" },
    progress: { workflow: "w", digest: "d", stage: "implement", visit: 3, since: SINCE },
  });
  return {
    ports: nodePorts(),
    project: { logDir },
    log: { run: "2026-11-24_09-00-00" },
    memory: { ...createMemory(), backlog: backlog(task) },
  } as unknown as World;
}

function writeLog(run: string, ...lines: readonly object[]): void {
  const folder = path.join(logDir, "runs", run);
  mkdirSync(folder, { recursive: true });
  const stamped = lines.map((line, at) => JSON.stringify({ seq: at + 1, timestamp: AT, ...line }));
  writeFileSync(path.join(folder, "events.jsonl"), `${stamped.join("\n")}\n`);
}

const started = { type: "agent_started", ...job, label: "x", pid: 1, command: "codex" };
const stopped = {
  ...{ type: "agent_finished", ...job, outcome: "failed", reason: "interrupted", evidence: "stopped" },
  ...{ unknown_events: 0, duration_ms: 5, session: "s-1", usage: { input_tokens: 10, output_tokens: 2 } },
};

test("the session of an agent that was stopped is found once, with what it used in the newest run of the visit", async () => {
  writeLog("2026-11-24_07-40-00", started, stopped);
  writeLog("2026-11-24_08-00-00", { type: "run_started" });
  writeLog("2026-11-24_08-10-00", started, stopped);
  const world = makeWorld();
  expect(await findStoppedVisit(world, job)).toEqual({
    agent: "codex",
    session: { id: "s-1", used: { input_tokens: 10, output_tokens: 2 } },
  });
  // The run that found it tries again in a session of its own.
  expect(await findStoppedVisit(world, job)).toBeUndefined();
});

test.each([
  ["a visit that was killed has no session to resume", [started], { agent: "codex" }],
  ["an attempt that failed is over", [started, { ...stopped, reason: "exited" }], undefined],
  [
    "the work of an attempt that a person stopped is put aside",
    [started, stopped, { ...started, type: "attempt_stopped" }],
    undefined,
  ],
  [
    "another visit is not this one",
    [
      { ...started, visit: 1 },
      { ...stopped, visit: 1 },
    ],
    undefined,
  ],
  ["an earlier pass is not this one", [{ ...started, timestamp: "2026-11-24T07:20:00.000Z" }], undefined],
  [
    "an id that could be an option is not used",
    [started, { ...stopped, session: "--yolo" }],
    { agent: "codex" },
  ],
])("%s", async (_name, lines, expected) => {
  writeLog(RUN, ...lines);
  expect(await findStoppedVisit(makeWorld(), job)).toEqual(expected);
});

test("the prompt says that nothing was undone, and whether the session is the same", () => {
  const stage = (kind: string) => ({ stage: { kind } }) as AgentStage;
  const left = { agent: "codex", session: { id: "s-1" } };
  expect(introduceVisit(stage("work"), left, job)).toMatch(
    /in the same session. Nothing was undone: .*do not repeat/su,
  );
  expect(introduceVisit(stage("work"), withoutSession(left), job)).toMatch(
    /^An earlier run was stopped .*working tree/su,
  );
  // Another agent cannot resume that session.
  expect(introduceVisit(stage("work"), left, { ...job, agent: "claude" })).toMatch(/^An earlier run/u);
  expect(introduceVisit(stage("analyze"), withoutSession(left), job)).toBe("");
  expect(introduceVisit(stage("work"), undefined, job)).toBe("");
});
