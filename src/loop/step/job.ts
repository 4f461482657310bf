// The job machine: one attempt, review, draft or repair on its way through its stages. Pure.
// Leaves which job comes next, and when the run ends, to work.ts and opening.ts.
import { never } from "../../system/never.js";
import type { StepEvent } from "../../logging/events.js";
import type { ToldEvent } from "../../logging/told-events.js";
import type { Rules } from "../../logging/rules.js";
import type { HookStatus } from "./effects.js";
import { budgetsOf, type Purse } from "./spending.js";
import type { Job, JobKind, Stage } from "./state.js";
import type { Turn } from "./decision.js";
import type { Earlier } from "./effects.js";

/** What each kind of job goes through, in order. */
const STAGES: Record<JobKind, readonly Stage[]> = {
  iteration: [
    "claim",
    "checkpoint",
    "baseline",
    "before",
    "agent",
    "snapshot",
    "look",
    "gate",
    "commit",
    "restore",
    "settle",
    "after",
  ],
  review: ["checkpoint", "before", "agent", "restore", "settle", "after"],
  bootstrap: ["agent", "adopt"],
  repair: ["agent", "adopt"],
};

/** The stage a kind of job begins with. */
export function firstStage(kind: JobKind): Stage {
  const [first] = STAGES[kind];
  if (first === undefined) throw new Error(`a ${kind} has no stages`);
  return first;
}

/** The same job in a later stage. Contract: a stage may be passed over, none is gone back to. */
export function enter(job: Job, stage: Stage): Job {
  const { phase } = job.facts;
  const stages = STAGES[phase];
  const to = stages.indexOf(stage);
  if (to < 0 || to < stages.indexOf(job.stage)) {
    throw new Error(`a job of kind ${phase} cannot go from ${job.stage} to ${stage}`);
  }
  return { ...job, stage };
}

/** L10: events of a stage only come while the job is in it; anything else is our bug. */
export function expectStage(job: Job, stage: Stage, event: StepEvent): void {
  if (job.stage !== stage) {
    throw new Error(`${event.type} came for job ${job.facts.job} in stage ${job.stage}, not ${stage}`);
  }
}

/** Names a job's folder and is what hooks get as `$4`: `iter-3`, `review-3`. */
export function labelOf(job: Job): string {
  const { phase, iteration, attempt } = job.facts;
  switch (phase) {
    case "iteration":
      return `iter-${iteration}`;
    case "review":
      return `review-${iteration}`;
    case "bootstrap":
    case "repair":
      return `${phase}-${attempt}`;
    default:
      return never(phase);
  }
}

/** Moves on to the agent, through the hooks before it if there are any. */
export function startBefore(job: Job, purse: Purse, earlier: readonly Earlier[], turn: Turn): Job {
  const hooks = purse.rules.hooks.pre_iteration.map((command, at) => ({
    hook: "pre_iteration" as const,
    at,
    command,
  }));
  if (hooks.length === 0) return startAgent(job, purse, earlier, turn);
  const begun: Job = { ...enter(job, "before"), hooks };
  runHook(begun, "doing", turn);
  return begun;
}

/** Has it measured what passes and what fails before the task is worked on. */
export function startBaseline(job: Job, turn: Turn): Job {
  turn.effects.push({ kind: "run-baseline", job: job.facts, reuse: job.from === "doing" });
  return enter(job, "baseline");
}

/** L1: an agent is started only from here, for a job that was claimed and has its checkpoint. */
export function startAgent(job: Job, purse: Purse, earlier: readonly Earlier[], turn: Turn): Job {
  const budgets = budgetsOf(purse, job.facts.task_id, turn.at);
  const limited = budgets.length === 0 ? {} : { budgets };
  turn.effects.push({ kind: "run-agent", job: job.facts, label: labelOf(job), earlier, ...limited });
  return { ...enter(job, "agent"), hooks: [] };
}

/** Starts the hooks that follow an attempt or a review; `undefined` when there are none and the job is over. */
export function startAfter(job: Job, rules: Rules, turn: Turn): Job | undefined {
  const status = hookStatus(job);
  const hooks = [
    ...rules.hooks.post_iteration.map((command, at) => ({ hook: "post_iteration" as const, at, command })),
    ...(status === "blocked" ? rules.hooks.on_blocked : []).map((command, at) => ({
      hook: "on_blocked" as const,
      at,
      command,
    })),
  ];
  if (hooks.length === 0) return undefined;
  const begun: Job = { ...enter(job, "after"), hooks };
  runHook(begun, status, turn);
  return begun;
}

/** The next hook of the stage, or `undefined` when the last one has ended. */
export function nextHook(job: Job, turn: Turn): Job | undefined {
  const hooks = job.hooks.slice(1);
  if (hooks.length === 0) return undefined;
  const next: Job = { ...job, hooks };
  runHook(next, job.stage === "before" ? "doing" : hookStatus(job), turn);
  return next;
}

function runHook(job: Job, status: HookStatus, turn: Turn): void {
  const [first] = job.hooks;
  if (first === undefined) return;
  turn.effects.push({ kind: "run-hook", job: job.facts, ...first, status, label: labelOf(job) });
}

/** How hooks are told of what an attempt came to. */
function hookStatus(job: Job): HookStatus {
  if (job.gaveUp === true) return "blocked";
  const kind = job.verdict?.kind;
  return kind === undefined || kind === "interrupted" ? "failed" : kind;
}

type AttemptFailed = Extract<ToldEvent, { type: "attempt_failed" }>;

/** The line that says an attempt failed, and what follows. */
export function failureNote(
  job: Job,
  failure: { reason: string; evidence: string },
  next: AttemptFailed["next"],
): AttemptFailed {
  return { type: "attempt_failed", ...job.facts, ...failure, next };
}
