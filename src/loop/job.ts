// The job machine: one attempt, review, draft or repair on its way through its stages. Pure.
// Leaves which job comes next, and when the run ends, to work.ts and opening.ts.
import type { StepEvent, ToldEvent } from "../logging/events.js";
import type { Rules } from "../logging/rules.js";
import type { HookStatus } from "./effects.js";
import type { Job, JobKind, Stage } from "./state.js";
import type { Turn } from "./turn.js";
import type { Earlier } from "./effects.js";

/** What each kind of job goes through, in order. */
const STAGES: Record<JobKind, readonly Stage[]> = {
  iteration: ["claim", "checkpoint", "before", "agent", "snapshot", "settle", "after"],
  review: ["checkpoint", "before", "agent", "restore", "settle", "after"],
  bootstrap: ["agent", "adopt"],
  repair: ["agent", "adopt"],
};

/** The stage after this one; a job's last stage has none. */
export function stageAfter(kind: JobKind, stage: Stage): Stage | undefined {
  const stages = STAGES[kind];
  return stages[stages.indexOf(stage) + 1];
}

/** The stage a kind of job begins with. */
export function firstStage(kind: JobKind): Stage {
  const [first] = STAGES[kind];
  if (first === undefined) throw new Error(`a ${kind} has no stages`);
  return first;
}

/** Contract: events of a stage only come while the job is in it; anything else is our bug. */
export function expectStage(job: Job, stage: Stage, event: StepEvent): void {
  if (job.stage !== stage) {
    throw new Error(
      `${event.type} came for job ${String(job.facts.job)} in stage ${job.stage}, not ${stage}`,
    );
  }
}

/** Names a job's folder and is what hooks get as `$4`: `iter-3`, `review-3`. */
export function labelOf(job: Job): string {
  const { phase, iteration, attempt } = job.facts;
  switch (phase) {
    case "iteration":
      return `iter-${String(iteration)}`;
    case "review":
      return `review-${String(iteration)}`;
    case "bootstrap":
    case "repair":
      return `${phase}-${String(attempt)}`;
  }
}

/** Moves on to the agent, through the hooks before it if there are any. */
export function startBefore(job: Job, rules: Rules, earlier: readonly Earlier[], turn: Turn): Job {
  const hooks = rules.hooks.pre_iteration.map((command, at) => ({
    hook: "pre_iteration" as const,
    at,
    command,
  }));
  if (hooks.length === 0) return startAgent(job, earlier, turn);
  const begun: Job = { ...job, stage: "before", hooks };
  runHook(begun, "doing", turn);
  return begun;
}

/** L1: an agent is started only from here, for a job that was claimed and has its checkpoint. */
export function startAgent(job: Job, earlier: readonly Earlier[], turn: Turn): Job {
  turn.effects.push({ kind: "run-agent", job: job.facts, label: labelOf(job), earlier });
  return { ...job, stage: "agent", hooks: [] };
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
  const begun: Job = { ...job, stage: "after", hooks };
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
  switch (job.verdict?.kind) {
    case "done":
      return "done";
    case "blocked":
      return "blocked";
    case "skipped":
      return "skipped";
    case "reviewed":
      return "reviewed";
    case "failed":
      return job.gaveUp === true ? "blocked" : "failed";
    case "interrupted":
    case undefined:
      return "failed";
  }
}

/** The line that says an attempt failed, and what follows. */
export function failureNote(
  job: Job,
  failure: { reason: string; evidence: string },
  next: Extract<ToldEvent, { type: "attempt_failed" }>["next"],
): ToldEvent {
  return { type: "attempt_failed", ...job.facts, ...failure, next };
}
