// While there is a backlog: what a job's events lead to. Pure.
// Leaves which job comes next to choose.ts, a job's own stages to job.ts, settling an attempt to settle.ts.
import type { Sealed, StepEvent } from "../logging/events.js";
import { closeAtOnce } from "./close.js";
import { choose, goOn } from "./choose.js";
import { expectStage, nextHook, startAfter, startAgent, startBefore } from "./job.js";
import { dropJob, jobOf, replaceJob, takeOutcome } from "./jobs.js";
import { judgeAttempt, judgeReview } from "./judge.js";
import { drops, settleAttempt, settleByRow, settleReview, settleUncommitted } from "./settle.js";
import type { Job, State, Work } from "./state.js";
import { heed, said, type Turn } from "./turn.js";

type Of<T extends StepEvent["type"]> = Extract<StepEvent, { type: T }>;

/** What follows from an event while the run is at work. */
export function stepWork(work: Work, event: Sealed<StepEvent>, turn: Turn): State {
  switch (event.type) {
    case "backlog_changed":
      return event.job === undefined ? onLook(work, event, turn) : onChanged(work, event, turn);
    case "checkpoint": {
      const job = jobOf(work, event);
      expectStage(job, "checkpoint", event);
      turn.because = { rule: event.reused ? "checkpoint-kept" : "checkpoint-made" };
      return prepare(work, job, turn);
    }
    case "hook_finished":
      return onHook(work, event, turn);
    case "agent_finished":
      return onAgent(work, event, turn);
    case "snapshot": {
      const job = jobOf(work, event);
      expectStage(job, "snapshot", event);
      for (const message of event.warnings) turn.notes.push({ type: "warning", ...job.facts, message });
      return working(settleAttempt(work, job, judgeAttempt(job, event), turn));
    }
    case "restored": {
      const job = jobOf(work, event);
      expectStage(job, "restore", event);
      if (job.end === undefined) throw new Error("a review was put back before its agent ended");
      return working(settleReview(work, job, judgeReview(job.end), turn));
    }
    case "committed":
      return onCommitted(work, event, turn);
    case "effect_failed":
      return onFailed(work, event, turn);
    case "run_interrupted":
      return onInterrupted(work, event, turn);
    case "woke":
      turn.because = { rule: "woke" };
      return goOn(work, turn);
    case "stop_sent":
      turn.because = { rule: "noted" };
      return working(work);
    default:
      throw new Error(`${event.type} came while the run was at work`);
  }
}

function working(work: Work): State {
  return { phase: "working", work };
}

function onLook(work: Work, event: Of<"backlog_changed">, turn: Turn): State {
  turn.because = { rule: "looked" };
  const seen = takeOutcome({ ...work, looking: false }, event, undefined, turn);
  return choose(seen, turn);
}

function onChanged(work: Work, event: Of<"backlog_changed">, turn: Turn): State {
  const job = jobOf(work, event);
  const seen = takeOutcome(work, event, job, turn);
  if (job.stage === "settle") {
    const more = settleByRow(seen, job, turn);
    return more === undefined ? afterSettle(seen, countAdded(job, event), turn) : working(more);
  }
  expectStage(job, "claim", event);
  if (event.refused.length > 0) {
    turn.because = { rule: "claim-refused", why: event.refused[0]?.why ?? "" };
    return goOn(unclaim(dropJob(seen, job), job), turn);
  }
  turn.because = { rule: "claimed" };
  turn.effects.push({ kind: "checkpoint", job: job.facts, reuse: job.from === "doing" });
  return goOn(replaceJob(seen, { ...job, stage: "checkpoint" }), turn);
}

function countAdded(job: Job, event: Of<"backlog_changed">): Job {
  if (job.verdict?.kind !== "reviewed") return job;
  const added = event.updated.filter((one) => one.from === undefined && one.to === "todo").length;
  return { ...job, verdict: { kind: "reviewed", added } };
}

/** A claim that was refused was no attempt. */
function unclaim(work: Work, job: Job): Work {
  const id = job.facts.task_id;
  if (id === undefined) return work;
  const attempts = new Map(work.attempts).set(id, (work.attempts.get(id) ?? 1) - 1);
  return { ...work, attempts, iterations: work.iterations - 1 };
}

/** Before the agent: the hooks, unless the run is being stopped, in which case nothing new starts. */
function prepare(work: Work, job: Job, turn: Turn): State {
  if (work.stopping > 0) return goOn(dropJob(work, job), turn);
  return working(replaceJob(work, startBefore(job, work.rules, earlierOf(work, job), turn)));
}

function earlierOf(work: Work, job: Job): NonNullable<ReturnType<Work["earlier"]["get"]>> {
  return (job.facts.task_id === undefined ? undefined : work.earlier.get(job.facts.task_id)) ?? [];
}

function onHook(work: Work, event: Of<"hook_finished">, turn: Turn): State {
  const job = jobOf(work, event);
  turn.because = { rule: "hook-finished", why: event.outcome };
  const next = work.stopping >= 2 ? undefined : nextHook(job, turn);
  if (next !== undefined) return working(replaceJob(work, next));
  if (job.stage === "after") return endJob(work, job, turn);
  expectStage(job, "before", event);
  if (work.stopping > 0) return goOn(dropJob(work, job), turn);
  return working(replaceJob(work, startAgent(job, earlierOf(work, job), turn)));
}

function onAgent(work: Work, event: Of<"agent_finished">, turn: Turn): State {
  const job = jobOf(work, event);
  expectStage(job, "agent", event);
  turn.because = { rule: "agent-finished", why: event.reason ?? event.outcome };
  const ended: Job = { ...job, end: event };
  if (job.facts.phase === "review") {
    turn.effects.push({ kind: "restore", job: job.facts });
    return working(replaceJob(work, { ...ended, stage: "restore" }));
  }
  turn.effects.push({ kind: "snapshot", job: job.facts });
  return working(replaceJob(work, { ...ended, stage: "snapshot" }));
}

function onCommitted(work: Work, event: Of<"committed">, turn: Turn): State {
  const job = jobOf(work, event);
  expectStage(job, "settle", event);
  const seen = takeOutcome(work, event, job, turn);
  return afterSettle(seen, job, turn);
}

/** The backlog is settled: the hooks, and what the verdict means for the run. */
function afterSettle(work: Work, job: Job, turn: Turn): State {
  turn.because = { rule: "settled", why: job.verdict?.kind ?? "" };
  if (job.facts.phase === "review") return afterHooks(countReview(work, job, turn), job, turn);
  if (drops(job.verdict)) return afterHooks(dropAgent(work, job, turn), job, turn);
  if (!work.rules.apply_summary) return afterHooks(judgeByRow(work, job), job, turn);
  return afterHooks(work, job, turn);
}

/** Where the runner applies no summaries, the row says what came of the attempt. */
function judgeByRow(work: Work, job: Job): Work {
  const row = job.facts.task_id === undefined ? undefined : work.index.get(job.facts.task_id);
  if (row?.status !== "blocked") return work;
  return { ...work, final: new Set([...work.final, row.id]) };
}

function countReview(work: Work, job: Job, turn: Turn): Work {
  const { reviews } = work;
  if (job.verdict?.kind !== "reviewed") {
    const reason =
      job.verdict?.kind === "failed"
        ? job.verdict
        : { reason: "interrupted", evidence: "the run was stopped" };
    const failed = reviews.failed + 1;
    turn.notes.push({
      type: "attempt_failed",
      ...job.facts,
      reason: reason.reason,
      evidence: reason.evidence,
      next: failed < 2 ? "retry" : "end",
    });
    return { ...work, reviews: { ...reviews, failed } };
  }
  if (job.verdict.added > 0)
    return { ...work, reviews: { added: reviews.added + 1, failed: 0, clean: false } };
  return { ...work, reviews: { ...reviews, failed: 0, clean: true } };
}

/** An agent that is not there is no attempt's fault: the task is left for the next one scheduled. */
function dropAgent(work: Work, job: Job, turn: Turn): Work {
  const { agent } = job.facts;
  const dropped = new Set([...work.dropped, agent]);
  const end = job.verdict?.kind === "failed" ? job.verdict : undefined;
  const message = `${agent}: ${end?.evidence ?? "cannot be used"}`;
  turn.notes.push({ type: "warning", ...job.facts, message: `${message}; it is left out from now on` });
  const left = work.rules.agent === undefined && work.rules.schedule.some((name) => !dropped.has(name));
  const unclaimed = unclaim({ ...work, dropped }, job);
  return left ? unclaimed : { ...unclaimed, closing: { ending: "environment", message } };
}

function afterHooks(work: Work, job: Job, turn: Turn): State {
  const after =
    work.stopping >= 2 || job.verdict?.kind === "interrupted" ? undefined : startAfter(job, work.rules, turn);
  if (after !== undefined) return working(replaceJob(work, after));
  return endJob(work, job, turn);
}

function endJob(work: Work, job: Job, turn: Turn): State {
  const { delay_ms } = work.rules;
  const rest = dropJob(work, job);
  return goOn(delay_ms > 0 ? { ...rest, resumeAt: turn.at + delay_ms } : rest, turn);
}

function onFailed(work: Work, event: Of<"effect_failed">, turn: Turn): State {
  turn.because = { rule: "effect-failed", why: event.effect };
  if (event.effect === "commit" && event.job !== undefined) {
    return working(settleUncommitted(work, jobOf(work, event), said(event), turn));
  }
  // Nothing can be relied on any more: what is still under way is ended, then the run.
  const closing = { ending: "environment" as const, message: said(event) };
  const left = event.job === undefined ? { ...work, looking: false } : dropJob(work, jobOf(work, event));
  for (const job of left.jobs) {
    if (job.stage === "agent") turn.effects.push({ kind: "stop", job: job.facts, how: "now" });
  }
  return goOn({ ...left, closing: work.closing ?? closing }, turn);
}

function onInterrupted(work: Work, event: Of<"run_interrupted">, turn: Turn): State {
  const heeded = heed(work, event);
  turn.because = { rule: "interrupted", why: event.signal };
  if (heeded.stopping === 3) return closeAtOnce(heeded, turn);
  if (heeded.stopping === 2 && work.stopping < 2) {
    for (const job of heeded.jobs) {
      if (job.stage === "agent" || job.stage === "before" || job.stage === "after") {
        turn.effects.push({ kind: "stop", job: job.facts, how: "now" });
      }
    }
  }
  return goOn(heeded, turn);
}
