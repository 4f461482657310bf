// What an attempt came to, from the agent's end and what the tree looks like. Pure.
import type { Summary } from "../todo/summary.js";
import type { Job, Verdict } from "./state.js";
import type { StepEvent } from "../logging/events.js";

type AgentFinished = Extract<StepEvent, { type: "agent_finished" }>;
type Snapshot = Extract<StepEvent, { type: "snapshot" }>;

/** The summary of a good ending that fits the task, or why there is none. */
export function acceptReport(end: AgentFinished, taskId: string | undefined): { summary: Summary } | Verdict {
  if (end.outcome === "failed") {
    if (end.reason === "interrupted") return { kind: "interrupted" };
    return { kind: "failed", reason: end.reason ?? "exited", evidence: end.evidence ?? "the agent failed" };
  }
  const report = end.report ?? { missing: "the agent reported nothing" };
  if ("missing" in report) return { kind: "failed", reason: "no-summary", evidence: report.missing };
  if ("invalid" in report) return { kind: "failed", reason: "bad-summary", evidence: report.invalid };
  const named = report.found.task_id;
  if (taskId !== undefined && named !== null && named !== taskId) {
    return {
      kind: "failed",
      reason: "bad-summary",
      evidence: `the summary is for task "${named}", the task given was "${taskId}"`,
    };
  }
  return { summary: report.found };
}

/** The verdict on an attempt at a task. L5: done only by a summary that fits, with HEAD where it belongs. */
export function judgeAttempt(job: Job, snapshot: Snapshot): Verdict {
  const { end, facts } = job;
  if (end === undefined) throw new Error(`job ${String(facts.job)} has a snapshot but no agent's end`);
  const accepted = acceptReport(end, facts.task_id);
  if ("kind" in accepted && accepted.kind === "interrupted") return accepted;
  if (snapshot.head === "moved") {
    return { kind: "failed", reason: "moved-head", evidence: snapshot.why ?? "HEAD was moved" };
  }
  if ("kind" in accepted) return accepted;
  const { summary } = accepted;
  switch (summary.status) {
    case "done":
      return { kind: "done", summary: summary.summary ?? "" };
    case "blocked":
      return {
        kind: "blocked",
        blockers: summary.blockers?.length ? summary.blockers : [summary.summary ?? "blocked"],
      };
    case "skipped":
      return { kind: "skipped", why: summary.summary ?? summary.blockers?.join("; ") ?? "skipped" };
    case "reviewed":
      return {
        kind: "failed",
        reason: "bad-summary",
        evidence: 'the summary says "reviewed", which is no status of a task',
      };
  }
}

/** The verdict on a review: any valid summary will do. */
export function judgeReview(end: AgentFinished): Verdict {
  const accepted = acceptReport(end, undefined);
  if ("kind" in accepted) return accepted;
  return { kind: "reviewed", added: 0 };
}

/** The new tasks an accepted summary asks for. */
export function newTasksOf(end: AgentFinished | undefined): NonNullable<Summary["new_tasks"]> {
  if (end?.report === undefined || !("found" in end.report)) return [];
  return end.report.found.new_tasks ?? [];
}

/** The files and texts a finished task keeps. */
export function resultOf(end: AgentFinished | undefined): { result: string; files: readonly string[] } {
  if (end?.report === undefined || !("found" in end.report)) return { result: "", files: [] };
  const { summary, files } = end.report.found;
  return { result: summary ?? "", files: files ?? [] };
}
