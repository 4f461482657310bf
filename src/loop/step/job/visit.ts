// The end of a visit of a stage: the outcome that the agent reported or the runner gives, the work that is saved, and the row that
// moves on. Pure. advance.ts plans the move, weigh.ts and gate.ts come before it.
import type { StepEvent } from "../../../logging/events/events.js";
import { tokensOf } from "../../../agents/usage.js";
import { given } from "../../../system/given.js";
import { shorten } from "../../../system/text/cut.js";
import { PersistentMap } from "../../../system/persistent-map.js";
import type { AskedQuestion, Change } from "../../../todo/model/changes/change.js";
import type { TaskId } from "../../../todo/model/task.js";
import { collectFacts, listOwnOutcomes } from "../../../workflow/advance.js";
import type { ProgressRow, SavedWork, Spent } from "../../../workflow/progress.js";
import type { Workflow } from "../../../workflow/workflow.js";
import { completeNote, planMove } from "./advance.js";
import type { Decision } from "../decision.js";
import { makeFailureNote } from "./job.js";
import { enter } from "./routes.js";
import { countAttemptsLeft, getTaskId, replaceJob } from "../jobs.js";
import { listNewTasks, putBackInQueue, rememberFailure, settleAttempt } from "./settle.js";
import { explainTaskOver } from "./spending.js";
import { findRow, findStage } from "./stage.js";
import type { TaskResult, VisitEnd, VisitMemory } from "./stage-state.js";
import type { AttemptVerdict, Job, Work } from "../state.js";
import { isSpared, readResult } from "./verdict.js";

type Of<T extends StepEvent["type"]> = Extract<StepEvent, { type: T }>;

/** How a visit ends. */
export interface VisitOrder {
  outcome: string;
  reasons?: readonly string[];
  /** The question of the agent. */
  ask?: AskedQuestion | undefined;
  verdict?: SavedWork["verdict"];
  /** The text of a stage without an agent. */
  text?: string;
  evidence?: { reason: string; evidence: string };
}

/** Continues from the verdict on a stage whose visit it does not end by an outcome of its own. */
export function settleStage(work: Work, unjudged: Job, verdict: AttemptVerdict, decision: Decision): Work {
  const job: Job = { ...unjudged, verdict };
  switch (verdict.kind) {
    case "blocked":
      return endVisit(
        work,
        job,
        { outcome: "blocked", reasons: verdict.blockers, verdict: "unverified" },
        decision,
      );
    case "skipped":
      return skipStage(work, job, verdict.why, decision);
    case "held":
      decision.notes.push(makeFailureNote(job, verdict, "later"));
      return shelve(
        rememberFailure(work, job, verdict.reason, verdict.evidence),
        job,
        { outcome: "held", more: putBackInQueue(job) },
        decision,
      );
    case "failed":
      return isSpared(verdict, job.end)
        ? settleAttempt(work, job, decision)
        : failStage(work, job, verdict, decision);
    default:
      return settleAttempt(work, job, decision);
  }
}

/** As under `default`: the task goes back in the queue. Its work is shelved, and the attempt counts. */
function skipStage(work: Work, job: Job, why: string, decision: Decision): Work {
  const isMapped =
    findStage(work.rules, { progress: findRow(work, job)?.progress })?.stage.next["skipped"] !== undefined;
  const seen = rememberFailure(work, job, "skipped", why);
  if (isMapped) return endVisit(seen, job, { outcome: "skipped" }, decision);
  if (countAttemptsLeft(work, job) === 0)
    return endVisit(seen, job, { outcome: "exhausted", reasons: [`skipped: ${why}`] }, decision);
  const back: Change = { op: "return", id: getTaskId(job), to: "todo" };
  return shelve(seen, job, { outcome: "skipped", more: [back] }, decision);
}

/** The task stays in its stage and leaves the tree, with its work saved. */
export function shelve(
  work: Work,
  job: Job,
  { outcome, more }: { outcome: string; more: Change[] },
  decision: Decision,
): Work {
  const visitEnd: VisitEnd = { outcome, advances: [], notes: [], more, keepsCount: true };
  return save(keepSpent(work, job), job, { visitEnd, shelve: true }, decision);
}

/** A failed attempt: the same stage again, until its attempts or its errors are spent. */
function failStage(
  work: Work,
  job: Job,
  failure: Extract<AttemptVerdict, { kind: "failed" }>,
  decision: Decision,
): Work {
  const found = findStage(work.rules, { progress: findRow(work, job)?.progress });
  const seen = countError(work, job, failure);
  const limit = found?.stage.limits?.errors;
  const errors = getMemory(seen, job).errors;
  const isLast = countAttemptsLeft(seen, job) === 0 || (limit !== undefined && errors >= limit);
  // L20: an agent that was stopped at a limit of its stage or its workflow ends the visit.
  const isOver = job.end?.stopped_for === "task" && (job.limits ?? []).length > 0 && !isTaskOver(seen, job);
  if (!isLast && !isOver && found?.stage.next["failed"] === undefined)
    return settleAttempt(keepSpent(seen, job), job, decision);
  const [sentence = ""] = failure.reason === "gate" ? failure.evidence.split("\n") : [failure.evidence];
  const order: VisitOrder = {
    outcome: isOver ? "over_limit" : isLast ? "exhausted" : "failed",
    reasons: [`${failure.reason}: ${sentence}`],
    verdict: failure.reason === "gate" ? "failed" : "unverified",
    evidence: failure,
  };
  const ended = endVisit(seen, job, order, decision);
  const to = ended.jobs.find((one) => one.facts.job === job.facts.job)?.visitEnd?.advances.at(-1)?.to;
  decision.notes.push(makeFailureNote(job, failure, describeNext(job, to)));
  return ended;
}

/** The step after a failed attempt that ends its visit. */
function describeNext({ facts }: Job, to: string | undefined): "blocked" | "retry" | "advance" {
  if (to === "block") return "blocked";
  return to === undefined || to === facts.stage ? "retry" : "advance";
}

function isTaskOver(work: Work, job: Job): boolean {
  return explainTaskOver(work, getTaskId(job)) !== undefined;
}

const NOTHING: Spent = { tokens: 0, duration_ms: 0 };

function getMemory({ visits }: Work, job: Job): VisitMemory {
  return visits?.get(getTaskId(job)) ?? { errors: 0, spent: NOTHING };
}

/** Counts a failed attempt whose agent failed; the gate's rejection is not an error of the agent. */
function countError(work: Work, job: Job, { reason }: { reason: string }): Work {
  const memory = getMemory(work, job);
  return withMemory(work, job, { ...memory, errors: memory.errors + (reason === "gate" ? 0 : 1) });
}

/** Remembers the usage of an attempt that does not end the visit; the end of the visit adds it to the row. */
function keepSpent(work: Work, job: Job): Work {
  const memory = getMemory(work, job);
  return withMemory(work, job, { ...memory, spent: addSpent(memory.spent, job) });
}

function withMemory(work: Work, job: Job, memory: VisitMemory): Work {
  const visits = work.visits ?? PersistentMap.of<TaskId, VisitMemory>();
  return { ...work, visits: visits.with(getTaskId(job), memory) };
}

function addSpent(before: Spent, { end, gate_ms = 0 }: Job): Spent {
  const usage = end?.usage;
  const cost = usage?.cost_usd ?? (before.cost_usd === undefined ? undefined : 0);
  return {
    tokens: before.tokens + (usage === undefined ? 0 : tokensOf(usage)),
    ...(cost === undefined ? {} : { cost_usd: (before.cost_usd ?? 0) + cost }),
    duration_ms: before.duration_ms + (end?.duration_ms ?? 0) + gate_ms,
  };
}

/** Ends a visit with an outcome: the work is saved, then the row moves on. L19: never with one that the stage does not declare. */
export function endVisit(work: Work, job: Job, order: VisitOrder, decision: Decision): Work {
  const { outcome } = order;
  const row = findRow(work, job);
  const found = row === undefined ? undefined : findStage(work.rules, row);
  // The row is elsewhere: a person restarted the task meanwhile. Nothing moves on, and the work stays in the tree.
  if (row === undefined || found === undefined)
    return settleAttempt(work, { ...job, verdict: { kind: "interrupted" } }, decision);
  const { progress } = row;
  const { stage, workflow } = found;
  decision.because = { rule: `outcome-${outcome}`, picked: row.id };
  const isOwn = listOwnOutcomes(stage).includes(outcome);
  // L20: the plan of the move keeps to the limits of visits and spending.
  const place = placeAfter(job, workflow, { progress, memory: getMemory(work, job), order });
  const move = planMove(
    {
      ...{ rules: work.rules, id: row.id, workflow, progress: place, at: decision.at, status: "doing" },
      ...given({ ask: order.ask, reasons: order.reasons, said: sayingOf(job) }),
    },
    outcome,
  );
  if (move === undefined) throw new Error(`${progress.stage} has no outcome ${outcome}`);
  const visitEnd: VisitEnd = {
    outcome,
    advances: move.advances,
    notes: move.notes,
    more: listNewTasks(work, job),
    // The gate judged the work with the changes that are dropped.
    ...given({ verdict: move.discard === true ? undefined : order.verdict, evidence: order.evidence }),
  };
  const judged: Job = { ...job, verdict: { kind: "outcome", outcome } };
  const seen = isOwn ? keepResult(work, job) : work;
  return save(
    seen,
    judged,
    { visitEnd, shelve: move.asks, ...given({ discard: move.discard, text: order.text }) },
    decision,
  );
}

/** The report of a reader, in a line. The author of the work is not quoted: a later reader would have it from the row. */
function sayingOf({ route, end }: Job): string | undefined {
  return route === "analyze" ? shorten(readResult(end).result.replace(/\s+/gu, " ").trim(), 300) : undefined;
}

/** The commit at the end tells what the last work reported; without work, what was reported last. An empty report tells nothing. */
function keepResult(work: Work, job: Job): Work {
  if (job.end === undefined) return work;
  const id = getTaskId(job);
  const before = work.results?.get(id);
  const isWork = job.route === "work";
  if (before?.work === true && !isWork) return work;
  const { result, files } = readResult(job.end);
  if (result.trim() === "" && before !== undefined && (before.work === true) === isWork) return work;
  const results = work.results ?? PersistentMap.of<TaskId, TaskResult>();
  return { ...work, results: results.with(id, { result, files, ...(isWork ? { work: isWork } : {}) }) };
}

/** The progress as it is at the end of the visit, with its usage and the facts of its output. */
function placeAfter(
  job: Job,
  workflow: Workflow,
  { progress, memory, order }: { progress: ProgressRow; memory: VisitMemory; order: VisitOrder },
): ProgressRow {
  const { stage } = progress;
  const spent = addSpent(memory.spent, job);
  const output =
    job.end?.report !== undefined && "found" in job.end.report ? job.end.report.found.output : undefined;
  const facts = Object.entries(collectFacts(workflow, stage, output)).map(
    ([key, value]) => [`${stage}.${key}`, value] as const,
  );
  const verdict = order.verdict === undefined ? [] : [[`${stage}.verdict`, order.verdict] as const];
  return {
    ...progress,
    facts: { ...progress.facts, ...Object.fromEntries([...facts, ...verdict]) },
    spent: {
      ...progress.spent,
      [stage]: sumSpent(progress.spent?.[stage], spent),
      "*": sumSpent(progress.spent?.["*"], spent),
    },
  };
}

function sumSpent(before: Spent | undefined, more: Spent): Spent {
  if (before === undefined) return more;
  const cost =
    before.cost_usd === undefined && more.cost_usd === undefined
      ? undefined
      : (before.cost_usd ?? 0) + (more.cost_usd ?? 0);
  return {
    tokens: before.tokens + more.tokens,
    ...given({ cost_usd: cost }),
    duration_ms: before.duration_ms + more.duration_ms,
  };
}

/** L21: the work is saved under its ref before the row moves on. */
function save(
  work: Work,
  job: Job,
  { visitEnd, shelve, discard, text }: { visitEnd: VisitEnd; shelve: boolean; discard?: true; text?: string },
  decision: Decision,
): Work {
  decision.effects.push({
    kind: "save-work",
    job: job.facts,
    outcome: visitEnd.outcome,
    shelve,
    work: job.route === "work" || job.route === "shelve",
    ...(discard === true ? { discard: {} } : {}),
    ...given({ text }),
  });
  return replaceJob(work, { ...enter(job, "save"), visitEnd });
}

/** Moves the row on, once the output and the work of the visit are saved. */
export function takeSaved(work: Work, job: Job, event: Of<"work_saved">, decision: Decision): Work {
  const { visitEnd } = job;
  const row = findRow(work, job);
  decision.because = { rule: "work-saved", picked: getTaskId(job) };
  for (const message of event.warnings) decision.notes.push({ type: "warning", ...job.facts, message });
  if (event.output !== undefined) {
    const { file, sha256 } = event.output;
    decision.notes.push({ type: "output_written", ...job.facts, file, sha256 });
  }
  const [first, ...rest] = visitEnd?.advances ?? [];
  const spent = job.route === "discard" ? undefined : addSpent(getMemory(work, job).spent, job);
  const ended: Change[] =
    first === undefined
      ? []
      : [
          { ...first, ...given({ output: event.output, spent, work: workAfter(job, event, row?.progress) }) },
          ...rest,
        ];
  const changes = [...ended, ...(visitEnd?.more ?? [])];
  decision.effects.push({ kind: "change-backlog", job: job.facts, changes, during: "agent" });
  return replaceJob(work, enter(job, "settle"));
}

/** The saved work as the row names it. On another base it is not judged yet. */
function workAfter(
  { route, visitEnd }: Job,
  { work }: Of<"work_saved">,
  progress: ProgressRow | undefined,
): SavedWork | null | undefined {
  const changes = route === "work" || route === "discard";
  if (work === undefined) return changes ? null : undefined;
  const isSame = work.base === progress?.base && route !== "discard";
  const before = isSame ? (progress.verdict ?? "unverified") : "unverified";
  return { ...work, verdict: route === "work" ? (visitEnd?.verdict ?? "unverified") : before };
}

/** A visit that has ended: the next one is counted anew. */
function forgetVisit(work: Work, job: Job): Work {
  const id = getTaskId(job);
  const { visitEnd } = job;
  if (visitEnd === undefined || visitEnd.keepsCount === true) return work;
  const { agent, attempt } = job.facts;
  const told = visitEnd.evidence === undefined ? [] : [{ attempt, agent, ...visitEnd.evidence }];
  return {
    ...withMemory(work, job, { errors: 0, spent: NOTHING }),
    attempts: work.attempts.with(id, 0),
    earlier: work.earlier.with(id, told),
    blockedAtStart: new Set([...work.blockedAtStart].filter((one) => one !== id)),
  };
}

/** L19: once the row has moved on, the log says so; a move that was refused changes nothing. */
export function takeMoved(
  work: Work,
  job: Job,
  refused: readonly { op: string }[],
  decision: Decision,
): Work {
  if (job.visitEnd === undefined || refused.some(({ op }) => op === "advance")) return work;
  const progress = work.index.get(getTaskId(job))?.progress;
  const { iteration, agent } = job.facts;
  const facts = { job: job.facts.job, iteration, agent };
  for (const note of job.visitEnd.notes) decision.notes.push({ ...completeNote(note, progress), ...facts });
  return forgetVisit(work, job);
}
