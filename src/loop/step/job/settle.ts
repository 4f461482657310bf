// Settles a job: asks for the changes to the backlog that follow from its verdict. In a stage of a workflow an outcome ends the visit: the
// work is saved, then the row moves on. Pure. advance.ts plans the move, weigh.ts comes before it.
import { never } from "../../../system/never.js";
import type { AskedQuestion, Change } from "../../../todo/model/changes/change.js";
import { explainTaskOver } from "./spending.js";
import {
  countAttemptsLeft,
  enter,
  getTaskId,
  hasWork,
  isVisit,
  makeFailureNote,
  onlyReads,
  replaceJob,
} from "../jobs.js";
import { findSpared, readFound, readResult, readRetryAt } from "./judge-report.js";
import { backOff, type Backoffs, causesBackoff, describeBackoff } from "../schedule/backoff.js";
import type { AttemptVerdict, Job, TaskResult, VisitEnd, VisitMemory, Work } from "../state.js";
import type { Decision } from "../decision.js";
import type { Earlier } from "../effects.js";
import type { EventOf } from "../../../logging/events/events.js";
import { tokensOf } from "../../../agents/usage.js";
import { given } from "../../../system/given.js";
import { shorten } from "../../../system/text/cut.js";
import { PersistentMap } from "../../../system/persistent-map.js";
import type { TaskId } from "../../../todo/model/task.js";
import { collectFacts, listOwnOutcomes } from "../../../workflow/advance.js";
import type { ProgressRow, SavedWork, Spent } from "../../../workflow/progress.js";
import type { Workflow } from "../../../workflow/workflow.js";
import { completeNote, planMove } from "./advance.js";
import { findRow, findStage, stageOf } from "./stage.js";

/** Asks for the one change of the backlog that follows from the verdict on an attempt, or for the end of the visit of its stage. */
export function settleAttempt(work: Work, job: Job, decision: Decision): Work {
  const { verdict } = job;
  if (verdict === undefined) throw new Error(`job ${job.facts.job} is settled without a verdict`);
  switch (verdict.kind) {
    case "done":
      return commit(work, job, readResult(job.end), decision);
    case "blocked":
      return settleBlocked(work, job, verdict, decision);
    case "skipped":
      return settleSkipped(work, job, verdict.why, decision);
    case "failed":
      return settleFailed(work, job, verdict, decision);
    case "held": {
      const evidence = [verdict.evidence, ...describeRescue(job)].join("; ");
      decision.notes.push(makeFailureNote(job, { ...verdict, evidence }, "later"));
      const seen = rememberFailure(work, job, verdict.reason, evidence);
      const id = getTaskId(job);
      // L12: the attempt does not count.
      const changes: Change[] = [
        { op: "return", id, to: "todo" },
        { op: "uncount", id },
      ];
      return putBack(seen, job, { outcome: "held", changes }, decision);
    }
    case "interrupted":
      // L7: the task stays `doing`; only the agent's own edits of the backlog are reverted.
      return changeBacklog(work, job, returnToProgress(work, job), decision);
    case "reviewed":
      throw new Error("an attempt was judged as a review");
    case "outcome":
      throw new Error("the outcome of a stage was judged as an attempt");
    default:
      return never(verdict);
  }
}

/** Ends an attempt that was stopped. */
export function settleStopped(work: Work, job: Job, decision: Decision): Work {
  return settleAttempt(work, { ...job, verdict: { kind: "interrupted" } }, decision);
}

/** Asks for the result of a review: its new tasks, or the marker if nothing is left to do. */
export function settleReview(work: Work, job: Job, verdict: AttemptVerdict, decision: Decision): Work {
  const judged: Job = { ...job, verdict };
  decision.because = { rule: `review-${verdict.kind}` };
  if (verdict.kind !== "reviewed") {
    const backsOff = verdict.kind === "failed" && causesBackoff(verdict.reason);
    const then = backsOff ? backOffAgent(work, job, verdict, decision) : work;
    return changeBacklog(then, judged, [], decision);
  }
  const found = listNewTasks(work, job);
  const finished = work.index.values.every((row) => row.status === "done");
  const marks = found.length === 0 && finished && work.rules.completion_marker;
  return changeBacklog(work, judged, marks ? [{ op: "mark-complete" }] : found, decision);
}

/** L2: only this protocol makes a task done and makes its commit, both together. */
export function commit(work: Work, job: Job, { result, files }: TaskResult, decision: Decision): Work {
  const finish: Change = {
    ...{ op: "finish", id: getTaskId(job), result, files },
    verdict: job.worth ?? "unverified",
  };
  const applies = work.rules.apply_summary || isVisit(job.route);
  const how = applies
    ? { changes: [finish, ...listNewTasks(work, job)], during: "agent" as const }
    : { changes: [], during: "idle" as const };
  decision.effects.push({ kind: "commit", job: job.facts, ...how, summary: result });
  return replaceJob(work, enter(job, "commit"));
}

/** If the agent marked its own row as done, reopens it, because the runner did not confirm it. */
function returnToProgress(work: Work, job: Job): Change[] {
  const id = getTaskId(job);
  const marked = !work.rules.apply_summary && work.index.get(id)?.status === "done";
  return marked ? [{ op: "reopen", id, to: "doing", blockers: [] }] : [];
}

function settleBlocked(
  work: Work,
  job: Job,
  { blockers, evidence }: Extract<AttemptVerdict, { kind: "blocked" }>,
  decision: Decision,
): Work {
  if (isVisit(job.route))
    return endVisit(work, job, { outcome: "blocked", reasons: blockers, verdict: "unverified" }, decision);
  const id = getTaskId(job);
  if (evidence !== undefined)
    decision.notes.push(makeFailureNote(job, { reason: "gate", evidence }, "blocked"));
  // The agent's own row has the blockers already.
  const known = !work.rules.apply_summary && work.index.get(id)?.status === "blocked";
  const changes = known
    ? []
    : [...returnToProgress(work, job), block(job, blockers), ...listNewTasks(work, job)];
  return changeBacklog(work, { ...job, final: true }, changes, decision);
}

/** Gives the task up, and names where its work is. */
export function block(job: Job, reasons: readonly string[]): Change {
  return { op: "block", id: getTaskId(job), blockers: [...reasons, ...describeRescue(job)] };
}

/** Names, for readers of the backlog, where the work of an abandoned task is. */
function describeRescue({ rescue }: Job): string[] {
  return rescue === undefined
    ? []
    : [`its work is kept: looper rescue show ${rescue.replace(/^refs\/looper\/rescue\//, "")}`];
}

/** The task goes back in the queue, and the attempt counts. */
function settleSkipped(work: Work, job: Job, why: string, decision: Decision): Work {
  const id = getTaskId(job);
  const seen = rememberFailure(work, job, "skipped", why);
  const isMapped = stageOf(work, job)?.next["skipped"] !== undefined;
  if (isMapped) return endVisit(seen, job, { outcome: "skipped" }, decision);
  const reasons = [`skipped: ${why}`];
  if (countAttemptsLeft(work, job) > 0) {
    const to = isVisit(job.route) ? "todo" : (job.from ?? "todo");
    const more = isVisit(job.route) ? [] : listNewTasks(work, job);
    const changes: Change[] = [{ op: "return", id, to }, ...more];
    return putBack(seen, job, { outcome: "skipped", changes }, decision);
  }
  if (isVisit(job.route)) return endVisit(seen, job, { outcome: "exhausted", reasons }, decision);
  const changes = [block(job, reasons), ...listNewTasks(work, job)];
  return changeBacklog(seen, { ...job, gaveUp: true }, changes, decision);
}

/** Another task goes first. In a stage the work of this one is saved, and leaves the tree. */
function putBack(
  work: Work,
  job: Job,
  { outcome, changes }: { outcome: string; changes: Change[] },
  decision: Decision,
): Work {
  return isVisit(job.route)
    ? shelve(work, job, { outcome, more: changes }, decision)
    : changeBacklog(work, job, changes, decision);
}

function settleFailed(
  work: Work,
  job: Job,
  failure: Extract<AttemptVerdict, { kind: "failed" }>,
  decision: Decision,
): Work {
  const id = getTaskId(job);
  const uncounted: Change[] = [...returnToProgress(work, job), { op: "uncount", id }];
  const spared = findSpared(failure, job.end);
  if (spared === "wait")
    return changeBacklog(backOffAgent(work, job, failure, decision), job, uncounted, decision);
  if (spared !== undefined) decision.notes.push(makeFailureNote(job, failure, spared));
  if (spared === "drop-agent") return changeBacklog(work, job, [{ op: "uncount", id }], decision);
  if (spared === "end") {
    const closing = work.closing ?? { ending: "budget", message: failure.evidence };
    return changeBacklog({ ...work, closing }, job, uncounted, decision);
  }
  let seen = work;
  if (isVisit(job.route)) {
    // The gate's rejection is not an error of the agent.
    const memory = getMemory(work, job);
    const errors = memory.errors + (failure.reason === "gate" ? 0 : 1);
    seen = withMemory(work, job, { ...memory, errors });
    const outcome = findOver(seen, job);
    if (outcome !== undefined) return failVisit(seen, job, { failure, outcome }, decision);
    seen = keepSpent(seen, job);
  }
  // L4: a failed attempt can block the task, but the run continues.
  const last = countAttemptsLeft(work, job) === 0;
  decision.notes.push(makeFailureNote(job, failure, last ? "blocked" : "retry"));
  const blocked = last ? [block(job, [describeFailed(failure)])] : [];
  const gaveUp = last || undefined;
  const final = explainTaskOver(work, id) === undefined ? undefined : true;
  const changes = [...returnToProgress(work, job), ...blocked];
  const settled = changeBacklog(seen, { ...job, gaveUp, final }, changes, decision);
  return rememberFailure(settled, job, failure.reason, failure.evidence);
}

/** The gate's first line is enough for a row; the log and the next attempt's prompt have all of it. */
function describeFailed({ reason, evidence }: { reason: string; evidence: string }): string {
  return `${reason}: ${reason === "gate" ? (evidence.split("\n")[0] ?? "") : evidence}`;
}

/** L17: the agent backs off, and the task's attempt does not count. */
export function backOffAgent<F extends { backoffs: Backoffs }>(
  frame: F,
  job: Job,
  failure: { reason: string; evidence: string },
  decision: Decision,
): F {
  const { agent } = job.facts;
  const backoffs = backOff(frame.backoffs, agent, {
    reason: failure.reason,
    retryAt: readRetryAt(job.end),
    at: decision.at,
  });
  decision.notes.push({
    ...makeFailureNote(job, failure, "wait"),
    ...describeBackoff(backoffs, agent, decision.at),
  });
  return { ...frame, backoffs };
}

/** Keeps a failed attempt for the next one's prompt. */
function rememberFailure(work: Work, job: Job, reason: string, evidence: string): Work {
  const id = getTaskId(job);
  const { attempt, agent } = job.facts;
  const before = work.earlier.get(id) ?? [];
  return {
    ...work,
    earlier: work.earlier.with(id, [...before, { attempt, agent, reason, evidence }]),
  };
}

/** The new tasks of a report, as a change. */
function listNewTasks(work: Work, job: Job): Change[] {
  const tasks = work.rules.apply_summary ? (readFound(job.end).new_tasks ?? []) : [];
  return tasks.length === 0 ? [] : [{ op: "add", tasks, keepVerify: work.rules.verify_from_agents }];
}

/** If the runner applies no summaries, edits saved by others are taken as they are. */
function changeBacklog(work: Work, job: Job, changes: readonly Change[], decision: Decision): Work {
  const during = work.rules.apply_summary ? "agent" : "idle";
  decision.effects.push({ kind: "change-backlog", job: job.facts, changes, during });
  return replaceJob(work, enter(job, "settle"));
}

/** How a visit ends. */
interface VisitOrder {
  outcome: string;
  reasons?: readonly string[];
  /** The question of the agent. */
  ask?: AskedQuestion | undefined;
  verdict?: SavedWork["verdict"];
  /** The text of a stage without an agent. */
  text?: string;
  evidence?: { reason: string; evidence: string };
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

/** The outcome of a failed attempt; `undefined`: the same stage again, until its attempts or its errors are spent. */
function findOver(work: Work, job: Job): string | undefined {
  const stage = stageOf(work, job);
  // L20: an agent that was stopped at a limit of its stage or its workflow ends the visit.
  const isTaskOver = explainTaskOver(work, getTaskId(job)) !== undefined;
  if (job.end?.stopped_for === "task" && (job.limits ?? []).length > 0 && !isTaskOver) return "over_limit";
  const { errors = Infinity } = stage?.limits ?? {};
  if (countAttemptsLeft(work, job) === 0 || getMemory(work, job).errors >= errors) return "exhausted";
  return stage?.next["failed"] === undefined ? undefined : "failed";
}

/** Ends a visit because its attempt failed; the log says where the task goes. */
function failVisit(
  work: Work,
  job: Job,
  { failure, outcome }: { failure: { reason: string; evidence: string }; outcome: string },
  decision: Decision,
): Work {
  const order: VisitOrder = {
    outcome,
    reasons: [describeFailed(failure)],
    verdict: failure.reason === "gate" ? "failed" : "unverified",
    evidence: failure,
  };
  const ended = endVisit(work, job, order, decision);
  const to = findTargetOf(ended, job) ?? job.facts.stage;
  const next = to === "block" ? "blocked" : to === job.facts.stage ? "retry" : "advance";
  decision.notes.push(makeFailureNote(job, failure, next));
  return ended;
}

/** Where the visit of a job leads. */
export function findTargetOf(work: Work, { facts }: Job): string | undefined {
  return work.jobs.find((one) => one.facts.job === facts.job)?.visitEnd?.advances.at(-1)?.to;
}

const NOTHING: Spent = { tokens: 0, duration_ms: 0 };

function getMemory({ visits }: Work, job: Job): VisitMemory {
  return visits?.get(getTaskId(job)) ?? { errors: 0, spent: NOTHING };
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
  const tokens = end?.usage === undefined ? 0 : tokensOf(end.usage);
  const duration_ms = (end?.duration_ms ?? 0) + gate_ms;
  return sumSpent(before, { tokens, ...given({ cost_usd: end?.usage?.cost_usd }), duration_ms });
}

/** Ends a visit with an outcome: the work is saved, then the row moves on. L19: never with one that the stage does not declare. */
export function endVisit(work: Work, job: Job, order: VisitOrder, decision: Decision): Work {
  const { outcome } = order;
  const row = findRow(work, job);
  const found = row === undefined ? undefined : findStage(work.rules, row);
  // The row is elsewhere: a person restarted the task meanwhile. Nothing moves on, and the work stays in the tree.
  if (row === undefined || found === undefined) return settleStopped(work, job, decision);
  const { progress } = row;
  const { stage, workflow } = found;
  decision.because = { rule: `outcome-${outcome}`, picked: row.id };
  const isOwn = listOwnOutcomes(stage).includes(outcome);
  // L20: the plan of the move keeps to the limits of visits and spending.
  const place = placeAfter(job, workflow, { progress, memory: getMemory(work, job), order });
  const move = planMove(
    {
      ...{ rules: work.rules, id: row.id, workflow, progress: place, at: decision.at, status: "doing" },
      ask: order.ask,
      reasons: order.reasons,
      said: sayingOf(job),
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
    verdict: move.discard === true ? undefined : order.verdict,
    evidence: order.evidence,
  };
  const judged: Job = { ...job, verdict: { kind: "outcome", outcome } };
  const seen = isOwn ? keepResult(work, job) : work;
  return save(
    seen,
    judged,
    { visitEnd, shelve: move.asks, discard: move.discard, text: order.text },
    decision,
  );
}

/** The report of a reader, in a line. The author of the work is not quoted: a later reader would have it from the row. */
function sayingOf({ route, end }: Job): string | undefined {
  return onlyReads(route) ? shorten(readResult(end).result.replace(/\s+/gu, " ").trim(), 300) : undefined;
}

/** The commit at the end tells what the last work reported; without work, what was reported last. An empty report tells nothing. */
function keepResult(work: Work, job: Job): Work {
  if (job.end === undefined) return work;
  const id = getTaskId(job);
  const before = work.results?.get(id);
  const isWork = hasWork(job.route);
  if (before?.work === true && !isWork) return work;
  const { result, files } = readResult(job.end);
  if (result.trim() === "" && before !== undefined && (before.work === true) === isWork) return work;
  const results = work.results ?? PersistentMap.of<TaskId, TaskResult>();
  return { ...work, results: results.with(id, { result, files, work: isWork || undefined }) };
}

/** The progress as it is at the end of the visit, with its usage and the facts of its output. */
function placeAfter(
  job: Job,
  workflow: Workflow,
  { progress, memory, order }: { progress: ProgressRow; memory: VisitMemory; order: VisitOrder },
): ProgressRow {
  const { stage } = progress;
  const spent = addSpent(memory.spent, job);
  const { output } = readFound(job.end);
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
    work: hasWork(job.route) || job.route === "shelve",
    discard: discard && {},
    text,
  });
  return replaceJob(work, { ...enter(job, "save"), visitEnd });
}

/** Moves the row on, once the output and the work of the visit are saved. */
export function takeSaved(work: Work, job: Job, event: EventOf<"work_saved">, decision: Decision): Work {
  const { visitEnd } = job;
  const row = findRow(work, job);
  decision.because = { rule: "work-saved", picked: getTaskId(job) };
  for (const message of event.warnings) decision.warn(message, job.facts);
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
  { work }: EventOf<"work_saved">,
  progress: ProgressRow | undefined,
): SavedWork | null | undefined {
  const changes = hasWork(route) || route === "discard";
  if (work === undefined) return changes ? null : undefined;
  const isSame = work.base === progress?.base && route !== "discard";
  const before = isSame ? (progress.verdict ?? "unverified") : "unverified";
  return { ...work, verdict: hasWork(route) ? (visitEnd?.verdict ?? "unverified") : before };
}

/** A visit that has ended: the next one is counted anew. */
function forgetVisit(work: Work, job: Job): Work {
  const id = getTaskId(job);
  const { visitEnd } = job;
  if (visitEnd === undefined || visitEnd.keepsCount === true) return work;
  const { agent, attempt } = job.facts;
  const told = visitEnd.evidence === undefined ? [] : [{ attempt, agent, ...visitEnd.evidence }];
  return beginVisit(withMemory(work, job, { errors: 0, spent: NOTHING }), id, told);
}

/** The attempts at a task are counted anew. `told`: to the next of them. */
export function beginVisit(work: Work, id: TaskId, told: readonly Earlier[]): Work {
  return {
    ...work,
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
