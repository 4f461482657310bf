import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import { Task } from "../../../todo/model/task.js";
import { backlog } from "../../../todo/testing/testing.js";
import type { JobFacts } from "../../step/effects.js";
import type { AgentStage } from "./agent-stage.js";
import { findStageSession, rememberSession } from "./stopped-visit.js";
import { createMemory, type World } from "../world.js";

const logDir = mkdtempSync(path.join(tmpdir(), "looper-sessions-"));
afterAll(() => {
  rmSync(logDir, { recursive: true, force: true });
});

const AT = "2026-11-24T08:00:00.000Z";
const RUN = "2026-11-24_08-00-00";
const job: JobFacts = {
  ...{ job: 4, iteration: 3, phase: "iteration", task_id: Task.shape.id.parse("T1"), agent: "codex" },
  ...{ attempt: 1, stage: "implement", visit: 3 },
};
const resuming = (session?: string) =>
  ({ stage: { kind: "work", prompt: "implement", session } }) as AgentStage;

function makeWorld(agent = "codex"): World {
  const output = { stage: "implement", visit: 1, outcome: "done", file: "T1/1-implement.json", sha256: "0" };
  const task = Task.parse({
    ...{ id: "T1", title: "x", priority: 1, status: "doing" },
    progress: {
      ...{ workflow: "w", digest: "d", stage: "implement", visit: 3, since: AT },
      outputs: { implement: { ...output, agent, run: RUN, at: AT } },
    },
  });
  return {
    ports: nodePorts(),
    project: { logDir },
    memory: { ...createMemory(), backlog: backlog(task) },
  } as unknown as World;
}

function writeLog(...lines: readonly object[]): void {
  const folder = path.join(logDir, "runs", RUN);
  mkdirSync(folder, { recursive: true });
  const stamped = lines.map((line, at) => JSON.stringify({ seq: at + 1, timestamp: AT, ...line }));
  writeFileSync(path.join(folder, "events.jsonl"), `${stamped.join("\n")}\n`);
}

test("a stage resumes the session of the stage that it names, from this run or from the log of an earlier one", async () => {
  const line = { type: "session", job: 1, task_id: "T1", stage: "implement", visit: 1 };
  writeLog({ ...line, id: "s-1" }, { ...line, visit: 2, id: "s-2" }, { ...line, task_id: "T2", id: "s-3" });
  const world = makeWorld();
  expect(await findStageSession(world, job, resuming("implement"))).toEqual({ id: "s-1" });
  rememberSession(world, { ...job, visit: 3 }, { id: "s-9" });
  expect(await findStageSession(world, job, resuming("implement"))).toEqual({ id: "s-9" });
});

test("without a session to resume the stage begins a new one", async () => {
  const line = { type: "session", job: 1, task_id: "T1", stage: "implement", visit: 1 };
  writeLog({ ...line, id: "s-1" });
  expect(await findStageSession(makeWorld(), job, resuming())).toBeUndefined();
  expect(await findStageSession(makeWorld(), job, resuming("new"))).toBeUndefined();
  expect(await findStageSession(makeWorld(), job, resuming("plan"))).toBeUndefined();
  // Another agent did that stage.
  expect(await findStageSession(makeWorld("claude"), job, resuming("implement"))).toBeUndefined();
  // It becomes an argument of the client.
  writeLog({ ...line, id: "--yolo" });
  expect(await findStageSession(makeWorld(), job, resuming("implement"))).toBeUndefined();
  rmSync(path.join(logDir, "runs"), { recursive: true });
  expect(await findStageSession(makeWorld(), job, resuming("implement"))).toBeUndefined();
});
