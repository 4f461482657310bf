// Settles an attempt or a review: asks for the changes to the backlog that follow from its verdict. Pure.
import { never } from "../../../system/never.js";
import type { Change } from "../../../todo/model/changes/change.js";
import type { NewTask } from "../../../todo/model/summary.js";
import { explainTaskOver } from "./spending.js";
import { makeFailureNote } from "./job.js";
import { enter } from "./routes.js";
import { countAttemptsLeft, replaceJob, getTaskId } from "../jobs.js";
import { endsRun, readNewTasks, readResult, readRetryAt } from "./verdict.js";
import { causesBackoff, backOff, describeBackoff, type Backoffs } from "../schedule/backoff.js";
import { isUnusable } from "../schedule/schedule.js";
import type { Job, AttemptVerdict, Work } from "../state.js";
import type { Decision } from "../decision.js";

/** Asks for the one change of the backlog that follows from the verdict on an attempt. */
export function settleAttempt(work: Work, unsettled: Job, decision: Decision): Work {
  const { verdict } = unsettled;
  const job = enter(unsettled, verdict?.kind === "done" ? "commit" : "settle");
  if (verdict === undefined) throw new Error(`job ${job.facts.job} is settled without a verdict`);
  switch (verdict.kind) {
    case "done":
      return commit(work, job, decision);
    case "blocked":
      return settleBlocked(work, job, verdict, decision);
    case "skipped":
      return settleSkipped(work, job, verdict.why, decision);
    case "failed":
      return settleFailed(work, job, verdict, decision);
    case "held": {
      const evidence = [verdict.evidence, ...describeRescue(job)].join("; ");
      decision.notes.push(makeFailureNote(job, { ...verdict, evidence }, "later"));
      changeBacklog(work, job, putBackInQueue(job), decision);
      return rememberFailure(replaceJob(work, job), job, verdict.reason, evidence);
    }
    case "interrupted":
      // L7: the task stays `doing`; only the agent's own edits of the backlog are reverted.
      changeBacklog(work, job, returnToProgress(work, job), decision);
      return replaceJob(work, job);
    case "reviewed":
      throw new Error("an attempt was judged as a review");
    case "outcome":
      throw new Error("the outcome of a stage was judged as an attempt");
    default:
      return never(verdict);
  }
}

/** Asks for the result of a review: its new tasks, or the marker if nothing is left to do. */
export function settleReview(work: Work, job: Job, verdict: AttemptVerdict, decision: Decision): Work {
  const judged: Job = { ...enter(job, "settle"), verdict };
  decision.because = { rule: `review-${verdict.kind}` };
  if (verdict.kind !== "reviewed") {
    const then =
      verdict.kind === "failed" && causesBackoff(verdict.reason)
        ? backOffAgent(work, job, verdict, decision)
        : work;
    changeBacklog(then, judged, [], decision);
    return replaceJob(then, judged);
  }
  const found = listNewTasks(work, job);
  const finished = work.index.values.every((row) => row.status === "done");
  const marks = found.length === 0 && finished && work.rules.completion_marker;
  changeBacklog(work, judged, marks ? [{ op: "mark-complete" }] : found, decision);
  return replaceJob(work, judged);
}

function commit(work: Work, job: Job, decision: Decision): Work {
  const id = getTaskId(job);
  const { result, files } = readResult(job.end);
  // L2: only this protocol makes a task done and makes its commit, both together.
  if (work.rules.apply_summary) {
    const finish: Change = { op: "finish", id, result, files, verdict: job.worth ?? "unverified" };
    const changes = [finish, ...listNewTasks(work, job)];
    decision.effects.push({ kind: "commit", job: job.facts, changes, during: "agent", summary: result });
  } else {
    decision.effects.push({ kind: "commit", job: job.facts, changes: [], during: "idle", summary: result });
  }
  return replaceJob(work, job);
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
  const id = getTaskId(job);
  if (evidence !== undefined)
    decision.notes.push(makeFailureNote(job, { reason: "gate", evidence }, "blocked"));
  // The agent's own row has the blockers already.
  const known = !work.rules.apply_summary && work.index.get(id)?.status === "blocked";
  const block: Change = { op: "block", id, blockers: [...blockers, ...describeRescue(job)] };
  const changes = known ? [] : [...returnToProgress(work, job), block, ...listNewTasks(work, job)];
  changeBacklog(work, job, changes, decision);
  return replaceJob(work, { ...job, final: true });
}

/** Names, for readers of the backlog, where the work of an abandoned task is. */
export function describeRescue({ rescue }: Job): string[] {
  return rescue === undefined
    ? []
    : [`its work is kept: looper rescue show ${rescue.replace(/^refs\/looper\/rescue\//, "")}`];
}

function settleSkipped(work: Work, job: Job, why: string, decision: Decision): Work {
  const id = getTaskId(job);
  const last = countAttemptsLeft(work, job) === 0;
  const back: Change = last
    ? { op: "block", id, blockers: [`skipped: ${why}`, ...describeRescue(job)] }
    : { op: "return", id, to: job.from ?? "todo" };
  changeBacklog(work, job, [back, ...listNewTasks(work, job)], decision);
  return rememberFailure(replaceJob(work, last ? { ...job, gaveUp: true } : job), job, "skipped", why);
}

/** L12: the attempt does not count. */
export function putBackInQueue(job: Job): Change[] {
  const id = getTaskId(job);
  return [
    { op: "return", id, to: "todo" },
    { op: "uncount", id },
  ];
}

function settleFailed(
  work: Work,
  job: Job,
  failure: { reason: string; evidence: string },
  decision: Decision,
): Work {
  const id = getTaskId(job);
  if (isUnusable(failure.reason)) {
    decision.notes.push(makeFailureNote(job, failure, "drop-agent"));
    changeBacklog(work, job, [{ op: "uncount", id }], decision);
    return replaceJob(work, job);
  }
  if (causesBackoff(failure.reason)) {
    const paused = backOffAgent(work, job, failure, decision);
    changeBacklog(paused, job, [...returnToProgress(work, job), { op: "uncount", id }], decision);
    return replaceJob(paused, job);
  }
  if (endsRun(job.end)) {
    decision.notes.push(makeFailureNote(job, failure, "end"));
    changeBacklog(work, job, [...returnToProgress(work, job), { op: "uncount", id }], decision);
    const closing = work.closing ?? { ending: "budget", message: failure.evidence };
    return replaceJob({ ...work, closing }, job);
  }
  // L4: a failed attempt can block the task, but the run continues.
  const last = countAttemptsLeft(work, job) === 0;
  decision.notes.push(makeFailureNote(job, failure, last ? "blocked" : "retry"));
  // The gate's first line is enough here; the log and the next attempt's prompt have all of it.
  const [sentence = ""] = failure.reason === "gate" ? failure.evidence.split("\n") : [failure.evidence];
  const blockers = [`${failure.reason}: ${sentence}`, ...describeRescue(job)];
  const block: Change[] = last ? [{ op: "block", id, blockers }] : [];
  changeBacklog(work, job, [...returnToProgress(work, job), ...block], decision);
  const spent = explainTaskOver(work, id) !== undefined;
  return rememberFailure(
    replaceJob(work, {
      ...job,
      ...(last ? { gaveUp: true as const } : {}),
      ...(spent ? { final: true as const } : {}),
    }),
    job,
    failure.reason,
    failure.evidence,
  );
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
    ...readRetryAt(job.end),
    at: decision.at,
  });
  decision.notes.push({
    ...makeFailureNote(job, failure, "wait"),
    ...describeBackoff(backoffs, agent, decision.at),
  });
  return { ...frame, backoffs };
}

/** Keeps a failed attempt for the next one's prompt. */
export function rememberFailure(work: Work, job: Job, reason: string, evidence: string): Work {
  const id = getTaskId(job);
  const { attempt, agent } = job.facts;
  const before = work.earlier.get(id) ?? [];
  return {
    ...work,
    earlier: work.earlier.with(id, [...before, { attempt, agent, reason, evidence }]),
  };
}

/** The new tasks of a report, as a change. */
export function listNewTasks(work: Work, job: Job): Change[] {
  const tasks: readonly NewTask[] = work.rules.apply_summary ? readNewTasks(job.end) : [];
  return tasks.length === 0 ? [] : [{ op: "add", tasks, keepVerify: work.rules.verify_from_agents }];
}

/** If the runner applies no summaries, edits saved by others are taken as they are. */
function changeBacklog(work: Work, job: Job, changes: readonly Change[], decision: Decision): void {
  decision.effects.push({
    kind: "change-backlog",
    job: job.facts,
    changes,
    during: work.rules.apply_summary ? "agent" : "idle",
  });
}
