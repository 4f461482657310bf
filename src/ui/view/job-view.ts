// The view of one job of a run: an attempt, a review, a draft or a repair, in progress or finished. Pure.
// Leaves selecting the current job to view.ts.
import type { Phase } from "../../agents/agent.js";
import { describeDoubt } from "../../gate/verdict/needs.js";
import type { RunEvent } from "../../logging/events.js";
import { hasUnknownCost } from "../../loop/step/spending.js";
import type { Look } from "./looks.js";
import { NOTHING_SPENT, UNREPORTED, type Spent } from "./spent.js";

/**
 * The result of an attempt, a review, a draft or a repair. `failed`: another attempt follows; `waiting`: its agent was not available;
 * `stopped`: the run was stopped.
 */
export type JobResult =
  "done" | "blocked" | "skipped" | "failed" | "waiting" | "stopped" | "agent-dropped" | "reviewed";

interface JobView {
  job: number;
  phase: Phase;
  taskId?: string;
  agent: string;
  /** From 1. */
  attempt: number;
  spent: Spent;
  /** Epoch ms. */
  began: number;
  /** The ref of the rescue with its abandoned work. */
  rescue?: string;
  /** For a failure: the end of the evidence; not cleaned. */
  evidence?: string;
  /** For a failure: its name, e.g. `network`. */
  reason?: string;
  /** Its agent is not used until then (RFC 3339). */
  until?: string;
}

/** The job in progress. */
export interface Current extends JobView {
  /** The current action in a few words; not cleaned. */
  doing: string;
  /** Its agent has ended; later events settle the job. */
  agentEnded: boolean;
  /** Why the attempt failed, or what blocks the task. */
  why?: string;
  /** The status in the agent's report. */
  reported?: string;
  /** The consequence of the failure. */
  next?: "retry" | "blocked" | "drop-agent" | "wait" | "end";
  stopped?: true;
  /** A person edited the task: where the attempt's work is. */
  released?: string;
  /** The gate verified it. */
  verified?: true;
  /** Why a person must look at it. */
  look?: Look;
}

/** A finished job. */
export interface Finished extends JobView {
  result: JobResult;
  ms: number;
  /** Its commit; absent when nothing changed or without git. */
  commit?: string;
  /** It does not count as an attempt: its agent was not available, or the run's budget ended it. */
  uncounted?: true;
  /** Done, but not verified by the gate. */
  unverified?: true;
  /** Why a person must look at it. */
  look?: Look;
  /** Why it failed or is blocked; empty otherwise. */
  why: string;
  /** How many tasks it added. */
  added: number;
}

type AgentFinished = Extract<RunEvent, { type: "agent_finished" }>;

/** The job after its agent has ended. */
export function endAgent(current: Current, event: AgentFinished): Current {
  const stopped =
    event.outcome === "failed" && event.reason === "interrupted" ? { stopped: true as const } : {};
  const why = whyOf(event);
  const { report } = event;
  const reported = report !== undefined && "found" in report ? { reported: report.found.status } : {};
  const ended = { agentEnded: true, doing: "settling", ...stopped, ...reported };
  return { ...current, ...ended, ...(why === "" ? {} : { why }) };
}

/** The job after its gate. */
export function endGate(current: Current, event: Extract<RunEvent, { type: "gate_finished" }>): Current {
  if (event.verdict === "passed") return { ...current, verified: true };
  const text = describeDoubt(event);
  return text === undefined ? current : { ...current, look: { on: event.on ?? [], text } };
}

/** The usage of an agent that ended without reporting any. */
export function unreportedBy(event: AgentFinished): Spent {
  return event.usage === undefined && hasUnknownCost(event) ? UNREPORTED : NOTHING_SPENT;
}

/** The agent's failure, or the blockers in its report. */
function whyOf(event: AgentFinished): string {
  if (event.outcome === "failed") return said(event.reason ?? "failed", event.evidence ?? "");
  const { report } = event;
  if (report === undefined) return "";
  if ("missing" in report) return said("no-summary", report.missing);
  if ("invalid" in report) return said("bad-summary", report.invalid);
  const { summary = "", blockers = [] } = report.found;
  if (report.found.status === "done" || report.found.status === "reviewed") return "";
  return blockers.length > 0 ? blockers.join("; ") : summary;
}

/** How many characters of the evidence are kept; the log has all of it. */
const MOST_EVIDENCE = 4000;

/** The job after its attempt failed. */
export function failAttempt(
  current: Current,
  { reason, evidence, next, until }: Extract<RunEvent, { type: "attempt_failed" }>,
): Current & { why: string } {
  const [sentence = ""] = evidence.split("\n");
  // The result of the checks is a sentence already.
  const why = reason === "gate" && sentence !== "" ? sentence : said(reason, evidence);
  const again = until === undefined ? {} : { until };
  return { ...current, ...again, why, reason, next, evidence: evidence.slice(-MOST_EVIDENCE) };
}

/** A reason with its evidence. */
function said(reason: string, evidence: string): string {
  return evidence === "" ? reason : `${reason}: ${evidence}`;
}

/** The result of the job when its task has the status `own`; `undefined` while later events must decide. */
export function resultOf(current: Current, own: string | undefined): JobResult | undefined {
  if (current.phase === "review") {
    if (current.stopped === true) return "stopped";
    return current.why === undefined ? "reviewed" : undefined;
  }
  if (current.released !== undefined) return "stopped";
  if (own === "done" || own === "blocked") return own;
  if (current.next === "drop-agent") return "agent-dropped";
  if (current.next === "wait") return "waiting";
  if (current.next === "end") return "stopped";
  if (current.next !== undefined) return "failed";
  if (current.stopped === true) return "stopped";
  return current.reported === "done" ? undefined : "skipped";
}
