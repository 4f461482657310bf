// The two ends of a workflow as jobs: `finish` commits the saved work, after the gate unless it let it pass on this base;
// `block` takes the work out of the tree and gives the task up. Pure.
import type { StepEvent } from "../../../logging/events/events.js";
import type { Change } from "../../../todo/model/changes/change.js";
import { planEnd, planMove } from "./advance.js";
import { mayRestore } from "../edits.js";
import type { Decision } from "../decision.js";
import { makeFailureNote } from "./job.js";
import { enter } from "./routes.js";
import { getTaskId, replaceJob, stopJobs } from "../jobs.js";
import { describeRescue, settleAttempt } from "./settle.js";
import { worthOf } from "./verdict.js";
import { findRow } from "./stage.js";
import type { Job, Work } from "../state.js";

type Of<T extends StepEvent["type"]> = Extract<StepEvent, { type: T }>;

/** Begins an end, with the task's work in the tree. */
export function beginEnd(work: Work, job: Job, event: Of<"checkpoint">, decision: Decision): Work {
  const row = findRow(work, job);
  if (row === undefined) return settleAttempt(work, { ...job, verdict: { kind: "interrupted" } }, decision);
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
function beginGiveUp(work: Work, job: Job, { reused }: Of<"checkpoint">, decision: Decision): Work {
  const stays = reused || findRow(work, job)?.progress.verdict === undefined;
  if (!mayRestore(work) && (stays || work.closing?.broken === true))
    return settleGivenUp(work, job, decision);
  decision.effects.push({ kind: "restore", job: job.facts });
  return replaceJob(work, enter(job, "restore"));
}

/** L16: the task is given up once its work is a rescue and the tree is put back. The row has the reasons. */
export function settleGivenUp(work: Work, job: Job, decision: Decision): Work {
  const id = getTaskId(job);
  decision.because = { rule: "given-up", picked: id };
  const block: Change = { op: "block", id, blockers: describeRescue(job) };
  decision.effects.push({ kind: "change-backlog", job: job.facts, changes: [block], during: "agent" });
  const given: Job = {
    ...enter(job, "settle"),
    ...{ gaveUp: true, final: true },
    verdict: { kind: "outcome", outcome: "blocked" },
  };
  return replaceJob(work, given);
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
  const to = left.jobs.find(({ facts }) => facts.job === job.facts.job)?.visitEnd?.advances.at(-1)?.to;
  decision.notes.push(makeFailureNote(job, { reason, evidence }, to === "block" ? "blocked" : "retry"));
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
  if (row === undefined) return settleAttempt(work, { ...job, verdict: { kind: "interrupted" } }, decision);
  const { id, progress } = row;
  const [sentence = ""] = evidence.split("\n");
  const reasons = [`${reason}: ${sentence}`];
  const workflow = work.rules.workflows?.[progress.workflow]?.workflow;
  const order = { id, progress, status: "doing" as const, reasons };
  const led =
    workflow === undefined
      ? undefined
      : planMove({ ...order, rules: work.rules, workflow, at: decision.at }, outcome);
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
  decision.notes.push({ type: "warning", ...job.facts, message });
  if (!mayRestore(work)) return commitTask(work, job, decision);
  decision.effects.push({ kind: "restore", job: job.facts });
  return replaceJob(work, enter(job, "aside"));
}

/** L2: the one commit of the task, with its row. */
export function commitTask(work: Work, job: Job, decision: Decision): Work {
  const id = getTaskId(job);
  const row = findRow(work, job);
  if (work.closing?.broken === true)
    return settleAttempt(work, { ...job, verdict: { kind: "interrupted" } }, decision);
  if (row?.progress.complete === true && row.progress.verdict === undefined && job.from !== "doing") {
    const message = "a person completed this task before it had any work: it is done, unverified";
    decision.notes.push({ type: "warning", ...job.facts, message });
  }
  const { result, files } = work.results?.get(id) ?? { result: "", files: [] };
  const finish: Change = { op: "finish", id, result, files, verdict: job.worth ?? "unverified" };
  decision.effects.push({
    kind: "commit",
    job: job.facts,
    changes: [finish],
    during: "agent",
    summary: result,
  });
  return replaceJob(work, { ...enter(job, "commit"), verdict: { kind: "outcome", outcome: "finish" } });
}

/** A commit that could not be built is a failure of the work, unless a person completed the task: that is not tried again now. */
export function leaveUncommitted(work: Work, job: Job, evidence: string, decision: Decision): Work {
  const id = getTaskId(job);
  const isComplete = findRow(work, job)?.progress.complete === true;
  if (!isComplete)
    return failAtEnd(work, job, { outcome: "gate_failed", reason: "commit-failed", evidence }, decision);
  decision.notes.push(makeFailureNote(job, { reason: "commit-failed", evidence }, "end"));
  const final = work.final.with(id, true);
  return settleAttempt({ ...work, final }, { ...job, verdict: { kind: "interrupted" } }, decision);
}
