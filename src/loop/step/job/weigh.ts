// From the end of an agent to its final verdict: reads its row (if the runner applies no summaries), runs the gate, and
// restores the tree of an abandoned task. Pure. settle.ts changes the backlog.
import { fallsShort } from "../../../gate/verdict/reasons.js";
import type { StepEvent } from "../../../logging/events/events.js";
import { mayRestore, noteStopped } from "../edits.js";
import { enter } from "./job.js";
import { countAttemptsLeft, replaceJob, getTaskId } from "../jobs.js";
import { describeShort, isNoAttempt, isSpared, readResult, worthOf } from "./verdict.js";
import { leaveUncommitted, startGate } from "./ends.js";
import { settleAttempt } from "./settle.js";
import type { Job, AttemptVerdict, Work } from "../state.js";
import type { Decision } from "../decision.js";

type Of<T extends StepEvent["type"]> = Extract<StepEvent, { type: T }>;

/** Continues from the first verdict on an attempt. L5: a task is done only after the gate. */
export function weighAttempt(work: Work, job: Job, verdict: AttemptVerdict, decision: Decision): Work {
  decision.because = { rule: `verdict-${verdict.kind}`, picked: getTaskId(job) };
  const judged: Job = { ...job, verdict };
  if (!work.rules.apply_summary && work.closing?.broken !== true) {
    decision.effects.push({ kind: "change-backlog", job: job.facts, changes: [], during: "idle" });
    return replaceJob(work, enter(judged, "reread"));
  }
  return verdict.kind === "done"
    ? startGate(work, judged, decision)
    : settleOrRestore(work, judged, decision);
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

/** Takes the gate's verdict on an attempt that reported done. */
export function takeGate(work: Work, job: Job, event: Of<"gate_finished">, decision: Decision): Work {
  decision.because = { rule: `gate-${event.verdict}`, picked: getTaskId(job) };
  // L2: a commit started now could replace the pending one that the next start must finish.
  if (work.closing?.broken === true) {
    return settleAttempt(work, { ...job, verdict: { kind: "interrupted" } }, decision);
  }
  for (const message of event.warnings) decision.notes.push({ type: "warning", ...job.facts, message });
  switch (event.verdict) {
    case "passed":
    case "unbroken":
    case "unverified":
      return fallsShort(work.rules.accept, event)
        ? blockShort(work, job, event, decision)
        : settleAttempt(work, { ...job, worth: worthOf(event.verdict) }, decision);
    case "interrupted":
      return settleAttempt(work, { ...job, verdict: { kind: "interrupted" } }, decision);
    default: {
      if (event.hidden?.failed === true) return blockForHidden(work, job, event, decision);
      const failed: AttemptVerdict = { kind: "failed", reason: "gate", evidence: event.evidence };
      return settleOrRestore(work, { ...job, verdict: failed }, decision);
    }
  }
}

/** Blocks a task that is done, but with less than the rules want. No attempt is left: a person decides. */
function blockShort(work: Work, job: Job, event: Of<"gate_finished">, decision: Decision): Work {
  const id = getTaskId(job);
  const said = job.end?.changes_checks;
  const { verdict: found, why, evidence } = describeShort(event);
  const hint =
    event.verdict === "unbroken"
      ? `a check that fails before the work and passes with it shows that it is done: looper set ${id} verify+=COMMAND`
      : `looper show ${id} has the evidence; looper set ${id} changes+=PATTERN lets the task change a file of its checks`;
  const blockers = [
    `${found}: ${why}`,
    ...(said === undefined ? [] : [`the agent's reason: ${JSON.stringify(said)}`]),
    hint,
  ];
  const verdict: AttemptVerdict = { kind: "blocked", blockers, evidence };
  return settleOrRestore(work, { ...job, verdict }, decision);
}

/** Blocks a task that a hidden check failed: another attempt could only guess what it checks. */
function blockForHidden(work: Work, job: Job, { evidence }: Of<"gate_finished">, decision: Decision): Work {
  const verdict: AttemptVerdict = { kind: "blocked", blockers: [evidence], evidence };
  return settleOrRestore(work, { ...job, verdict }, decision);
}

/** Fails an attempt whose commit could not be built; it is settled like any other failure. */
export function takeUncommitted(work: Work, job: Job, evidence: string, decision: Decision): Work {
  decision.because = { rule: "commit-failed", picked: getTaskId(job) };
  if (job.route !== undefined) return leaveUncommitted(work, job, evidence, decision);
  const failed: AttemptVerdict = { kind: "failed", reason: "commit-failed", evidence };
  return settleOrRestore(work, { ...job, verdict: failed }, decision);
}

/** Continues once the tree is restored and the work in it was saved. */
export function takeRestored(work: Work, job: Job, { rescue }: Of<"restored">, decision: Decision): Work {
  decision.because = { rule: "given-up", picked: getTaskId(job) };
  const back = rescue === undefined ? job : { ...job, rescue };
  if (back.released === true) noteStopped(work, back, decision);
  return settleAttempt(work, back, decision);
}

/** L16: a person edited the task in progress: its work is saved as a rescue, and the tree is put back. */
export function releaseJob(work: Work, job: Job, decision: Decision): Work {
  decision.because = { rule: "released", picked: getTaskId(job) };
  const released: Job = { ...job, released: true, verdict: { kind: "interrupted" } };
  if (mayRestore(work)) {
    decision.effects.push({ kind: "restore", job: job.facts });
    return replaceJob(work, enter(released, "restore"));
  }
  noteStopped(work, released, decision);
  return settleAttempt(work, released, decision);
}

/** L16: a task that is abandoned without a commit leaves the tree as it found it. */
function settleOrRestore(work: Work, job: Job, decision: Decision): Work {
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
