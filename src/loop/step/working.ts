// Handles the events of jobs while there is a backlog. Pure.
// choose.ts chooses the next job, job/routes.ts has the activities of each; the other files of job/ decide about one activity each.
import { isOfTheDisk } from "../../system/errors.js";
import { given } from "../../system/given.js";
import { never } from "../../system/never.js";
import type { Sealed, StepEvent } from "../../logging/events/events.js";
import { NOTHING_SPENT, reportSpending, addUsage } from "./job/spending.js";
import { mayRestore, noteEdited, snapshotReleased, startDueEdit, takeStoreResult } from "./edits.js";
import { closeAtOnce } from "./ending.js";
import { choose, hasOther, startNext } from "./choose.js";
import { expectActivity, startNextHook, startAgent, startBefore } from "./job/job.js";
import { enter, hasWork, onlyReads } from "./job/routes.js";
import { startCheckpoint, takeCheckpoint } from "./job/checkpoint.js";
import { takeGate } from "./job/gate.js";
import { dropJob, findJob, listEarlier, replaceJob, stopJobs, uncount } from "./jobs.js";
import { endBackoff } from "./schedule/backoff.js";
import { weighAgent } from "./schedule/suspect.js";
import { reportRedChecks } from "./preflight.js";
import { continueAfterSettle, endJob } from "./job/after-settle.js";
import type { Job, Activity, RunState, Work } from "./state.js";
import { applySignal, describeFailure, type Decision } from "./decision.js";
import { leaveQuestion, onPersonAsked, takeMovedRows } from "./job/questions.js";
import { takeSaved } from "./job/visit.js";
import {
  releaseJob,
  takeRestored,
  takeUncommitted,
  weighAttempt,
  weighRow,
  weighStage,
} from "./job/weigh.js";

type Of<T extends StepEvent["type"]> = Extract<StepEvent, { type: T }>;

/** The activities in which a process runs for a job. */
const RUNNING: readonly Activity[] = ["baseline", "before", "agent", "gate", "after"];

/** Handles an event while the run is working. */
export function stepWork(work: Work, event: Sealed<StepEvent>, decision: Decision): RunState {
  switch (event.type) {
    case "backlog_changed":
      return event.job === undefined ? onReread(work, event, decision) : onChanged(work, event, decision);
    case "checkpoint":
      return onCheckpoint(work, event, decision);
    case "baseline_finished":
      return onBaseline(work, event, decision);
    case "hook_finished":
      decision.because = { rule: "hook-finished", why: event.outcome };
      return onHook(work, event, decision);
    case "agent_finished":
      return onAgent(work, event, decision);
    case "snapshot":
      return onSnapshot(work, event, decision);
    case "gate_finished":
      return stayAtWork(onGate(work, event, decision), decision);
    case "restored":
      return stayAtWork(onRestored(work, event, decision), decision);
    case "committed":
      return onCommitted(work, event, decision);
    case "effect_failed":
      decision.because = { rule: "effect-failed", why: event.effect };
      return onFailed(work, event, decision);
    case "run_interrupted":
      return onInterrupted(work, event, decision);
    case "woke":
      decision.because = { rule: "woke" };
      return startNext(work, decision);
    case "edited":
      return startNext(noteEdited(work, decision), decision);
    case "stop_sent":
      decision.because = { rule: "noted" };
      return stayAtWork(work, decision);
    case "work_saved":
      return stayAtWork(onSaved(work, event, decision), decision);
    case "person_asked":
      return startNext(onPersonAsked(work, event, decision), decision);
    case "agent_picked":
      return onPicked(work, event, decision);
    case "run_started":
    case "recovered":
    case "preflight_finished":
    case "backlog_read":
    case "backlog_invalid":
    case "answered":
    case "adopted":
    case "run_ended":
      throw new Error(`${event.type} came while the run was at work`);
    default:
      return never(event);
  }
}

/** Continues with the jobs in progress, or with an edit that is due. */
function stayAtWork(work: Work, decision: Decision): RunState {
  return startDueEdit(work, decision) ?? { phase: "working", work };
}

/** L3: the backlog may have changed meanwhile, so the task is selected again. */
function onPicked(work: Work, event: Of<"agent_picked">, decision: Decision): RunState {
  const { task_id: id, iteration, agent } = event;
  decision.because = { rule: "agent-picked", picked: id, why: agent };
  return startNext({ ...work, pick: { id, iteration, agent } }, decision);
}

function onGate(work: Work, event: Of<"gate_finished">, decision: Decision): Work {
  const job = findJob(work, event);
  expectActivity(job, "gate", event);
  return job.released === true ? releaseJob(work, job, decision) : takeGate(work, job, event, decision);
}

function onRestored(work: Work, event: Of<"restored">, decision: Decision): Work {
  const job = findJob(work, event);
  expectActivity(job, job.activity === "aside" ? "aside" : "restore", event);
  if (job.route !== "analyze") return takeRestored(work, job, event, decision);
  const seen = suspect(work, job, event.paths.length);
  return takeRestored(seen.work, seen.job, event, decision);
}

function onSaved(work: Work, event: Of<"work_saved">, decision: Decision): Work {
  const job = findJob(work, event);
  expectActivity(job, "save", event);
  return takeSaved(work, job, event, decision);
}

/** Ends a job whose task a person edited, before its agent has ended. */
function release(work: Work, job: Job, decision: Decision): RunState {
  return hasWork(job.route)
    ? snapshotReleased(work, job, decision)
    : stayAtWork(releaseJob(work, job, decision), decision);
}

function onReread(work: Work, event: Of<"backlog_changed">, decision: Decision): RunState {
  if (!work.rereading) throw new Error("backlog_changed came without a request");
  decision.because = { rule: "looked" };
  const changed = takeStoreResult({ ...work, rereading: false }, event, undefined, decision);
  const seen = work.moving === undefined ? changed : takeMovedRows(changed, event.refused, decision);
  return seen.jobs.length < seen.rules.workers ? choose(seen, decision) : startNext(seen, decision);
}

function onChanged(work: Work, event: Of<"backlog_changed">, decision: Decision): RunState {
  const seen = takeStoreResult(work, event, findJob(work, event), decision);
  const job = findJob(seen, event);
  if (job.activity === "settle")
    return continueAfterSettle(seen, countAdded(seen, job, event), event.refused, decision);
  if (job.activity === "reread")
    return stayAtWork(
      job.released === true ? releaseJob(seen, job, decision) : weighRow(seen, job, decision),
      decision,
    );
  expectActivity(job, "claim", event);
  if (event.refused.length > 0) {
    decision.because = { rule: "claim-refused", why: event.refused[0]?.why ?? "" };
    return dropUnstarted(seen, job, decision);
  }
  decision.because = { rule: "claimed" };
  if (!mayStart(seen, job)) return dropUnstarted(seen, job, decision);
  return startNext(startCheckpoint(seen, job, decision), decision);
}

/** Counts the tasks a review added, in its summary or directly in the task file. */
function countAdded({ rules }: Work, job: Job, event: Of<"backlog_changed">): Job {
  if (job.verdict?.kind !== "reviewed") return job;
  const applied = event.updated.filter((one) => one.from === undefined && one.to === "todo").length;
  const added = (rules.apply_summary ? applied : 0) + (event.edits?.added.length ?? 0);
  return { ...job, verdict: { kind: "reviewed", added } };
}

/** L8: a job may start its agent only while the run continues and the agent was not dropped meanwhile. */
function mayStart(work: Work, job: Job): boolean {
  return work.stopping === 0 && work.closing === undefined && !work.dropped.has(job.facts.agent);
}

/** Drops a job before its agent started. It does not count as an attempt, and its task is unchanged. */
function dropUnstarted(work: Work, job: Job, decision: Decision): RunState {
  return startNext(uncount(dropJob(work, job), job), decision);
}

function onCheckpoint(work: Work, event: Of<"checkpoint">, decision: Decision): RunState {
  const job = findJob(work, event);
  expectActivity(job, "checkpoint", event);
  decision.because = { rule: event.reused ? "checkpoint-kept" : "checkpoint-made" };
  if (job.released === true) return release(work, job, decision);
  if (job.route !== "shelve" && !mayStart(work, job)) return dropUnstarted(work, job, decision);
  return stayAtWork(takeCheckpoint(work, job, event, decision), decision);
}

function onBaseline(work: Work, event: Of<"baseline_finished">, decision: Decision): RunState {
  const job = findJob(work, event);
  expectActivity(job, "baseline", event);
  decision.because = { rule: `baseline-${event.outcome}` };
  if (job.released === true) return release(work, job, decision);
  const next = { ...work, reportedChecks: reportRedChecks(event, work.reportedChecks, decision) };
  if (event.outcome === "interrupted" || !mayStart(next, job)) return dropUnstarted(next, job, decision);
  return stayAtWork(replaceJob(next, startBefore(job, next, listEarlier(next, job), decision)), decision);
}

function onHook(work: Work, event: Of<"hook_finished" | "effect_failed">, decision: Decision): RunState {
  const job = findJob(work, event);
  if (job.activity === "before") {
    if (job.released === true) return release(work, job, decision);
    if (!mayStart(work, job)) return dropUnstarted(work, job, decision);
    return stayAtWork(
      replaceJob(
        work,
        startNextHook(job, decision) ?? startAgent(job, work, listEarlier(work, job), decision),
      ),
      decision,
    );
  }
  expectActivity(job, "after", event);
  const next = work.stopping >= 2 ? undefined : startNextHook(job, decision);
  return next === undefined ? endJob(work, job, decision) : stayAtWork(replaceJob(work, next), decision);
}

function onAgent(work: Work, event: Of<"agent_finished">, decision: Decision): RunState {
  const job = findJob(work, event);
  expectActivity(job, "agent", event);
  decision.because = { rule: "agent-finished", why: event.reason ?? event.outcome };
  const after = onlyReads(job.route) ? "restore" : "snapshot";
  decision.effects.push({ kind: after, job: job.facts });
  const backoffs = event.outcome === "ok" ? endBackoff(work.backoffs, job.facts.agent) : work.backoffs;
  const charged = charge(work, event);
  decision.notes.push(...reportSpending(work, charged, event));
  return stayAtWork(replaceJob({ ...charged, backoffs }, { ...enter(job, after), end: event }), decision);
}

/** L12: what the end of an agent that changed nothing says of it. The work in the tree is of earlier attempts, where there were any. */
function suspect(work: Work, found: Job, changed: number): { work: Work; job: Job } {
  const { from, route } = found;
  const isEarlier = from === "doing" && (route === "work" || (route === "attempt" && mayRestore(work)));
  const job: Job = changed > 0 && isEarlier ? { ...found, leavesWork: true } : found;
  const worked = changed > 0 && !isEarlier;
  const { suspects, held, failed } = weighAgent(work, job, { worked, hasOther: hasOther(work, job) });
  const seen = {
    ...work,
    suspects,
    ...(held === undefined ? {} : { held: new Set([...(work.held ?? []), held]) }),
  };
  return { work: seen, job: { ...job, ...given({ failed }) } };
}

function charge(work: Work, event: Of<"agent_finished">): Work {
  const { task_id: id } = event;
  const spent = addUsage(work.spent, event);
  if (id === undefined) return { ...work, spent };
  const before = work.spentOn.get(id) ?? NOTHING_SPENT;
  const { tokens, usd } = addUsage({ ...NOTHING_SPENT, ...before }, event);
  if (tokens === before.tokens && usd === before.usd) return { ...work, spent };
  return { ...work, spent, spentOn: work.spentOn.with(id, { tokens, usd }) };
}

function onSnapshot(before: Work, event: Of<"snapshot">, decision: Decision): RunState {
  const found = findJob(before, event);
  expectActivity(found, "snapshot", event);
  const { work, job } = suspect(before, found, event.changed);
  for (const message of event.warnings) decision.notes.push({ type: "warning", ...job.facts, message });
  if (event.head === "put-back") {
    const message =
      "the agent made commits: they stay off the branch, and the run makes the task's commit itself";
    decision.notes.push({ type: "warning", ...job.facts, message });
  }
  if (job.released === true) return stayAtWork(releaseJob(work, job, decision), decision);
  const weigh = job.route === "work" ? weighStage : weighAttempt;
  return stayAtWork(weigh(work, job, event, decision), decision);
}

function onCommitted(work: Work, event: Of<"committed">, decision: Decision): RunState {
  const job = findJob(work, event);
  expectActivity(job, "commit", event);
  const seen = takeStoreResult(work, event, job, decision);
  // L2: a task that is not in progress any more was not finished, and has no commit.
  const isFinished = !event.refused.some(({ op, id }) => op === "finish" && id === job.facts.task_id);
  return isFinished
    ? continueAfterSettle(seen, job, [], decision)
    : stayAtWork(releaseJob(seen, job, decision), decision);
}

function onFailed(work: Work, event: Of<"effect_failed">, decision: Decision): RunState {
  const message = describeFailure(event);
  switch (event.effect) {
    case "stop":
    case "run-hook":
      // A failed hook changes nothing (docs/notifications.md). A process that the stop did not reach ends by itself, or at the sweep.
      decision.notes.push({ type: "warning", message: `${event.effect}: ${message}` });
      return event.effect === "stop" ? stayAtWork(work, decision) : onHook(work, event, decision);
    case "commit":
      // Contract: an effect named `commit` failed before the backlog was written; after that it is named `publish`, and the
      // next start finishes it. A full disk is not a failed attempt: the task stays in progress, and its work in the tree.
      if (!work.rules.apply_summary || work.closing?.broken === true || isOfTheDisk(event.error)) break;
      return onUncommitted(work, findJob(work, event), message, decision);
    case "ask-person":
      decision.notes.push({ type: "warning", message: `${event.effect}: ${message}` });
      return startNext(leaveQuestion(work), decision);
    case "pick-agent": {
      // Nothing is claimed: the run ends, and the next one tries again.
      const closing = { ending: "environment" as const, message, ...work.closing };
      return startNext({ ...work, pick: undefined, closing }, decision);
    }
    default:
      break;
  }
  // The environment cannot be relied on any more: running agents are stopped, then the run ends.
  const left = event.job === undefined ? { ...work, rereading: false } : dropJob(work, findJob(work, event));
  const closing = { ending: "environment" as const, message, ...work.closing, broken: true as const };
  return startNext({ ...stopJobs(left, ["agent"], decision), closing }, decision);
}

function onUncommitted(work: Work, job: Job, message: string, decision: Decision): RunState {
  const end =
    job.released === true ? releaseJob(work, job, decision) : takeUncommitted(work, job, message, decision);
  return stayAtWork(end, decision);
}

function onInterrupted(work: Work, event: Of<"run_interrupted">, decision: Decision): RunState {
  const signalled = applySignal(work, event);
  decision.because = { rule: signalled === work ? "signal-ignored" : "interrupted", why: event.signal };
  if (signalled === work) return stayAtWork(work, decision);
  if (signalled.stopping < 3)
    return startNext(signalled.stopping === 2 ? stopJobs(signalled, RUNNING, decision) : signalled, decision);
  for (const job of signalled.jobs) {
    if (RUNNING.includes(job.activity)) decision.effects.push({ kind: "stop", job: job.facts, how: "kill" });
  }
  return closeAtOnce(signalled, decision);
}
