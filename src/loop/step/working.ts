// While there is a backlog: what a job's events lead to. Pure.
// Leaves which job comes next to choose.ts, a job's own stages to job.ts, settling an attempt to settle.ts and after-settle.ts.
import { isOfTheDisk } from "../../system/errors.js";
import { never } from "../../system/never.js";
import type { Sealed, StepEvent } from "../../logging/events.js";
import { listSome } from "../../system/text/cut.js";
import { NOTHING_SPENT, sayOfSpending, spend } from "./spending.js";
import { answerEdit, askFor, lookAtReleased, takeChanged } from "./asked-edits.js";
import { closeAtOnce } from "./ending.js";
import { choose, goOn } from "./choose.js";
import { enter, expectStage, nextHook, startAgent, startBaseline, startBefore } from "./job.js";
import { dropJob, jobOf, replaceJob, stopJobs, uncount } from "./jobs.js";
import { judgeAttempt, judgeReview } from "./verdict.js";
import { unpause } from "./backoff.js";
import { nameRedChecks } from "./preflight.js";
import { settleReview } from "./settle.js";
import { afterSettle, endJob } from "./after-settle.js";
import type { Job, Stage, State, Verdict, Work } from "./state.js";
import { heed, said, type Turn } from "./decision.js";
import { release, takeGate, takeRestored, takeUncommitted, weighAttempt, weighRow } from "./weigh.js";

type Of<T extends StepEvent["type"]> = Extract<StepEvent, { type: T }>;

/** The stages in which a process runs for a job. */
const RUNNING: readonly Stage[] = ["baseline", "before", "agent", "gate", "after"];

/** What follows from an event while the run is at work. */
export function stepWork(work: Work, event: Sealed<StepEvent>, turn: Turn): State {
  switch (event.type) {
    case "backlog_changed":
      return event.job === undefined ? onLook(work, event, turn) : onChanged(work, event, turn);
    case "checkpoint":
      return onCheckpoint(work, event, turn);
    case "baseline_finished":
      return onBaseline(work, event, turn);
    case "hook_finished":
      turn.because = { rule: "hook-finished", why: event.outcome };
      return onHook(work, event, turn);
    case "agent_finished":
      return onAgent(work, event, turn);
    case "snapshot":
      return onSnapshot(work, event, turn);
    case "gate_finished": {
      const job = jobOf(work, event);
      expectStage(job, "gate", event);
      return working(job.released === true ? release(work, job, turn) : takeGate(work, job, event, turn));
    }
    case "restored": {
      const job = jobOf(work, event);
      expectStage(job, "restore", event);
      if (job.facts.phase !== "review") return working(takeRestored(work, job, event, turn));
      sayPutBack(job, event, turn);
      return working(settleReview(work, job, judgeReview(job), turn));
    }
    case "committed":
      return onCommitted(work, event, turn);
    case "effect_failed":
      turn.because = { rule: "effect-failed", why: event.effect };
      return onFailed(work, event, turn);
    case "run_interrupted":
      return onInterrupted(work, event, turn);
    case "woke":
      turn.because = { rule: "woke" };
      return goOn(work, turn);
    case "edit_asked":
      return goOn(askFor(work, event, turn), turn);
    case "stop_sent":
      turn.because = { rule: "noted" };
      return working(work);
    case "run_started":
    case "recovered":
    case "preflight_finished":
    case "backlog_read":
    case "backlog_invalid":
    case "answered":
    case "adopted":
    case "release_step":
    case "run_ended":
      throw new Error(`${event.type} came while the run was at work`);
    default:
      return never(event);
  }
}

function working(work: Work): State {
  return { phase: "working", work };
}

function onLook(work: Work, event: Of<"backlog_changed">, turn: Turn): State {
  if (!work.looking) throw new Error("backlog_changed came, but nobody looked");
  turn.because = { rule: "looked" };
  const seen = takeChanged({ ...work, looking: false }, event, undefined, turn);
  return event.request === undefined ? choose(seen, turn) : goOn(answerEdit(work, seen, event, turn), turn);
}

function onChanged(work: Work, event: Of<"backlog_changed">, turn: Turn): State {
  const job = jobOf(work, event);
  const seen = takeChanged(work, event, job, turn);
  if (job.stage === "settle") return afterSettle(seen, countAdded(seen, job, event), turn);
  if (job.stage === "look")
    return working(job.released === true ? release(seen, job, turn) : weighRow(seen, job, turn));
  expectStage(job, "claim", event);
  if (event.refused.length > 0) {
    turn.because = { rule: "claim-refused", why: event.refused[0]?.why ?? "" };
    return letGo(seen, job, turn);
  }
  turn.because = { rule: "claimed" };
  if (!mayStart(seen, job)) return letGo(seen, job, turn);
  turn.effects.push({ kind: "checkpoint", job: job.facts, reuse: job.from === "doing" });
  return goOn(replaceJob(seen, enter(job, "checkpoint")), turn);
}

/** A review changes nothing: whoever changed these paths meanwhile, agent or person, is told where they are now. */
function sayPutBack(job: Job, { paths, rescue }: Of<"restored">, turn: Turn): void {
  if (paths.length === 0) return;
  const shown = listSome(paths);
  const kept = rescue === undefined ? "" : `; what was there is kept: git show ${rescue}`;
  turn.notes.push({
    type: "warning",
    ...job.facts,
    message: `changed during the review and put back: ${shown}${kept}`,
  });
}

/** How many tasks a review added: by its summary, or by hand in the task file. */
function countAdded({ rules }: Work, job: Job, event: Of<"backlog_changed">): Job {
  if (job.verdict?.kind !== "reviewed") return job;
  const applied = event.updated.filter((one) => one.from === undefined && one.to === "todo").length;
  const added = (rules.apply_summary ? applied : 0) + (event.edits?.added.length ?? 0);
  return { ...job, verdict: { kind: "reviewed", added } };
}

/** L8: a job goes on towards its agent only while the run does, and with an agent that was not dropped meanwhile. */
function mayStart(work: Work, job: Job): boolean {
  return work.stopping === 0 && work.closing === undefined && !work.dropped.has(job.facts.agent);
}

/** Gives a job up before its agent was asked: it was no attempt. Its task stays as it is. */
function letGo(work: Work, job: Job, turn: Turn): State {
  return goOn(uncount(dropJob(work, job), job), turn);
}

function onCheckpoint(work: Work, event: Of<"checkpoint">, turn: Turn): State {
  const job = jobOf(work, event);
  expectStage(job, "checkpoint", event);
  turn.because = { rule: event.reused ? "checkpoint-kept" : "checkpoint-made" };
  if (job.released === true) return lookAtReleased(work, job, turn);
  if (!mayStart(work, job)) return letGo(work, job, turn);
  const measures = work.rules.baseline && job.facts.phase === "iteration";
  const next = measures ? startBaseline(job, turn) : startBefore(job, work, earlierOf(work, job), turn);
  return working(replaceJob(work, next));
}

function onBaseline(work: Work, event: Of<"baseline_finished">, turn: Turn): State {
  const job = jobOf(work, event);
  expectStage(job, "baseline", event);
  turn.because = { rule: `baseline-${event.outcome}` };
  if (job.released === true) return lookAtReleased(work, job, turn);
  const told = { ...work, named: nameRedChecks(event, work.named, turn) };
  if (event.outcome === "interrupted" || !mayStart(told, job)) return letGo(told, job, turn);
  return working(replaceJob(told, startBefore(job, told, earlierOf(told, job), turn)));
}

function earlierOf(work: Work, job: Job): NonNullable<ReturnType<Work["earlier"]["get"]>> {
  return (job.facts.task_id === undefined ? undefined : work.earlier.get(job.facts.task_id)) ?? [];
}

function onHook(work: Work, event: Of<"hook_finished" | "effect_failed">, turn: Turn): State {
  const job = jobOf(work, event);
  if (job.stage === "before") {
    if (job.released === true) return lookAtReleased(work, job, turn);
    if (!mayStart(work, job)) return letGo(work, job, turn);
    return working(
      replaceJob(work, nextHook(job, turn) ?? startAgent(job, work, earlierOf(work, job), turn)),
    );
  }
  expectStage(job, "after", event);
  const next = work.stopping >= 2 ? undefined : nextHook(job, turn);
  return next === undefined ? endJob(work, job, turn) : working(replaceJob(work, next));
}

function onAgent(work: Work, event: Of<"agent_finished">, turn: Turn): State {
  const job = jobOf(work, event);
  expectStage(job, "agent", event);
  turn.because = { rule: "agent-finished", why: event.reason ?? event.outcome };
  const after = job.facts.phase === "review" ? "restore" : "snapshot";
  turn.effects.push({ kind: after, job: job.facts });
  const pauses = event.outcome === "ok" ? unpause(work.pauses, job.facts.agent) : work.pauses;
  const charged = charge(work, event);
  turn.notes.push(...sayOfSpending(work, charged, event));
  return working(replaceJob({ ...charged, pauses }, { ...enter(job, after), end: event }));
}

function charge(work: Work, event: Of<"agent_finished">): Work {
  const { task_id: id } = event;
  const spent = spend(work.spent, event);
  if (id === undefined) return { ...work, spent };
  const before = work.spentOn.get(id) ?? NOTHING_SPENT;
  const { tokens, usd } = spend({ ...NOTHING_SPENT, ...before }, event);
  if (tokens === before.tokens && usd === before.usd) return { ...work, spent };
  return { ...work, spent, spentOn: work.spentOn.with(id, { tokens, usd }) };
}

function onSnapshot(work: Work, event: Of<"snapshot">, turn: Turn): State {
  const job = jobOf(work, event);
  expectStage(job, "snapshot", event);
  for (const message of event.warnings) turn.notes.push({ type: "warning", ...job.facts, message });
  if (event.head === "put-back") {
    const message =
      "the agent's commits were taken off the branch, and are kept under refs/looper/rescue: the run makes the commit";
    turn.notes.push({ type: "warning", ...job.facts, message });
  }
  if (job.released === true) return working(release(work, job, turn));
  // L2: a commit begun now could take the place of one that is left for the next start to finish.
  const verdict: Verdict = work.closing?.broken === true ? { kind: "interrupted" } : judgeAttempt(job, event);
  return working(weighAttempt(work, job, verdict, turn));
}

function onCommitted(work: Work, event: Of<"committed">, turn: Turn): State {
  const job = jobOf(work, event);
  expectStage(job, "commit", event);
  const seen = takeChanged(work, event, job, turn);
  // L2: a task that is not in hand any more was not finished, and has no commit.
  const isFinished = !event.refused.some(({ op, id }) => op === "finish" && id === job.facts.task_id);
  return isFinished ? afterSettle(seen, job, turn) : working(release(seen, job, turn));
}

function onFailed(work: Work, event: Of<"effect_failed">, turn: Turn): State {
  const message = said(event);
  switch (event.effect) {
    case "stop":
    case "run-hook":
      // A hook's failure changes nothing (contract §4); whom the stop did not reach ends by itself, or at the sweep.
      turn.notes.push({ type: "warning", message: `${event.effect}: ${message}` });
      return event.effect === "stop" ? working(work) : onHook(work, event, turn);
    case "commit":
      // Contract: under this name the backlog was not written yet; later it is `publish`, which the next start finishes.
      // A disk that takes nothing more is nobody's failed attempt: the task stays in hand, its work in the tree.
      if (!work.rules.apply_summary || work.closing?.broken === true || isOfTheDisk(event.error)) break;
      return working(takeUncommitted(work, jobOf(work, event), message, turn));
    default:
      break;
  }
  // Nothing can be relied on any more: what is still under way is ended, then the run.
  const left = event.job === undefined ? { ...work, looking: false } : dropJob(work, jobOf(work, event));
  const closing = { ending: "environment" as const, message, ...work.closing, broken: true as const };
  return goOn({ ...stopJobs(left, ["agent"], turn), closing }, turn);
}

function onInterrupted(work: Work, event: Of<"run_interrupted">, turn: Turn): State {
  const heeded = heed(work, event);
  turn.because = { rule: heeded === work ? "signal-ignored" : "interrupted", why: event.signal };
  if (heeded === work) return working(work);
  if (heeded.stopping < 3)
    return goOn(heeded.stopping === 2 ? stopJobs(heeded, RUNNING, turn) : heeded, turn);
  for (const job of heeded.jobs) {
    if (RUNNING.includes(job.stage)) turn.effects.push({ kind: "stop", job: job.facts, how: "kill" });
  }
  return closeAtOnce(heeded, turn);
}
