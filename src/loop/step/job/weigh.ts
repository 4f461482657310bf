// From the end of an agent to the verdict on its job: judges its report, reads its row (if the runner applies no summaries), and
// restores the tree. Pure. gate.ts takes the gate's verdict; settle.ts and visit.ts change the backlog.
import type { StepEvent } from "../../../logging/events/events.js";
import { listSome } from "../../../system/text/cut.js";
import type { Decision } from "../decision.js";
import { mayRestore, noteStopped } from "../edits.js";
import { countAttemptsLeft, getTaskId, replaceJob } from "../jobs.js";
import type { AttemptVerdict, Job, Work } from "../state.js";
import { commitTask, leaveUncommitted, settleGivenUp, startGate } from "./ends.js";
import { enter, hasWork, isVisit } from "./routes.js";
import { settleAttempt, settleReview } from "./settle.js";
import { stageOf } from "./stage.js";
import { isNoAttempt, isSpared, judgeReport, judgeReview, readResult } from "./verdict.js";
import { endVisit, settleStage } from "./visit.js";

type Of<T extends StepEvent["type"]> = Extract<StepEvent, { type: T }>;

/** Continues from the snapshot of an attempt. L5: a task is done only after the gate. */
export function weighAttempt(work: Work, job: Job, snapshot: Of<"snapshot">, decision: Decision): Work {
  // L2: a commit started now could replace the pending one that the next start must finish.
  const isBroken = work.closing?.broken === true;
  const verdict = isBroken ? { kind: "interrupted" as const } : judgeReport(job, undefined, snapshot);
  if ("asks" in verdict) throw new Error(`job ${job.facts.job} asks outside a stage`);
  decision.because = { rule: `verdict-${verdict.kind}`, picked: getTaskId(job) };
  const judged: Job = { ...job, verdict };
  if (!work.rules.apply_summary && !isBroken) {
    decision.effects.push({ kind: "change-backlog", job: job.facts, changes: [], during: "idle" });
    return replaceJob(work, enter(judged, "reread"));
  }
  return verdict.kind === "done"
    ? startGate(work, judged, decision)
    : settleOrRestore(work, judged, decision);
}

/** Judges what the agent of a stage reported. L5: `done` goes through the gate; any other outcome that the stage declares does not. */
export function weighStage(
  work: Work,
  job: Job,
  snapshot: Of<"snapshot"> | undefined,
  decision: Decision,
): Work {
  const stage = stageOf(work, job);
  if (stage === undefined || work.closing?.broken === true)
    return settleAttempt(work, { ...job, verdict: { kind: "interrupted" } }, decision);
  const judged = judgeReport(job, stage, snapshot);
  if ("asks" in judged) return endVisit(work, job, { outcome: "asks", ask: judged.asks }, decision);
  decision.because = { rule: `verdict-${judged.kind}`, picked: getTaskId(job) };
  if (judged.kind !== "outcome") return settleStage(work, job, judged, decision);
  const { outcome } = judged;
  if (stage.kind !== "work") return endVisit(work, job, { outcome }, decision);
  return outcome === "done" && stage.gate !== "none"
    ? startGate(work, { ...job, verdict: judged }, decision)
    : endVisit(work, job, { outcome, verdict: "unverified" }, decision);
}

/** Judges the attempt by the agent's own edit of its row, if the runner applies no summaries. */
export function weighRow(work: Work, job: Job, decision: Decision): Work {
  const { verdict } = job;
  if (verdict === undefined) throw new Error(`job ${job.facts.job} is looked at without a verdict`);
  const status = work.index.get(getTaskId(job))?.status;
  decision.because = { rule: "looked-at-row", picked: getTaskId(job), why: status ?? "gone" };
  if (status === "done") {
    const done: AttemptVerdict = { kind: "done", summary: readResult(job.end).result };
    return startGate(work, { ...job, verdict: done }, decision);
  }
  if (isNoAttempt(verdict)) return settleAttempt(work, job, decision);
  if (status === "blocked") {
    return settleOrRestore(work, { ...job, verdict: { kind: "blocked", blockers: [] } }, decision);
  }
  if (verdict.kind !== "done") return settleOrRestore(work, job, decision);
  const evidence = 'the agent reported "done" but did not mark the task as done';
  return settleOrRestore(
    work,
    { ...job, verdict: { kind: "failed", reason: "bad-summary", evidence } },
    decision,
  );
}

/** Fails a job whose commit could not be built; an attempt is settled like any other failure. */
export function takeUncommitted(work: Work, job: Job, evidence: string, decision: Decision): Work {
  decision.because = { rule: "commit-failed", picked: getTaskId(job) };
  if (isVisit(job.route)) return leaveUncommitted(work, job, evidence, decision);
  const failed: AttemptVerdict = { kind: "failed", reason: "commit-failed", evidence };
  return settleOrRestore(work, { ...job, verdict: failed }, decision);
}

/** Continues once the tree is restored and the work in it was saved. */
export function takeRestored(work: Work, job: Job, event: Of<"restored">, decision: Decision): Work {
  const back: Job = event.rescue === undefined ? job : { ...job, rescue: event.rescue };
  const stopped: Job = { ...back, verdict: { kind: "interrupted" } };
  switch (job.route) {
    case "review":
      notePutBack(job, event, "during the review", decision);
      return settleReview(work, job, judgeReview(job), decision);
    case "analyze":
      if (job.released === true) return settleAttempt(work, stopped, decision);
      notePutBack(job, event, `in the stage ${job.facts.stage ?? ""}, which changes nothing,`, decision);
      return weighStage(work, job, undefined, decision);
    case "deliver":
      return job.activity === "aside"
        ? commitTask(work, back, decision)
        : settleAttempt(work, stopped, decision);
    case "give-up":
      return job.released === true
        ? settleAttempt(work, stopped, decision)
        : settleGivenUp(work, back, decision);
    default:
      decision.because = { rule: "given-up", picked: getTaskId(job) };
      if (back.released === true) noteStopped(work, back, decision);
      return settleAttempt(work, back, decision);
  }
}

/** Warns of files that changed in a job that changes nothing, whether by the agent or a person, and names where they are kept. */
function notePutBack(job: Job, { paths, rescue }: Of<"restored">, when: string, decision: Decision): void {
  if (paths.length === 0) return;
  const kept = rescue === undefined ? "" : `; what was there is kept: git show ${rescue}`;
  const message = `changed ${when} and put back: ${listSome(paths)}${kept}`;
  decision.notes.push({ type: "warning", ...job.facts, message });
}

/**
 * L16: a person edited the task in progress: its own work is saved as a rescue, and the tree is put back. The changes of earlier
 * stages in the tree are put aside afterwards.
 */
export function releaseJob(work: Work, job: Job, decision: Decision): Work {
  decision.because = { rule: "released", picked: getTaskId(job) };
  const released: Job = { ...job, hooks: [], released: true, verdict: { kind: "interrupted" } };
  const isOwn = hasWork(job.route);
  const restores = isOwn ? mayRestore(work) : job.route === "analyze" && work.closing?.broken !== true;
  if (restores) {
    decision.effects.push({ kind: "restore", job: job.facts });
    return replaceJob(work, enter(released, "restore"));
  }
  if (isOwn) noteStopped(work, released, decision);
  return settleAttempt(work, released, decision);
}

/** L16: a task that is abandoned without a commit leaves the tree as it found it. */
export function settleOrRestore(work: Work, job: Job, decision: Decision): Work {
  const mustRestore = givesUp(work, job) && work.git && work.rules.on_failure === "restore";
  if (!mustRestore || work.closing?.broken === true) return settleAttempt(work, job, decision);
  decision.effects.push({ kind: "restore", job: job.facts });
  return replaceJob(work, enter(job, "restore"));
}

function givesUp(work: Work, job: Job): boolean {
  switch (job.verdict?.kind) {
    case "blocked":
    case "skipped":
      return true;
    case "failed":
      return !isSpared(job.verdict, job.end) && countAttemptsLeft(work, job) === 0;
    case "held":
      return job.leavesWork === true;
    default:
      return false;
  }
}
