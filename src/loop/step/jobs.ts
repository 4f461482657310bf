// A job: its route, the activities of each, its agent and its hooks, and the small changes that it makes to the state of a run. Pure.
// choose-job.ts decides which job comes next, working.ts and opening.ts when the run ends.
import type { EventOf } from "../../logging/events/events.js";
import type { ToldEvent } from "../../logging/events/told-events.js";
import type { Rules } from "../../logging/rules.js";
import type { TaskId } from "../../todo/model/task.js";
import { explainTaskOver, listBudgets, type SpendingFrame } from "./job/spending.js";
import { countAttemptsOf, findStage } from "./job/stage.js";
import type { Earlier, HookStatus, PlannedHook } from "./effects.js";
import type { Job, Route, Work } from "./state.js";
import type { Decision } from "./decision.js";
import { type Activity, BY_AGENT, isReader, STAGE_KINDS } from "../../workflow/stage-kinds.js";
import type { StageKind } from "../../workflow/workflow.js";

/** The activities of each route that is no stage's, in order. */
const ROUTES: Readonly<Record<Exclude<Route, StageKind>, readonly Activity[]>> = {
  attempt: [...BY_AGENT, "reread", "gate", "commit", "restore", "settle", "after"],
  review: ["checkpoint", "before", "agent", "restore", "settle", "after"],
  draft: ["agent", "adopt"],
  rescue: ["checkpoint", "snapshot", "restore", "settle"],
  deliver: ["claim", "checkpoint", "gate", "aside", "commit", "restore", "settle", "after"],
  "give-up": ["claim", "checkpoint", "restore", "settle", "after"],
  discard: ["save", "settle", "after"],
  shelve: ["checkpoint", "save", "settle", "after"],
};

/** The kind of stage that a job of this route is a visit of. */
export function kindOf(route: Route): StageKind | undefined {
  return isOfStage(route) ? route : undefined;
}

function isOfStage(route: Route): route is StageKind {
  return Object.hasOwn(STAGE_KINDS, route);
}

function activitiesOf(route: Route): readonly Activity[] {
  return isOfStage(route) ? STAGE_KINDS[route].activities : ROUTES[route];
}

/** A job at the first activity of its route. */
export function makeJob(facts: Job["facts"], route: Route): Job {
  const [activity] = activitiesOf(route);
  if (activity === undefined) throw new Error(`a stage of the kind ${route} has no job`);
  return { facts, route, activity, hooks: [] };
}

/** Moves the job to a later activity. Contract: an activity may be skipped, but never repeated. */
export function enter(job: Job, activity: Activity): Job {
  const activities = activitiesOf(job.route);
  const to = activities.indexOf(activity);
  if (to < 0 || to < activities.indexOf(job.activity)) {
    throw new Error(`a job of the route ${job.route} cannot go from ${job.activity} to ${activity}`);
  }
  return { ...job, activity };
}

/** Whether a job has an agent, so that it is an iteration and an attempt. */
export function hasAgent(route: Route): boolean {
  return activitiesOf(route).includes("agent");
}

/** Whether the agent of a job only reads: what it changes is put back. */
export function onlyReads(route: Route): boolean {
  return route === "review" || isReader(kindOf(route));
}

/** Whether the changes in the tree are the job's own work. */
export function hasWork(route: Route): boolean {
  return activitiesOf(route).includes("snapshot");
}

/** Whether the job is a visit of a stage, or of an end, of a workflow whose rows have a progress. */
export function isVisit(route: Route): boolean {
  return !["attempt", "review", "draft", "rescue"].includes(route);
}

/** The result of changes to the backlog, as both `backlog_changed` and `committed` carry it. */
export type ChangeResult = Pick<
  EventOf<"backlog_changed">,
  "updated" | "refused" | "warnings" | "rows" | "removed" | "digest" | "sha256" | "saved" | "edits" | "heard"
>;

/** The job that an event is for. L10: it is in progress, and in an activity that the event can end; anything else is an internal error. */
export function findJob(
  { jobs = [], job: only }: { jobs?: readonly Job[]; job?: Job | undefined },
  event: { type: string; job?: number | undefined },
  ...activities: readonly Activity[]
): Job {
  const job = [...jobs, only].find((one) => one?.facts.job === event.job);
  if (job === undefined) throw new Error(`${event.type} came for job ${event.job}, which is not under way`);
  if (activities.length === 0 || activities.includes(job.activity)) return job;
  const came = `${event.type} came for job ${job.facts.job} in activity ${job.activity}`;
  throw new Error(`${came}, not ${activities.join(" or ")}`);
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
  for (const message of outcome.warnings) decision.warn(message, facts);
  for (const refused of outcome.refused)
    // Tasks were added meanwhile: the backlog is not finished yet.
    if (refused.op !== "mark-complete") decision.warn(describeRefusal(refused, job), facts);
  if (outcome.edits !== undefined) decision.notes.push({ type: "backlog_edited", ...outcome.edits });
  const fresh = [
    ...(outcome.edits?.added ?? []),
    ...outcome.updated.filter((one) => one.from === undefined).map((one) => one.id),
  ];
  const isSame = outcome.rows.length === 0 && outcome.removed.length === 0;
  return {
    ...work,
    index: isSame ? work.index : work.index.with(outcome.rows, outcome.removed),
    // Tasks were added after the last review, so another review is allowed.
    reviews: fresh.length === 0 ? work.reviews : { ...work.reviews, clean: false },
  };
}

/** The name of a job's folder, which hooks get as `$4`: `iter-3`, `review-3`; in a workflow `iter-3-STAGE`. */
export function makeLabel(job: Job): string {
  const { phase, iteration, attempt, stage } = job.facts;
  if (phase === "bootstrap" || phase === "repair") return `${phase}-${attempt}`;
  const name = phase === "review" ? "review" : "iter";
  return stage === undefined ? `${name}-${iteration}` : `${name}-${iteration}-${stage}`;
}

/** Starts the hooks before the agent, or the agent itself if there are none. */
export function startBefore(
  job: Job,
  frame: SpendingFrame,
  earlier: readonly Earlier[],
  decision: Decision,
): Job {
  const hooks = planHooks(frame.rules, "pre_iteration");
  if (hooks.length === 0) return startAgent(job, frame, earlier, decision);
  const begun: Job = { ...enter(job, "before"), hooks };
  runHook(begun, "doing", decision);
  return begun;
}

function planHooks({ hooks }: Rules, hook: "pre_iteration" | "post_iteration" | "on_blocked"): PlannedHook[] {
  return hooks[hook].map((command, at) => ({ hook, at, command }));
}

/** L1: an agent starts only from here, for a job that was claimed and has its checkpoint. */
export function startAgent(
  job: Job,
  frame: SpendingFrame,
  earlier: readonly Earlier[],
  decision: Decision,
): Job {
  const all = [...listBudgets(frame, job.facts.task_id, decision.at), ...(job.limits ?? [])];
  const budgets = all.length === 0 ? undefined : all;
  decision.effects.push({ kind: "run-agent", job: job.facts, label: makeLabel(job), earlier, budgets });
  return { ...enter(job, "agent"), hooks: [] };
}

/** Starts the hooks that follow an attempt or a review; `undefined` when there are none and the job is over. */
export function startAfter(job: Job, rules: Rules, decision: Decision): Job | undefined {
  const status = getHookStatus(job);
  const blocked = status === "blocked" ? planHooks(rules, "on_blocked") : [];
  const hooks = [...planHooks(rules, "post_iteration"), ...blocked];
  if (hooks.length === 0) return undefined;
  const begun: Job = { ...enter(job, "after"), hooks };
  runHook(begun, status, decision);
  return begun;
}

/** Starts the activity's next hook; `undefined` after the last one. */
export function startNextHook(job: Job, decision: Decision): Job | undefined {
  const hooks = job.hooks.slice(1);
  if (hooks.length === 0) return undefined;
  const next: Job = { ...job, hooks };
  runHook(next, job.activity === "before" ? "doing" : getHookStatus(job), decision);
  return next;
}

function runHook(job: Job, status: HookStatus, decision: Decision): void {
  const [first] = job.hooks;
  if (first === undefined) return;
  decision.effects.push({ kind: "run-hook", job: job.facts, ...first, status, label: makeLabel(job) });
}

/** The attempt's status as hooks receive it. */
function getHookStatus(job: Job): HookStatus {
  if (job.gaveUp === true) return "blocked";
  const kind = job.verdict?.kind;
  if (kind === "outcome") return job.route === "deliver" && job.visitEnd === undefined ? "done" : "doing";
  return kind === undefined || kind === "interrupted" || kind === "held" ? "failed" : kind;
}

type AttemptFailed = Extract<ToldEvent, { type: "attempt_failed" }>;

/** The log line of a failed attempt, with what happens next. */
export function makeFailureNote(
  job: Job,
  failure: { reason: string; evidence: string },
  next: AttemptFailed["next"],
): AttemptFailed {
  return { type: "attempt_failed", ...job.facts, ...failure, next };
}
