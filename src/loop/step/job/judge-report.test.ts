import { expect, test } from "vitest";
import type { StepEvent } from "../../../logging/events/events.js";
import type { Summary } from "../../../todo/model/summary.js";
import { id } from "../../../todo/testing/testing.js";
import { findSpared, judgeReport, judgeReview, readFound, readResult } from "./judge-report.js";
import type { Job } from "../state.js";

type AgentFinished = Extract<StepEvent, { type: "agent_finished" }>;
type End = Omit<AgentFinished, "type" | "job" | "duration_ms">;

type Snapshot = Extract<StepEvent, { type: "snapshot" }>;

const snapshot: Snapshot = { type: "snapshot", job: 1, changed: 0, head: "same", warnings: [] };
const moved: Snapshot = { ...snapshot, head: "moved", why: "the branch is another one" };

function finished(end: End): AgentFinished {
  return { type: "agent_finished", job: 1, duration_ms: 1, ...end };
}

function job(end: End, more: Partial<Job> = {}): Job {
  const facts = {
    job: 1,
    phase: "iteration",
    iteration: 1,
    agent: "a",
    attempt: 1,
    task_id: id("T1"),
  } as const;
  return { facts, route: "attempt", activity: "snapshot", hooks: [], end: finished(end), ...more };
}

function reported(summary: Partial<Summary>): End {
  return { outcome: "ok", report: { found: { task_id: "T1", status: "done", ...summary } } };
}

test.each<[Partial<Summary>, object]>([
  [
    { status: "done", summary: "did it" },
    { kind: "done", summary: "did it" },
  ],
  [{ status: "done" }, { kind: "done", summary: "" }],
  [
    { status: "done", task_id: null },
    { kind: "done", summary: "" },
  ],
  ...["`T1`", "**T1**.", '"T1"', "T1: Do it", "#T1", "t1", "Task T1"].map(
    (task_id): [Partial<Summary>, object] => [
      { status: "done", task_id },
      { kind: "done", summary: "" },
    ],
  ),
  ...["T12", "T1, T2", "T1-2"].map((task_id): [Partial<Summary>, object] => [
    { status: "done", task_id },
    {
      kind: "failed",
      reason: "bad-summary",
      evidence: `the summary is for task "${task_id}", the task given was "T1"`,
    },
  ]),
  [
    { status: "done", task_id: "T2" },
    {
      kind: "failed",
      reason: "bad-summary",
      evidence: 'the summary is for task "T2", the task given was "T1"',
    },
  ],
  [
    { status: "blocked", summary: "said", blockers: ["a", "b"] },
    { kind: "blocked", blockers: ["a", "b"] },
  ],
  [
    { status: "blocked", summary: "said", blockers: [] },
    { kind: "blocked", blockers: ["said"] },
  ],
  [
    { status: "blocked", summary: "said" },
    { kind: "blocked", blockers: ["said"] },
  ],
  [{ status: "blocked" }, { kind: "blocked", blockers: ["blocked"] }],
  [
    { status: "skipped", summary: "said", blockers: ["a"] },
    { kind: "skipped", why: "said" },
  ],
  [
    { status: "skipped", blockers: ["a", "b"] },
    { kind: "skipped", why: "a; b" },
  ],
  [{ status: "skipped" }, { kind: "skipped", why: "skipped" }],
  [
    { status: "reviewed" },
    {
      kind: "failed",
      reason: "bad-summary",
      evidence: 'the summary says "reviewed", which is not a status of a task',
    },
  ],
])("a summary %j", (summary, verdict) => {
  expect(judgeReport(job(reported(summary)), undefined, snapshot)).toEqual(verdict);
});

test.each<[End, object]>([
  [
    { outcome: "failed", reason: "idle", evidence: "said nothing for 10 min" },
    { kind: "failed", reason: "idle", evidence: "said nothing for 10 min" },
  ],
  [{ outcome: "failed" }, { kind: "failed", reason: "exited", evidence: "the agent failed" }],
  [{ outcome: "ok" }, { kind: "failed", reason: "no-summary", evidence: "the agent reported nothing" }],
  [
    { outcome: "ok", report: { missing: "there is none" } },
    { kind: "failed", reason: "no-summary", evidence: "there is none" },
  ],
  [
    { outcome: "ok", report: { invalid: "status is missing" } },
    { kind: "failed", reason: "bad-summary", evidence: "status is missing" },
  ],
])("an agent that ended with %j", (end, verdict) => {
  expect(judgeReport(job(end), undefined, snapshot)).toEqual(verdict);
  expect(judgeReview(job(end))).toEqual(verdict);
});

test("only an agent that was told to stop is interrupted", () => {
  const end: End = { outcome: "failed", reason: "interrupted", evidence: "SIGTERM" };
  expect(judgeReport(job(end, { stopped: true }), undefined, snapshot)).toEqual({ kind: "interrupted" });
  const failed = { kind: "failed", reason: "interrupted", evidence: "SIGTERM" };
  expect(judgeReport(job(end), undefined, snapshot)).toEqual(failed);
  const exited: End = { outcome: "failed", reason: "exited", evidence: "code 1" };
  expect(judgeReport(job(exited, { stopped: true }), undefined, snapshot)).toMatchObject({
    reason: "exited",
  });
});

test("a moved HEAD fails only an attempt whose agent worked", () => {
  const fault = { kind: "failed", reason: "moved-head", evidence: "the branch is another one" };
  expect(judgeReport(job(reported({})), undefined, moved)).toEqual(fault);
  expect(judgeReport(job({ outcome: "failed", reason: "idle", evidence: "x" }), undefined, moved)).toEqual(
    fault,
  );
  expect(judgeReport(job(reported({})), undefined, { ...snapshot, head: "moved" })).toMatchObject({
    evidence: "HEAD was moved",
  });
  const interrupted: End = { outcome: "failed", reason: "interrupted", evidence: "SIGTERM" };
  expect(judgeReport(job(interrupted, { stopped: true }), undefined, moved)).toEqual({ kind: "interrupted" });
  for (const reason of ["not-found", "not-signed-in"] as const)
    expect(judgeReport(job({ outcome: "failed", reason, evidence: "x" }), undefined, moved)).toMatchObject({
      reason,
    });
});

test("a review accepts any summary, whichever task it names", () => {
  for (const status of ["reviewed", "done", "blocked", "skipped"] as const) {
    const { task_id, ...facts } = job(reported({})).facts;
    expect(task_id).toBe("T1");
    expect(judgeReview({ ...job(reported({ status, task_id: "T9" })), facts })).toEqual({
      kind: "reviewed",
      added: 0,
    });
  }
});

test("only an agent that is missing or not signed in is dropped", () => {
  const failed = (reason: string) => ({ kind: "failed", reason, evidence: "x" }) as const;
  expect(
    ["not-found", "not-signed-in", "network", "exited", "idle"].map((reason) => findSpared(failed(reason))),
  ).toEqual(["drop-agent", "drop-agent", "wait", undefined, undefined]);
  expect(findSpared({ kind: "skipped", why: "not-found" })).toBe(undefined);
  expect(findSpared(undefined)).toBe(undefined);
});

test("a finished task records the text and files of its summary, and adds its new tasks", () => {
  const new_tasks = [{ title: "n" }];
  const end = finished(reported({ summary: "did it", files: ["a"], new_tasks }));
  expect(readResult(end)).toEqual({ result: "did it", files: ["a"] });
  expect(readFound(end).new_tasks).toEqual(new_tasks);
  for (const nothing of [
    finished(reported({})),
    finished({ outcome: "ok", report: { missing: "x" } }),
    finished({ outcome: "failed" }),
    undefined,
  ]) {
    expect(readResult(nothing)).toEqual({ result: "", files: [] });
    expect(readFound(nothing).new_tasks).toBeUndefined();
  }
});

test("judging an agent that has not ended throws", () => {
  const { end, ...running } = job(reported({}));
  expect(end).toBeDefined();
  expect(() => judgeReport(running, undefined, snapshot)).toThrow("its agent has not ended");
});
