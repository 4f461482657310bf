// The job machine: takes one attempt, review, draft or repair through its activities. Pure.
// working.ts and opening.ts decide which job comes next and when the run ends.
import { never } from "../../../system/never.js";
import type { StepEvent } from "../../../logging/events/events.js";
import type { ToldEvent } from "../../../logging/events/told-events.js";
import type { Rules } from "../../../logging/rules.js";
import type { HookStatus, PlannedHook } from "../effects.js";
import { listBudgets, type SpendingFrame } from "./spending.js";
import { enter } from "./routes.js";
import type { Job, Activity } from "../state.js";
import type { Decision } from "../decision.js";
import type { Earlier } from "../effects.js";

/** L10: an activity's event comes only while the job is in that activity; anything else is an internal error. */
export function expectActivity(job: Job, activity: Activity, event: StepEvent): void {
  if (job.activity !== activity) {
    throw new Error(
      `${event.type} came for job ${job.facts.job} in activity ${job.activity}, not ${activity}`,
    );
  }
}

/** The name of a job's folder, which hooks get as `$4`: `iter-3`, `review-3`; in a workflow `iter-3-STAGE`. */
export function makeLabel(job: Job): string {
  const { phase, iteration, attempt, stage } = job.facts;
  switch (phase) {
    case "iteration":
      return stage === undefined ? `iter-${iteration}` : `iter-${iteration}-${stage}`;
    case "review":
      return `review-${iteration}`;
    case "bootstrap":
    case "repair":
      return `${phase}-${attempt}`;
    default:
      return never(phase);
  }
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
