// What an attempt came to, from the agent's end and what the tree looks like. Pure.
import { never } from "../../system/never.js";
import type { Summary } from "../../todo/model/summary.js";
import { causesBackoff } from "./backoff.js";
import { isUnusable } from "./schedule.js";
import type { Job, AttemptVerdict } from "./state.js";
import type { StepEvent } from "../../logging/events.js";

type AgentFinished = Extract<StepEvent, { type: "agent_finished" }>;
type Snapshot = Extract<StepEvent, { type: "snapshot" }>;

/** The summary of a good ending that fits the task, or why there is none. */
function acceptReport({ end, facts, stopped }: Job): { summary: Summary } | AttemptVerdict {
  if (end === undefined) throw new Error(`job ${facts.job} is judged, but its agent has not ended`);
  if (end.outcome === "failed") {
    // Only who was told to stop was interrupted; whoever else ends like that has failed.
    if (end.reason === "interrupted" && stopped === true) return { kind: "interrupted" };
    return { kind: "failed", reason: end.reason ?? "exited", evidence: end.evidence ?? "the agent failed" };
  }
  const report = end.report ?? { missing: "the agent reported nothing" };
  if ("missing" in report) return { kind: "failed", reason: "no-summary", evidence: report.missing };
  if ("invalid" in report) return { kind: "failed", reason: "bad-summary", evidence: report.invalid };
  const named = report.found.task_id;
  const taskId = facts.task_id;
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
export function judgeAttempt(job: Job, snapshot: Snapshot): AttemptVerdict {
  const accepted = acceptReport(job);
  // Who was stopped, is not there or was not let in is not to blame for a HEAD that moved meanwhile.
  if ("kind" in accepted && isNoAttempt(accepted)) return accepted;
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
    default:
      return never(summary.status);
  }
}

/** The agent is not there, or not signed in: it is left out, and the task stays in hand for another one. */
export function dropsAgent(verdict: AttemptVerdict | undefined): boolean {
  return verdict?.kind === "failed" && isUnusable(verdict.reason);
}

/** The agent was not let in: a limit, an overload, the network. It is paused, and the task stays in hand. */
export function backsOffAgent(verdict: AttemptVerdict | undefined): boolean {
  return verdict?.kind === "failed" && causesBackoff(verdict.reason);
}

/** Its run has spent its budget in the midst of it: the task stays in hand for the next one. */
export function endsRun(end: AgentFinished | undefined): boolean {
  return end?.reason === "budget" && end.stopped_for === "run";
}

/** The attempt failed, but not by the task: it is not given up for it. */
export function isSpared(verdict: AttemptVerdict, end: AgentFinished | undefined): boolean {
  return dropsAgent(verdict) || backsOffAgent(verdict) || endsRun(end);
}

/** Whether this counts for nothing against the task. */
export function isNoAttempt(verdict: AttemptVerdict): boolean {
  return verdict.kind === "interrupted" || dropsAgent(verdict) || backsOffAgent(verdict);
}

/** The verdict on a review: any valid summary will do. */
export function judgeReview(job: Job): AttemptVerdict {
  const accepted = acceptReport(job);
  if ("kind" in accepted) return accepted;
  return { kind: "reviewed", added: 0 };
}

/** From when its agent can be asked again, in epoch ms, where it said so. */
export function retryAtOf(end: AgentFinished | undefined): { retryAt?: number } {
  const at = end?.retry_at === undefined ? Number.NaN : Date.parse(end.retry_at);
  return Number.isNaN(at) ? {} : { retryAt: at };
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
