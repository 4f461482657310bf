// The checkpoint of a job, from which it continues along its route, and the two ends of a workflow: `finish` commits the saved work,
// after the gate unless it let it pass on this base; `block` takes the work out of the tree and gives the task up. Pure.
import type { EventOf } from "../../../logging/events/events.js";
import type { Change } from "../../../todo/model/changes/change.js";
import { planEnd, planMove } from "./advance.js";
import { mayRestore } from "../edits.js";
import type { Decision } from "../decision.js";
import {
  enter,
  getTaskId,
  hasAgent,
  hasWork,
  isVisit,
  listEarlier,
  makeFailureNote,
  onlyReads,
  replaceJob,
  startBefore,
  stopJobs,
} from "../jobs.js";
import { block, commit, findTargetOf, settleStopped, shelve } from "./settle.js";
import { worthOf } from "./judge-report.js";
import { findRow, listStageBudgets } from "./stage.js";
import type { Job, Work } from "../state.js";
import { listSome } from "../../../system/text/cut.js";

/** Begins an end, with the task's work in the tree. */
function beginEnd(work: Work, job: Job, event: EventOf<"checkpoint">, decision: Decision): Work {
  const row = findRow(work, job);
  if (row === undefined) return settleStopped(work, job, decision);
  if (job.route === "give-up") return beginGiveUp(work, job, event, decision);
  const { verdict, base, complete } = row.progress;
  const isComplete = complete === true;
  if (verdict === undefined && !(isComplete && job.from === "doing"))
    return commitTask(work, isComplete ? job : { ...job, worth: "none" }, decision);
  if (verdict === "failed" && isComplete) return putAside(work, job, decision);
  // L5: what the gate let pass on this very base is committed as it is. Whether unbroken work falls short is for the gate to say.
  const isKnown = verdict === "passed" || (verdict === "unbroken" && work.rules.accept !== "verified");
  if (isKnown && base !== undefined && base === event.head && !isComplete)
    return commitTask(work, { ...job, worth: worthOf(verdict) }, decision);
  return startGate(work, job, decision);
}

/** L16: work that is left in the tree stays there with git.on_failure: keep. Work beside the tree is a rescue with either setting. */
function beginGiveUp(work: Work, job: Job, { reused }: EventOf<"checkpoint">, decision: Decision): Work {
  const stays = reused || findRow(work, job)?.progress.verdict === undefined;
  if (!mayRestore(work) && (stays || work.closing?.broken === true))
    return settleGivenUp(work, job, decision);
  return restore(work, job, "restore", decision);
}

/** Takes the work of a job out of the tree; it becomes a rescue. */
export function restore(work: Work, job: Job, activity: "restore" | "aside", decision: Decision): Work {
  decision.effects.push({ kind: "restore", job: job.facts });
  return replaceJob(work, enter(job, activity));
}

/** L16: the task is given up once its work is a rescue and the tree is put back. The row has the reasons. */
export function settleGivenUp(work: Work, job: Job, decision: Decision): Work {
  decision.because = { rule: "given-up", picked: getTaskId(job) };
  const changes = [block(job, [])];
  decision.effects.push({ kind: "change-backlog", job: job.facts, changes, during: "agent" });
  const verdict = { kind: "outcome" as const, outcome: "blocked" };
  return replaceJob(work, { ...enter(job, "settle"), gaveUp: true, final: true, verdict });
}

/** Starts the gate. If nothing may start any more it is stopped at once, but still judges what needs no command. */
export function startGate(work: Work, job: Job, decision: Decision): Work {
  decision.effects.push({ kind: "run-gate", job: job.facts });
  const begun = replaceJob(work, enter({ ...job, stopped: undefined }, "gate"));
  return work.stopping >= 2 ? stopJobs(begun, ["gate"], decision) : begun;
}

interface Leaving {
  outcome: "gate_failed" | "blocked" | "conflict";
  reason: string;
  evidence: string;
}

/** The task leaves `finish` because its work failed there; the log says where it goes. */
export function failAtEnd(work: Work, job: Job, leaving: Leaving, decision: Decision): Work {
  const { reason, evidence } = leaving;
  const left = leaveEnd(work, job, leaving, decision);
  const next = findTargetOf(left, job) === "block" ? "blocked" : "retry";
  decision.notes.push(makeFailureNote(job, { reason, evidence }, next));
  return left;
}

/** The task leaves `finish` without its commit: back to a work stage, or to `block`. */
export function leaveEnd(
  work: Work,
  job: Job,
  { outcome, reason, evidence }: Leaving,
  decision: Decision,
): Work {
  const row = findRow(work, job);
  if (row === undefined) return settleStopped(work, job, decision);
  const { id, progress } = row;
  const [sentence = ""] = evidence.split("\n");
  const reasons = [`${reason}: ${sentence}`];
  const workflow = work.rules.workflows?.[progress.workflow]?.workflow;
  const order = { id, progress, status: "doing" as const, reasons };
  const led = workflow && planMove({ ...order, rules: work.rules, workflow, at: decision.at }, outcome);
  const move = led ?? planEnd(order, { outcome, to: "block", reasons });
  const [first, ...rest] = move.advances;
  // Work that does not fit the branch any more is not applied again.
  const advances =
    first === undefined || outcome !== "conflict" ? move.advances : [{ ...first, work: null }, ...rest];
  decision.effects.push({ kind: "change-backlog", job: job.facts, changes: [...advances], during: "agent" });
  const visitEnd = { outcome, advances, notes: move.notes, more: [], evidence: { reason, evidence } };
  return replaceJob(work, { ...enter(job, "settle"), verdict: { kind: "outcome", outcome }, visitEnd });
}

/** A person completed the workflow of work that the gate rejects: it becomes a rescue, and the task is done without it. */
export function putAside(work: Work, job: Job, decision: Decision): Work {
  decision.because = { rule: "completed-without-work", picked: getTaskId(job) };
  const message =
    "the gate rejects the work of this task, and a person completed it: it is done without that work, unverified";
  decision.warn(message, job.facts);
  return mayRestore(work) ? restore(work, job, "aside", decision) : commitTask(work, job, decision);
}

/** The one commit of a task at `finish`, with its row. */
export function commitTask(work: Work, job: Job, decision: Decision): Work {
  const row = findRow(work, job);
  if (work.closing?.broken === true) return settleStopped(work, job, decision);
  if (row?.progress.complete === true && row.progress.verdict === undefined && job.from !== "doing") {
    const message = "a person completed this task before it had any work: it is done, unverified";
    decision.warn(message, job.facts);
  }
  const result = work.results?.get(getTaskId(job)) ?? { result: "", files: [] };
  return commit(work, { ...job, verdict: { kind: "outcome", outcome: "finish" } }, result, decision);
}

/** A commit that could not be built is a failure of the work, unless a person completed the task: that is not tried again now. */
export function leaveUncommitted(work: Work, job: Job, evidence: string, decision: Decision): Work {
  const id = getTaskId(job);
  const isComplete = findRow(work, job)?.progress.complete === true;
  if (!isComplete)
    return failAtEnd(work, job, { outcome: "gate_failed", reason: "commit-failed", evidence }, decision);
  decision.notes.push(makeFailureNote(job, { reason: "commit-failed", evidence }, "end"));
  const final = work.final.with(id, true);
  return settleStopped({ ...work, final }, job, decision);
}

/** Logs the entry into the workflow or the end, and asks for the checkpoint. L23: with the saved work of the task itself. */
export function startCheckpoint(work: Work, job: Job, decision: Decision): Work {
  decision.notes.push(...(job.entering ?? []));
  decision.effects.push({
    kind: "checkpoint",
    job: job.facts,
    reuse: job.from === "doing",
    aside: onlyReads(job.route) || undefined,
    apply_work: isVisit(job.route) || undefined,
  });
  const { entering: _entering, ...rest } = job;
  const limits = hasAgent(job.route) ? listStageBudgets(work.rules, findRow(work, job)?.progress) : [];
  return replaceJob(work, enter({ ...rest, limits }, "checkpoint"));
}

/** Continues from the checkpoint of a job that may continue. */
export function takeCheckpoint(work: Work, job: Job, event: EventOf<"checkpoint">, decision: Decision): Work {
  if (event.conflicts !== undefined && event.conflicts.length > 0)
    return leaveConflict(work, job, event.conflicts, decision);
  switch (job.route) {
    case "shelve": {
      const back: Change = { op: "return", id: getTaskId(job), to: "todo" };
      return shelve(work, job, { outcome: "paused", more: [back] }, decision);
    }
    case "deliver":
    case "give-up":
      return beginEnd(work, job, event, decision);
    default:
      if (!hasAgent(job.route)) return startGate(work, job, decision);
      if (!work.rules.baseline || !hasWork(job.route))
        return replaceJob(work, startBefore(job, work, listEarlier(work, job), decision));
      // Which checks pass is measured before the agent starts.
      decision.effects.push({ kind: "run-baseline", job: job.facts, reuse: job.from === "doing" });
      return replaceJob(work, enter(job, "baseline"));
  }
}

/** Other work has changed the branch since: the task begins its work again, and knows why. */
function leaveConflict(work: Work, job: Job, paths: readonly string[], decision: Decision): Work {
  const evidence = `the saved work no longer fits the branch: ${listSome(paths)}; none of it is in the tree any more, also where an item is ticked, and it is done again on the branch as it is now`;
  decision.warn(evidence, job.facts);
  if (job.route === "give-up") return settleGivenUp(work, job, decision);
  return leaveEnd(work, job, { outcome: "conflict", reason: "conflict", evidence }, decision);
}
