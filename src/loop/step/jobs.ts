// Small changes to the state of a working run: its jobs and its index of the backlog. Pure.
import type { EventOf } from "../../logging/events/events.js";
import type { TaskId } from "../../todo/model/task.js";
import { explainTaskOver } from "./job/spending.js";
import { hasAgent, isVisit } from "./job/routes.js";
import { countAttemptsOf, findStage } from "./job/stage.js";
import type { Earlier } from "./effects.js";
import type { Job, Activity, Work } from "./state.js";
import type { Decision } from "./decision.js";

/** The result of changes to the backlog, as both `backlog_changed` and `committed` carry it. */
export type ChangeResult = Pick<
  EventOf<"backlog_changed">,
  "updated" | "refused" | "warnings" | "rows" | "removed" | "digest" | "sha256" | "saved" | "edits" | "heard"
>;

/** The job an event belongs to. L10: events name only running jobs. */
export function findJob(work: Work, event: { type: string; job?: number | undefined }): Job {
  const job = work.jobs.find((one) => one.facts.job === event.job);
  if (job === undefined) throw new Error(`${event.type} came for job ${event.job}, which is not under way`);
  return job;
}

/** The work with a job that begins. */
export function addJob(work: Work, job: Job): { phase: "working"; work: Work } {
  return { phase: "working", work: { ...work, jobs: [...work.jobs, job], nextJob: work.nextJob + 1 } };
}

/** Replaces the job of the same number. */
export function replaceJob(work: Work, job: Job): Work {
  return { ...work, jobs: work.jobs.map((one) => (one.facts.job === job.facts.job ? job : one)) };
}

/** Removes the job. */
export function dropJob(work: Work, job: Job): Work {
  return { ...work, jobs: work.jobs.filter((one) => one.facts.job !== job.facts.job) };
}

/** The failed attempts at the job's task, for the next one's prompt. */
export function listEarlier(work: Work, { facts }: Job): readonly Earlier[] {
  return (facts.task_id === undefined ? undefined : work.earlier.get(facts.task_id)) ?? [];
}

/** The task a job is about. */
export function getTaskId({ facts }: Job): TaskId {
  if (facts.task_id === undefined) throw new Error(`job ${facts.job} has no task`);
  return facts.task_id;
}

/** L4: `max_attempts` in a run, or one for a task that was blocked when the run began. L18: none once its budget is spent. */
export function countAttemptsLeft(work: Work, job: Job): number {
  const id = getTaskId(job);
  if (explainTaskOver(work, id) !== undefined) return 0;
  const stage = isVisit(job.route) ? findStage(work.rules, work.index.get(id) ?? {})?.stage : undefined;
  const most = work.blockedAtStart.has(id) ? 1 : countAttemptsOf(work.rules, stage);
  return Math.max(0, most - (work.attempts.get(id) ?? 0));
}

/** Takes back the attempt and the iteration of a job that does not count: its claim was refused, or its agent was missing. */
export function uncount(work: Work, { facts, route }: Job): Work {
  if (!hasAgent(route)) return work;
  const id = facts.task_id;
  const before = id === undefined ? 0 : (work.attempts.get(id) ?? 0);
  return {
    ...work,
    iterations: work.iterations - 1,
    attempts: id === undefined ? work.attempts : work.attempts.with(id, before - 1),
  };
}

/** Stops the processes of the jobs in these activities, each job once. */
export function stopJobs(work: Work, activities: readonly Activity[], decision: Decision): Work {
  return {
    ...work,
    jobs: work.jobs.map((job): Job => {
      if (job.stopped === true || !activities.includes(job.activity)) return job;
      decision.effects.push({ kind: "stop", job: job.facts, how: "now" });
      return { ...job, stopped: true };
    }),
  };
}

/** Describes a change the store refused because of a person's edit, with the task in progress and its agent. */
function describeRefusal(
  { op, id, why }: { op: string; id?: string | undefined; why: string },
  job: Job | undefined,
): string {
  const [, status] = /^it is (\w+), not doing$/.exec(why) ?? [];
  if (id !== undefined && status !== undefined && job?.facts.task_id === id)
    return `${id} was set to ${status} while ${job.facts.agent} worked on it`;
  return `cannot ${op}${id === undefined ? "" : ` ${id}`}: ${why}`;
}

/** Takes over the store's result, and logs it for readers. */
export function takeChangeResult(
  work: Work,
  outcome: ChangeResult,
  job: Job | undefined,
  decision: Decision,
): Work {
  const facts = job === undefined ? {} : job.facts;
  for (const { id, from, to } of outcome.updated)
    // Claimed again: readers know the status already.
    if (from !== to) decision.notes.push({ type: "task_updated", ...facts, task_id: id, from, to });
  for (const message of outcome.warnings) decision.notes.push({ type: "warning", ...facts, message });
  for (const refused of outcome.refused)
    // Tasks were added meanwhile: the backlog is not finished yet.
    if (refused.op !== "mark-complete")
      decision.notes.push({ type: "warning", ...facts, message: describeRefusal(refused, job) });
  if (outcome.edits !== undefined) decision.notes.push({ type: "backlog_edited", ...outcome.edits });
  const fresh = [
    ...(outcome.edits?.added ?? []),
    ...outcome.updated.filter((one) => one.from === undefined).map((one) => one.id),
  ];
  const isSame = outcome.rows.length === 0 && outcome.removed.length === 0;
  return {
    ...work,
    index: isSame ? work.index : work.index.with(outcome.rows, outcome.removed),
    digest: outcome.digest,
    // Tasks were added after the last review, so another review is allowed.
    reviews: fresh.length === 0 ? work.reviews : { ...work.reviews, clean: false },
  };
}
