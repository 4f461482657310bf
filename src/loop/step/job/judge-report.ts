// Judges an attempt by how its agent ended and by what it left in the tree. Pure.
import type { z } from "zod";
import type { GateVerdict } from "../../../gate/verdict.js";
import { describeDoubt, type Doubtful, formatDoubt } from "../../../gate/verdict/reasons.js";
import { bareWord } from "../../../agents/extract.js";
import type { StageReport, Summary } from "../../../todo/model/summary.js";
import type { AskedQuestion } from "../../../todo/model/changes/change.js";
import type { Verdict } from "../../../todo/model/verified.js";
import { listOwnOutcomes } from "../../../workflow/advance.js";
import { CALL, CALL_OUTCOMES } from "../../../workflow/call.js";
import type { Stage } from "../../../workflow/workflow.js";
import { causesBackoff } from "../schedule/backoff.js";
import { isUnusable } from "../schedule/schedule.js";
import type { AttemptVerdict, Job } from "../state.js";
import type { EventOf } from "../../../logging/events/events.js";
import { STAGE_KINDS } from "../../../workflow/stage-kinds.js";

type AgentFinished = EventOf<"agent_finished">;
type Snapshot = EventOf<"snapshot">;

/** A summary, with what an agent reports in a stage of a workflow. */
type StageSummary = Summary & Partial<z.infer<typeof StageReport>>;

/** The agent's summary if it ended well and names the right task; otherwise the verdict that follows. */
function acceptReport(job: Job): { summary: StageSummary } | AttemptVerdict {
  const { end, facts, stopped, failed } = job;
  if (end === undefined) throw new Error(`job ${facts.job} is judged, but its agent has not ended`);
  if (failed !== undefined) return failed;
  if (end.outcome === "failed") {
    // An agent that ends like this without being told to stop has failed.
    if (end.reason === "interrupted" && stopped === true) return { kind: "interrupted" };
    return { kind: "failed", reason: end.reason ?? "exited", evidence: end.evidence ?? "the agent failed" };
  }
  const report = end.report ?? { missing: "the agent reported nothing" };
  if ("missing" in report) return { kind: "failed", reason: "no-summary", evidence: report.missing };
  if ("invalid" in report) return { kind: "failed", reason: "bad-summary", evidence: report.invalid };
  const named = report.found.task_id;
  const taskId = facts.task_id;
  if (taskId === undefined || named === null || isNameOf(named, taskId)) return { summary: report.found };
  const evidence = `the summary is for task "${named}", the task given was "${taskId}"`;
  return { kind: "failed", reason: "bad-summary", evidence };
}

/** Whether a report's id means this task: it may have marks of Markdown, another case, "task" before it, or the title after it. */
function isNameOf(named: string, id: string): boolean {
  if (named === id) return true;
  const bare = bareWord(named)
    .toLowerCase()
    .replace(/^task /, "");
  return bare === id.toLowerCase() || bare.startsWith(`${id.toLowerCase()}: `);
}

/**
 * Judges an attempt, or the work of a stage, by its agent's report. L5: done needs a report of that task, and HEAD where the attempt
 * found it. L19: only an outcome that the stage declares ends its visit. `stage`: absent under `default`.
 */
export function judgeReport(
  job: Job,
  stage: Stage | undefined,
  snapshot?: Snapshot,
): AttemptVerdict | { asks: AskedQuestion } {
  const accepted = acceptReport(job);
  // An agent that was stopped or could not work is not to blame for a HEAD that moved meanwhile.
  if ("kind" in accepted && isNoAttempt(accepted)) return accepted;
  if (snapshot?.head === "moved")
    return { kind: "failed", reason: "moved-head", evidence: snapshot.why ?? "HEAD was moved" };
  const call = job.end?.pending_call;
  if (call !== undefined)
    return {
      asks: { source: "tool", text: call.command, outcomes: [...CALL_OUTCOMES], shows: CALL, call },
    };
  if ("kind" in accepted) return accepted;
  const { status, blockers = [], summary = "", questions = [], outcome } = accepted.summary;
  const asked = stage === undefined ? [] : questions.filter((text) => text.trim() !== "");
  if (asked.length > 0) return { asks: { source: "agent", text: asked.join("\n\n"), outcomes: [] } };
  if (status === "blocked")
    return { kind: "blocked", blockers: blockers.length > 0 ? blockers : [summary || "blocked"] };
  if (status === "skipped") return { kind: "skipped", why: summary || blockers.join("; ") || "skipped" };
  if (stage !== undefined) return judgeOutcome(stage, status === "done", outcome);
  if (status === "done") return { kind: "done", summary };
  const evidence = 'the summary says "reviewed", which is not a status of a task';
  return { kind: "failed", reason: "bad-summary", evidence };
}

/** A stage whose kind has an outcome of success has it where the report says "done" and no outcome. */
function judgeOutcome(stage: Stage, isDone: boolean, outcome: string | undefined): AttemptVerdict {
  const own = listOwnOutcomes(stage);
  const found = outcome ?? (isDone ? STAGE_KINDS[stage.kind].success : undefined);
  if (found !== undefined && own.includes(found)) return { kind: "outcome", outcome: found };
  const said =
    found === undefined ? "the report has no outcome" : `"${found}" is not an outcome of this stage`;
  return { kind: "failed", reason: "bad-summary", evidence: `${said}; possible are ${own.join(", ")}` };
}

/**
 * The consequence of a failure that is not the task's fault; the task stays in progress. `drop-agent`: the agent is missing or not
 * signed in; `wait`: a limit, an overload or the network kept it from working; `end`: the run's budget was spent meanwhile.
 */
export function findSpared(
  verdict: AttemptVerdict | undefined,
  end?: AgentFinished,
): "drop-agent" | "wait" | "end" | undefined {
  if (verdict?.kind !== "failed") return undefined;
  if (isUnusable(verdict.reason)) return "drop-agent";
  if (causesBackoff(verdict.reason)) return "wait";
  return end?.reason === "budget" && end.stopped_for === "run" ? "end" : undefined;
}

/** Whether this does not count as an attempt. */
export function isNoAttempt(verdict: AttemptVerdict): boolean {
  return verdict.kind === "interrupted" || verdict.kind === "held" || findSpared(verdict) !== undefined;
}

/** The verdict on a task whose work the gate let pass, or a stage saved, with this word. */
export function worthOf(verdict: GateVerdict): Verdict {
  if (verdict === "passed") return "verified";
  return verdict === "unbroken" ? "unbroken" : "unverified";
}

/** Describes a task that falls short: its verdict, the reason in a clause, and the evidence for a person. */
export function describeShort(found: Doubtful): { verdict: string; why: string; evidence: string } {
  const why = describeDoubt(found) ?? "";
  if (found.verdict === "unbroken") return { verdict: "unbroken", why, evidence: `unbroken: ${why}` };
  return { verdict: "not verified", why, evidence: formatDoubt(found) };
}

/** Judges a review: any valid summary is enough. */
export function judgeReview(job: Job): AttemptVerdict {
  const accepted = acceptReport(job);
  if ("kind" in accepted) return accepted;
  return { kind: "reviewed", added: 0 };
}

/** When the agent can be asked again, in epoch ms, if it named a time. */
export function readRetryAt(end: AgentFinished | undefined): number | undefined {
  const at = Date.parse(end?.retry_at ?? "");
  return Number.isNaN(at) ? undefined : at;
}

/** The report of an agent, where it can be used. */
export function readFound(end: AgentFinished | undefined): Partial<StageSummary> {
  return end?.report !== undefined && "found" in end.report ? end.report.found : {};
}

/** The text and the files that a finished task records. */
export function readResult(end: AgentFinished | undefined): { result: string; files: string[] } {
  const { summary = "", files = [] } = readFound(end);
  return { result: summary, files };
}
