// The view of one job of a run: an attempt, a review, a draft or a repair, in progress or finished. Pure.
// Leaves selecting the current job to view.ts.
import type { Phase } from "../../agents/agent.js";
import type { RunEvent } from "../../logging/events/events.js";
import { hasUnknownCost } from "../../loop/step/job/spending.js";
import { given } from "../../system/given.js";
import { judge, verdictOfGate, type GateFinished, type Judged } from "./judged.js";
import { refusalOf, type StageView } from "./stage-view.js";
import { NOTHING_SPENT, UNREPORTED, type SpentAmounts } from "./words/amounts.js";

/**
 * The result of an attempt, a review, a draft or a repair. `failed`: another attempt follows; `waiting`: its agent was not available;
 * `stopped`: the run was stopped; `advanced`: its task is in the next stage of its workflow.
 */
export type JobResult =
  | "done"
  | "blocked"
  | "skipped"
  | "failed"
  | "waiting"
  | "stopped"
  | "agent-dropped"
  | "reviewed"
  | "advanced";

/** A job of a stage: the stage (or finish, block), its visit, and how the visit ended. */
export interface StageVisitFacts {
  stage?: string;
  visit?: number;
  /** Its outcome, once its output is written. */
  outcome?: string;
  /** The file of its output, below `tasks_dir`. */
  output?: string;
}

interface JobView extends StageVisitFacts {
  job: number;
  phase: Phase;
  taskId?: string;
  agent: string;
  /** From 1. */
  attempt: number;
  spent: SpentAmounts;
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
  /** The run's warnings meanwhile; not cleaned. */
  warnings?: readonly string[];
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
  next?: "retry" | "blocked" | "advance" | "drop-agent" | "wait" | "later" | "end";
  stopped?: true;
  /** A person edited the task: where the attempt's work is. */
  released?: string;
  /** Of its gate, if that let it pass. */
  judged?: Judged;
  /** An agent worked in it: jobs of stages may have none. */
  hadAgent?: true;
}

/** A finished job. */
export interface Finished extends JobView {
  result: JobResult;
  /** The stage where its task is now; absent where it stayed. */
  to?: string;
  ms: number;
  /** Its commit; absent when nothing changed or without git. */
  commit?: string;
  /** It does not count as an attempt: its agent was not available, or the run's budget ended it. */
  uncounted?: true;
  /** The verdict on its work: of every task that is done, and of a stage whose work the gate let pass. */
  judged?: Judged;
  /** Why it failed or is blocked; empty otherwise. */
  why: string;
  /** How many tasks it added. */
  added: number;
}

/** The facts of a job of a stage when it begins; an end of a workflow starts with what the stages before left. */
export function beginStage(
  { stage, visit, task_id: id }: BeginningJob,
  { stages, finished }: { stages?: StageView; finished: readonly Finished[] },
): StageVisitFacts & Pick<Current, "judged" | "why"> {
  const facts = { stage, visit };
  if (typeof id !== "string" || (stage !== "finish" && stage !== "block")) return facts;
  const earlier = finished.filter(({ taskId }) => taskId === id);
  if (stage === "finish") {
    const place = stages?.places.get(id);
    const verdict = verdictOfGate(place?.verdict);
    const judged = earlier.findLast((one) => one.judged !== undefined)?.judged;
    // The workflow commits nothing, unless a person ended it early, or a gate runs first.
    const isNone = place !== undefined && place.complete !== true;
    if (verdict === undefined) return isNone ? { ...facts, judged: { verdict: "none" } } : facts;
    return { ...facts, judged: judged?.verdict === verdict ? judged : { verdict } };
  }
  const { why = "", began } = earlier.at(-1) ?? {};
  return { ...facts, why: why === "" ? refusalOf(stages, id, began) : why };
}

interface BeginningJob {
  stage?: string | undefined;
  visit?: number | undefined;
  task_id?: string | null | undefined;
}

type AgentFinished = Extract<RunEvent, { type: "agent_finished" }>;

/** The job after its agent has ended. */
export function endAgent(current: Current, event: AgentFinished): Current {
  const stopped =
    event.outcome === "failed" && event.reason === "interrupted" ? { stopped: true as const } : {};
  const why = whyOf(event);
  const { report } = event;
  const reported = report !== undefined && "found" in report ? { reported: report.found.status } : {};
  const outcome = current.stage === undefined ? undefined : outcomeOf(event);
  const staged = outcome === undefined ? {} : { outcome };
  const had = current.stage === undefined ? {} : { hadAgent: true as const };
  const ended = { agentEnded: true, doing: "settling", ...stopped, ...reported, ...staged, ...had };
  return { ...current, ...ended, ...(why === "" ? {} : { why }) };
}

/** The outcome of the stage in the agent's report. A question needs none, and no output that would name one. */
function outcomeOf({ report }: AgentFinished): string | undefined {
  const found = report !== undefined && "found" in report ? report.found : undefined;
  return (found?.questions?.length ?? 0) > 0 ? "asks" : found?.outcome;
}

/** The job after the work of its visit was saved, with the outcome that counts. */
export function endVisit(current: Current, { output }: Extract<RunEvent, { type: "work_saved" }>): Current {
  const said = output === undefined ? {} : { outcome: output.outcome, output: output.file };
  return { ...current, ...said, agentEnded: true, doing: "settling" };
}

/** The job after its gate. */
export function endGate(current: Current, event: GateFinished): Current {
  const { judged: _before, ...rest } = current;
  return { ...rest, ...given({ judged: judge(event) }) };
}

/** The usage of an agent that ended without reporting any. */
export function unreportedBy(event: AgentFinished): SpentAmounts {
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

/** The result of a job that ended its visit: its task is now at `to`. */
export function resultOfVisit({ next, outcome }: Current, to: string): JobResult {
  const isFailed = to === "block" && (outcome === undefined || FAILURES.includes(outcome));
  return isFailed || next !== undefined ? "failed" : "advanced";
}

/** Outcomes that are the runner's own; a limit may be reached by a visit that succeeded. */
const FAILURES: readonly string[] = ["failed", "exhausted", "blocked", "over_limit"];
