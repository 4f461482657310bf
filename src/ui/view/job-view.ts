// One job of a run as people see it: an attempt, a review, a draft or a repair, under way or over. Pure.
// Leaves which job is under way to view.ts.
import type { RunEvent } from "../../logging/events.js";
import { hasUnknownCost } from "../../loop/step/spending.js";
import { NOTHING_SPENT, UNREPORTED, type Spent } from "./spent.js";

export type Phase = "bootstrap" | "repair" | "iteration" | "review" | "push";

/**
 * What came of an attempt, a review, a draft or a repair. `failed`: another attempt follows; `waiting`: its agent was not let in;
 * `stopped`: with the run.
 */
export type Result =
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
  /** The ref that keeps what was given up. */
  rescue?: string;
  /** Where it failed, the end of what was seen; not cleaned. */
  evidence?: string;
  /** Where it failed, the failure's name: `network`. */
  reason?: string;
  /** Its agent is left alone until then (RFC 3339). */
  until?: string;
}

/** The job under way. */
export interface Current extends JobView {
  /** What it does now, in a few words; not cleaned. */
  doing: string;
  /** Its agent has ended; what follows settles it. */
  agentEnded: boolean;
  /** Why the attempt failed, or what it was blocked by. */
  why?: string;
  /** The status its report gives. */
  reported?: string;
  /** What follows the failure. */
  next?: "retry" | "blocked" | "drop-agent" | "wait" | "end";
  stopped?: true;
  /** A person edited its task: where its work is. */
  released?: string;
  /** The gate proved it. */
  verified?: true;
}

/** A job that is over. */
export interface Finished extends JobView {
  result: Result;
  ms: number;
  /** Its commit; absent where there was nothing to commit, or no git. */
  commit?: string;
  /** It was no attempt: its agent could not work, or the run's budget ended it. */
  uncounted?: true;
  /** Done, and the gate did not prove it. */
  unverified?: true;
  /** Why it failed or is blocked; empty otherwise. */
  why: string;
  /** How many tasks it added. */
  added: number;
}

type AgentFinished = Extract<RunEvent, { type: "agent_finished" }>;

/** The job once its agent has ended. */
export function endAgent(current: Current, event: AgentFinished): Current {
  const stopped =
    event.outcome === "failed" && event.reason === "interrupted" ? { stopped: true as const } : {};
  const why = whyOf(event);
  const { report } = event;
  const reported = report !== undefined && "found" in report ? { reported: report.found.status } : {};
  const ended = { agentEnded: true, doing: "settling", ...stopped, ...reported };
  return { ...current, ...ended, ...(why === "" ? {} : { why }) };
}

/** What an agent used that ended without a word of it. */
export function unreportedBy(event: AgentFinished): Spent {
  return event.usage === undefined && hasUnknownCost(event) ? UNREPORTED : NOTHING_SPENT;
}

/** The agent's failure, or what its report is blocked by. */
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

/** Of evidence so many characters are kept; the log has all of it. */
const MOST_EVIDENCE = 4000;

/** The job once its attempt failed. */
export function failAttempt(
  current: Current,
  { reason, evidence, next, until }: Extract<RunEvent, { type: "attempt_failed" }>,
): Current & { why: string } {
  const [sentence = ""] = evidence.split("\n");
  // What the checks say is a sentence of its own.
  const why = reason === "gate" && sentence !== "" ? sentence : said(reason, evidence);
  const again = until === undefined ? {} : { until };
  return { ...current, ...again, why, reason, next, evidence: evidence.slice(-MOST_EVIDENCE) };
}

/** A reason with what was seen. */
function said(reason: string, evidence: string): string {
  return evidence === "" ? reason : `${reason}: ${evidence}`;
}

/** What came of it, its task now having the status `own`; `undefined` while it is not known yet: a later line says so. */
export function resultOf(current: Current, own: string | undefined): Result | undefined {
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
