// Handles the events of jobs while there is a backlog. Pure.
// choose-job.ts chooses the next job, jobs.ts has the activities of each; the other files of job/ decide about one activity each.
import { isOfTheDisk } from "../../system/errors.js";
import type { EventOf, Sealed, StepEvent } from "../../logging/events/events.js";
import { addUsage, NOTHING_SPENT, reportSpending } from "./job/spending.js";
import { endReleased, mayRestore, startDueEdit, takeStoreResult } from "./edits.js";
import { closeAtOnce } from "./ending.js";
import { choose, hasOther, startNext } from "./choose-job.js";
import {
  dropJob,
  enter,
  findJob,
  hasWork,
  isVisit,
  kindOf,
  listEarlier,
  onlyReads,
  replaceJob,
  startAfter,
  startAgent,
  startBefore,
  startNextHook,
  stopJobs,
  uncount,
} from "./jobs.js";
import { startCheckpoint, takeCheckpoint } from "./job/checkpoint-and-ends.js";
import { releaseJob, takeGate, takeRestored, takeUncommitted, weigh, weighRow } from "./job/weigh.js";
import { endBackoff } from "./schedule/backoff.js";
import { canContinueWithout } from "./schedule/schedule.js";
import { weighAgent } from "./schedule/suspect.js";
import { reportRedChecks } from "./preflight.js";
import type { Job, RunState, Work } from "./state.js";
import { applySignal, type Decision, describeFailure } from "./decision.js";
import { leaveQuestion, onPersonAsked, takeMovedRows } from "./job/questions.js";
import { takeMoved, takeSaved } from "./job/settle.js";
import { describeSkipped } from "../../agents/failure-words.js";
import { findSpared } from "./job/judge-report.js";
import { type Activity, isReader } from "../../workflow/stage-kinds.js";

/** The activities in which a process runs for a job. */
const RUNNING: readonly Activity[] = ["baseline", "before", "agent", "gate", "after"];

/** Handles an event while the run is working. Where only jobs in progress continue, an edit that is due comes next. */
export function stepWork(work: Work, event: Sealed<StepEvent>, decision: Decision): RunState {
  const next = handle(work, event, decision);
  return "phase" in next ? next : (startDueEdit(next, decision) ?? { phase: "working", work: next });
}

/** The next state, or the work with which the jobs in progress continue. */
function handle(work: Work, event: Sealed<StepEvent>, decision: Decision): Work | RunState {
  switch (event.type) {
    case "backlog_changed":
      return event.job === undefined ? onReread(work, event, decision) : onChanged(work, event, decision);
    case "checkpoint":
      return onCheckpoint(work, findJob(work, event, "checkpoint"), event, decision);
    case "baseline_finished":
      return onBaseline(work, findJob(work, event, "baseline"), event, decision);
    case "hook_finished":
      decision.because = { rule: "hook-finished", why: event.outcome };
      return onHook(work, event, decision);
    case "agent_finished":
      return onAgent(work, findJob(work, event, "agent"), event, decision);
    case "snapshot":
      return onSnapshot(work, findJob(work, event, "snapshot"), event, decision);
    case "gate_finished": {
      const job = findJob(work, event, "gate");
      return job.released === true ? releaseJob(work, job, decision) : takeGate(work, job, event, decision);
    }
    case "restored": {
      const found = findJob(work, event, "restore", "aside");
      if (!isReader(kindOf(found.route))) return takeRestored(work, found, event, decision);
      const seen = suspect(work, found, event.paths.length);
      return takeRestored(seen.work, seen.job, event, decision);
    }
    case "work_saved":
      return takeSaved(work, findJob(work, event, "save"), event, decision);
    case "committed":
      return onCommitted(work, findJob(work, event, "commit"), event, decision);
    case "effect_failed":
      decision.because = { rule: "effect-failed", why: event.effect };
      return onFailed(work, event, decision);
    case "run_interrupted":
      return onInterrupted(work, event, decision);
    case "woke":
      decision.because = { rule: "woke" };
      return startNext(work, decision);
    case "edited":
      // A command edited the task file: the run reads it again, and ends the attempts that the edit ends.
      decision.because = { rule: "edited" };
      return startNext({ ...work, unread: true }, decision);
    case "stop_sent":
      decision.because = { rule: "noted" };
      return work;
    case "person_asked":
      return startNext(onPersonAsked(work, event, decision), decision);
    case "agent_picked": {
      // L3: the backlog may have changed meanwhile, so the task is selected again.
      const { task_id: id, iteration, agent } = event;
      decision.because = { rule: "agent-picked", picked: id, why: agent };
      return startNext({ ...work, pick: { id, iteration, agent } }, decision);
    }
    default:
      throw new Error(`${event.type} came while the run was at work`);
  }
}

/** Ends a job whose task a person edited, before its agent has ended. */
function release(work: Work, job: Job, decision: Decision): Work {
  if (!hasWork(job.route)) return releaseJob(work, job, decision);
  // The restore comes after the snapshot.
  decision.effects.push({ kind: "snapshot", job: job.facts });
  return replaceJob(work, enter({ ...job, hooks: [] }, "snapshot"));
}

function onReread(work: Work, event: EventOf<"backlog_changed">, decision: Decision): RunState {
  if (!work.rereading) throw new Error("backlog_changed came without a request");
  decision.because = { rule: "looked" };
  const changed = takeStoreResult({ ...work, rereading: false }, event, undefined, decision);
  const seen = work.moving === undefined ? changed : takeMovedRows(changed, event.refused, decision);
  return seen.jobs.length < seen.rules.workers ? choose(seen, decision) : startNext(seen, decision);
}

function onChanged(work: Work, event: EventOf<"backlog_changed">, decision: Decision): Work | RunState {
  const seen = takeStoreResult(work, event, findJob(work, event), decision);
  const job = findJob(seen, event, "claim", "reread", "settle");
  if (job.activity === "settle")
    return continueAfterSettle(seen, countAdded(seen, job, event), event.refused, decision);
  if (job.activity === "reread")
    return job.released === true ? releaseJob(seen, job, decision) : weighRow(seen, job, decision);
  if (event.refused.length > 0) {
    decision.because = { rule: "claim-refused", why: event.refused[0]?.why ?? "" };
    return dropUnstarted(seen, job, decision);
  }
  decision.because = { rule: "claimed" };
  if (!mayStart(seen, job)) return dropUnstarted(seen, job, decision);
  return startNext(startCheckpoint(seen, job, decision), decision);
}

/** Counts the tasks a review added, in its summary or directly in the task file. */
function countAdded({ rules }: Work, job: Job, event: EventOf<"backlog_changed">): Job {
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

function onCheckpoint(
  work: Work,
  job: Job,
  event: EventOf<"checkpoint">,
  decision: Decision,
): Work | RunState {
  decision.because = { rule: event.reused ? "checkpoint-kept" : "checkpoint-made" };
  if (job.released === true) return release(work, job, decision);
  if (job.route !== "shelve" && !mayStart(work, job)) return dropUnstarted(work, job, decision);
  return takeCheckpoint(work, job, event, decision);
}

function onBaseline(
  work: Work,
  job: Job,
  event: EventOf<"baseline_finished">,
  decision: Decision,
): Work | RunState {
  decision.because = { rule: `baseline-${event.outcome}` };
  if (job.released === true) return release(work, job, decision);
  const next = { ...work, reportedChecks: reportRedChecks(event, work.reportedChecks, decision) };
  if (event.outcome === "interrupted" || !mayStart(next, job)) return dropUnstarted(next, job, decision);
  return replaceJob(next, startBefore(job, next, listEarlier(next, job), decision));
}

function onHook(
  work: Work,
  event: EventOf<"hook_finished" | "effect_failed">,
  decision: Decision,
): Work | RunState {
  const job = findJob(work, event, "before", "after");
  if (job.activity === "before") {
    if (job.released === true) return release(work, job, decision);
    if (!mayStart(work, job)) return dropUnstarted(work, job, decision);
    const next = startNextHook(job, decision) ?? startAgent(job, work, listEarlier(work, job), decision);
    return replaceJob(work, next);
  }
  const next = work.stopping >= 2 ? undefined : startNextHook(job, decision);
  return next === undefined ? endJob(work, job, decision) : replaceJob(work, next);
}

function onAgent(work: Work, job: Job, event: EventOf<"agent_finished">, decision: Decision): Work {
  decision.because = { rule: "agent-finished", why: event.reason ?? event.outcome };
  const after = onlyReads(job.route) ? "restore" : "snapshot";
  decision.effects.push({ kind: after, job: job.facts });
  const backoffs = event.outcome === "ok" ? endBackoff(work.backoffs, job.facts.agent) : work.backoffs;
  const charged = charge(work, event);
  decision.notes.push(...reportSpending(work, charged, event));
  return replaceJob({ ...charged, backoffs }, { ...enter(job, after), end: event });
}

/** L12: what the end of an agent that changed nothing says of it. The work in the tree is of earlier attempts, where there were any. */
function suspect(work: Work, found: Job, changed: number): { work: Work; job: Job } {
  const { from, route } = found;
  const isEarlier = from === "doing" && hasWork(route) && (isVisit(route) || mayRestore(work));
  const job: Job = changed > 0 && isEarlier ? { ...found, leavesWork: true } : found;
  const worked = changed > 0 && !isEarlier;
  const { suspects, held, failed } = weighAgent(work, job, { worked, hasOther: hasOther(work, job) });
  const all = held === undefined ? work.held : new Set([...(work.held ?? []), held]);
  return { work: { ...work, suspects, held: all }, job: { ...job, failed } };
}

function charge(work: Work, event: EventOf<"agent_finished">): Work {
  const { task_id: id } = event;
  const spent = addUsage(work.spent, event);
  if (id === undefined) return { ...work, spent };
  const before = work.spentOn.get(id) ?? NOTHING_SPENT;
  const { tokens, usd } = addUsage({ ...NOTHING_SPENT, ...before }, event);
  if (tokens === before.tokens && usd === before.usd) return { ...work, spent };
  return { ...work, spent, spentOn: work.spentOn.with(id, { tokens, usd }) };
}

function onSnapshot(before: Work, found: Job, event: EventOf<"snapshot">, decision: Decision): Work {
  const { work, job } = suspect(before, found, event.changed);
  for (const message of event.warnings) decision.warn(message, job.facts);
  if (event.head === "put-back")
    decision.warn(
      "the agent made commits: they stay off the branch, and the run makes the task's commit itself",
      job.facts,
    );
  if (job.released === true) return releaseJob(work, job, decision);
  return weigh(work, job, event, decision);
}

function onCommitted(work: Work, job: Job, event: EventOf<"committed">, decision: Decision): Work | RunState {
  const seen = takeStoreResult(work, event, job, decision);
  // L2: a task that is not in progress any more was not finished, and has no commit.
  const isFinished = !event.refused.some(({ op, id }) => op === "finish" && id === job.facts.task_id);
  return isFinished ? continueAfterSettle(seen, job, [], decision) : releaseJob(seen, job, decision);
}

function onFailed(work: Work, event: EventOf<"effect_failed">, decision: Decision): Work | RunState {
  const message = describeFailure(event);
  switch (event.effect) {
    case "stop":
    case "run-hook":
      // A failed hook changes nothing (docs/notifications.md). A process that the stop did not reach ends by itself, or at the sweep.
      decision.warn(`${event.effect}: ${message}`);
      return event.effect === "stop" ? work : onHook(work, event, decision);
    case "commit":
      // Contract: an effect named `commit` failed before the backlog was written; after that it is named `publish`, and the
      // next start finishes it. A full disk is not a failed attempt: the task stays in progress, and its work in the tree.
      if (!work.rules.apply_summary || work.closing?.broken === true || isOfTheDisk(event.error)) break;
      return takeUncommitted(work, findJob(work, event), message, decision);
    case "ask-person":
      decision.warn(`${event.effect}: ${message}`);
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

function onInterrupted(work: Work, event: EventOf<"run_interrupted">, decision: Decision): Work | RunState {
  const signalled = applySignal(work, event);
  decision.because = { rule: signalled === work ? "signal-ignored" : "interrupted", why: event.signal };
  if (signalled === work) return work;
  if (signalled.stopping < 3)
    return startNext(signalled.stopping === 2 ? stopJobs(signalled, RUNNING, decision) : signalled, decision);
  for (const job of signalled.jobs) {
    if (RUNNING.includes(job.activity)) decision.effects.push({ kind: "stop", job: job.facts, how: "kill" });
  }
  return closeAtOnce(signalled, decision);
}

/** Continues once the backlog holds the result of a job: counts reviews, drops an agent that cannot be used, then starts the hooks. */
function continueAfterSettle(
  settled: Work,
  job: Job,
  refused: readonly { op: string; id?: string | undefined }[],
  decision: Decision,
): RunState {
  const { task_id: id } = job.facts;
  const isTaken = id !== undefined && refused.some((one) => one.id === id && one.op !== "advance");
  const seen =
    job.final === true && id !== undefined && !isTaken
      ? { ...settled, final: settled.final.with(id, true) }
      : settled;
  const work = takeMoved(seen, job, refused, decision);
  decision.because = { rule: "settled", why: job.verdict?.kind ?? "" };
  // L16: a person took the task from the job before its result was written: the edit counts.
  if (isTaken && !isVisit(job.route)) return startNext(endReleased(work, job), decision);
  if (job.released === true) return startNext(endReleased(work, job), decision);
  // L17: this does not count as an attempt, so no hook runs for it.
  if (findSpared(job.verdict) === "wait" || job.verdict?.kind === "held")
    return startNext(uncount(dropJob(work, job), job), decision);
  const then =
    findSpared(job.verdict) === "drop-agent"
      ? dropAgent(work, job, decision)
      : job.facts.phase === "review"
        ? countReview(work, job, decision)
        : work;
  const silent = then.stopping >= 2 || job.verdict?.kind === "interrupted";
  const after = silent ? undefined : startAfter(job, then.rules, decision);
  if (after !== undefined) return { phase: "working", work: replaceJob(then, after) };
  return endJob(then, job, decision);
}

/** Ends the job; the next one waits for the delay, if one is set. */
function endJob(work: Work, job: Job, decision: Decision): RunState {
  const { delay_ms } = work.rules;
  const rest = dropJob(work, job);
  return startNext(delay_ms > 0 ? { ...rest, resumeAt: decision.at + delay_ms } : rest, decision);
}

function countReview(work: Work, job: Job, decision: Decision): Work {
  const { reviews } = work;
  const { verdict } = job;
  if (verdict?.kind === "failed") {
    const failed = reviews.failed + 1;
    const { reason, evidence } = verdict;
    const next = failed < 2 && findSpared(verdict, job.end) !== "end" ? "retry" : "end";
    decision.notes.push({ type: "attempt_failed", ...job.facts, reason, evidence, next });
    return { ...work, reviews: { ...reviews, failed } };
  }
  if (verdict?.kind !== "reviewed") return work;
  return verdict.added > 0
    ? { ...work, reviews: { added: reviews.added + 1, failed: 0, clean: false } }
    : { ...work, reviews: { ...reviews, failed: 0, clean: true } };
}

/** Drops an agent that cannot be used. The attempt does not count; the next agent in the schedule takes the task. */
function dropAgent(work: Work, job: Job, decision: Decision): Work {
  const { agent } = job.facts;
  const dropped = new Set([...work.dropped, agent]);
  const end = job.verdict?.kind === "failed" ? job.verdict : { evidence: "cannot be used" };
  decision.warn(describeSkipped(agent, end), job.facts);
  const left = uncount({ ...work, dropped }, job);
  if (canContinueWithout(work.rules, dropped)) return left;
  return {
    ...left,
    closing: work.closing ?? { ending: "environment", message: `${agent}: ${end.evidence}` },
  };
}
