// What an attempt or a review changes in the backlog, once its verdict is known. Pure.
import { never } from "../system/never.js";
import type { Change } from "../todo/change.js";
import type { NewTask } from "../todo/summary.js";
import type { TaskId } from "../todo/task.js";
import { enter, failureNote } from "./job.js";
import { replaceJob } from "./jobs.js";
import { newTasksOf, resultOf } from "./judge.js";
import { isUnusable } from "./schedule.js";
import type { Job, Verdict, Work } from "./state.js";
import type { Turn } from "./turn.js";

/** Asks for what follows from the verdict on an attempt at a task: one effect on the backlog, whatever it was. */
export function settleAttempt(work: Work, job: Job, verdict: Verdict, turn: Turn): Work {
  const id = taskOf(job);
  const judged: Job = { ...enter(job, "settle"), verdict };
  turn.because = { rule: `verdict-${verdict.kind}`, picked: id };
  if (!work.rules.apply_summary && job.byRow !== true) {
    change(work, judged, [], turn);
    return replaceJob(work, judged);
  }
  switch (verdict.kind) {
    case "done":
      return commit(work, judged, turn);
    case "blocked":
      return settleBlocked(work, judged, verdict.blockers, turn);
    case "skipped":
      return settleSkipped(work, judged, verdict.why, turn);
    case "failed":
      return settleFailed(work, judged, verdict, turn);
    case "interrupted":
      // L7: what was in hand stays `doing`; only what the agent did to the backlog is put right.
      change(work, judged, [], turn);
      return replaceJob(work, judged);
    case "reviewed":
      throw new Error("an attempt was judged as a review");
    default:
      return never(verdict);
  }
}

/** Asks for what a review found: new tasks, or the marker where there is nothing left to do. */
export function settleReview(work: Work, job: Job, verdict: Verdict, turn: Turn): Work {
  const judged: Job = { ...enter(job, "settle"), verdict };
  turn.because = { rule: `review-${verdict.kind}` };
  if (verdict.kind !== "reviewed") {
    change(work, judged, [], turn);
    return replaceJob(work, judged);
  }
  const found = added(work, job);
  const finished = [...work.index.values()].every((row) => row.status === "done");
  const marks = found.length === 0 && finished && work.rules.completion_marker;
  change(work, judged, marks ? [{ op: "mark-complete" }] : found, turn);
  return replaceJob(work, judged);
}

/** A commit that could not be built: the attempt failed, and the backlog learns of it like of any other failure. */
export function settleUncommitted(work: Work, job: Job, evidence: string, turn: Turn): Work {
  return settleAttempt(work, job, { kind: "failed", reason: "commit-failed", evidence }, turn);
}

function commit(work: Work, job: Job, turn: Turn): Work {
  const id = taskOf(job);
  const { result, files } = resultOf(job.end);
  // L2: the task becomes done and its commit is made in one protocol, here and in `settleByRow`, nowhere else.
  const changes: Change[] = [{ op: "finish", id, result, files, verified: false }, ...added(work, job)];
  turn.effects.push({ kind: "commit", job: job.facts, changes, during: "agent", summary: result });
  return replaceJob(work, job);
}

/**
 * Where the runner applies no summaries, the agent's own edit of the row says what came of the attempt. Answers the work
 * with the job that goes on settling, or `undefined` when it is settled.
 */
export function settleByRow(work: Work, job: Job, turn: Turn): Work | undefined {
  const { verdict } = job;
  if (work.rules.apply_summary || job.facts.phase === "review" || job.byRow === true) return undefined;
  if (verdict === undefined) throw new Error(`job ${job.facts.job} is settled without a verdict`);
  const status = work.index.get(taskOf(job))?.status;
  const asked: Job = { ...job, byRow: true };
  if (status === "done") {
    const summary = resultOf(job.end).result;
    turn.because = { rule: "done-by-row", picked: taskOf(job) };
    turn.effects.push({ kind: "commit", job: job.facts, changes: [], during: "idle", summary });
    return replaceJob(work, { ...asked, verdict: { kind: "done", summary } });
  }
  if (verdict.kind === "interrupted") return undefined;
  if (status === "blocked") return settleAttempt(work, asked, { kind: "blocked", blockers: [] }, turn);
  if (verdict.kind !== "done") return settleAttempt(work, asked, verdict, turn);
  const evidence = 'the agent reported "done" but did not mark the task as done';
  return settleAttempt(work, asked, { kind: "failed", reason: "bad-summary", evidence }, turn);
}

function settleBlocked(work: Work, job: Job, blockers: readonly string[], turn: Turn): Work {
  const id = taskOf(job);
  // By its own row: it says why already.
  const known = job.byRow === true && work.index.get(id)?.status === "blocked";
  change(work, job, known ? [] : [{ op: "block", id, blockers }, ...added(work, job)], turn);
  return replaceJob({ ...work, final: new Set([...work.final, id]) }, job);
}

function settleSkipped(work: Work, job: Job, why: string, turn: Turn): Work {
  const id = taskOf(job);
  const last = attemptsLeft(work, job) === 0;
  const back: Change = last
    ? { op: "block", id, blockers: [`skipped: ${why}`] }
    : { op: "return", id, to: job.from ?? "todo" };
  change(work, job, [back, ...added(work, job)], turn);
  return remember(replaceJob(work, last ? { ...job, gaveUp: true } : job), job, "skipped", why);
}

function settleFailed(work: Work, job: Job, failure: { reason: string; evidence: string }, turn: Turn): Work {
  const id = taskOf(job);
  if (isUnusable(failure.reason)) {
    turn.notes.push(failureNote(job, failure, "drop-agent"));
    change(work, job, [], turn);
    return replaceJob(work, job);
  }
  // L4: a failed attempt blocks the task at worst; the run goes on.
  const last = attemptsLeft(work, job) === 0;
  turn.notes.push(failureNote(job, failure, last ? "blocked" : "retry"));
  const reason = `${failure.reason}: ${failure.evidence}`;
  change(work, job, last ? [{ op: "block", id, blockers: [reason] }] : [], turn);
  return remember(
    replaceJob(work, last ? { ...job, gaveUp: true } : job),
    job,
    failure.reason,
    failure.evidence,
  );
}

/** L4: at most `max_attempts` in a run, and one for a task that was blocked when it began. */
function attemptsLeft(work: Work, job: Job): number {
  const id = taskOf(job);
  const most = work.blockedAtStart.has(id) ? 1 : work.rules.max_attempts;
  return Math.max(0, most - (work.attempts.get(id) ?? 0));
}

function remember(work: Work, job: Job, reason: string, evidence: string): Work {
  const id = taskOf(job);
  const { attempt, agent } = job.facts;
  const before = work.earlier.get(id) ?? [];
  return {
    ...work,
    earlier: new Map(work.earlier).set(id, [...before, { attempt, agent, reason, evidence }]),
  };
}

function added(work: Work, job: Job): Change[] {
  const tasks: readonly NewTask[] = work.rules.apply_summary ? newTasksOf(job.end) : [];
  return tasks.length === 0 ? [] : [{ op: "add", tasks, keepVerify: work.rules.verify_from_agents }];
}

/** Without the runner applying summaries, what others save is taken as it is. */
function change(work: Work, job: Job, changes: readonly Change[], turn: Turn): void {
  turn.effects.push({
    kind: "change-backlog",
    job: job.facts,
    changes,
    during: work.rules.apply_summary ? "agent" : "idle",
  });
}

function taskOf(job: Job): TaskId {
  if (job.facts.task_id === undefined) throw new Error(`job ${job.facts.job} has no task`);
  return job.facts.task_id;
}
