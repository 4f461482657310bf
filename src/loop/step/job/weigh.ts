// From the end of an agent to the verdict on its job: judges its report, reads its row (if the runner applies no summaries), takes
// the gate's verdict, and restores the tree. Pure. The gate floor gives that verdict; settle.ts changes the backlog.
import type { EventOf } from "../../../logging/events/events.js";
import { listSome } from "../../../system/text/cut.js";
import type { Decision } from "../decision.js";
import { mayRestore, noteStopped } from "../edits.js";
import {
  countAttemptsLeft,
  enter,
  getTaskId,
  hasWork,
  isVisit,
  kindOf,
  makeFailureNote,
  onlyReads,
  replaceJob,
} from "../jobs.js";
import type { AttemptVerdict, Job, Work } from "../state.js";
import {
  commitTask,
  leaveUncommitted,
  settleGivenUp,
  startGate,
  failAtEnd,
  leaveEnd,
  putAside,
  restore,
} from "./checkpoint-and-ends.js";
import { settleAttempt, settleReview, settleStopped, endVisit } from "./settle.js";
import { stageOf, findRow } from "./stage.js";
import {
  isNoAttempt,
  findSpared,
  judgeReport,
  judgeReview,
  readResult,
  describeShort,
  worthOf,
} from "./judge-report.js";
import { fallsShort } from "../../../gate/verdict/reasons.js";
import { doneBy, isWork } from "../../../workflow/stage-kinds.js";

/**
 * Judges what the agent of an attempt, or of a stage, reported. L5: work that is done goes through the gate; any other outcome that a
 * stage declares does not.
 */
export function weigh(
  work: Work,
  job: Job,
  snapshot: EventOf<"snapshot"> | undefined,
  decision: Decision,
): Work {
  const stage = stageOf(work, job);
  // L2: a commit started now could replace the pending one that the next start must finish.
  const isBroken = work.closing?.broken === true;
  if (isVisit(job.route) && (isBroken || stage === undefined)) return settleStopped(work, job, decision);
  const verdict = isBroken ? { kind: "interrupted" as const } : judgeReport(job, stage, snapshot);
  if ("asks" in verdict) return endVisit(work, job, { outcome: "asks", ask: verdict.asks }, decision);
  decision.because = { rule: `verdict-${verdict.kind}`, picked: getTaskId(job) };
  const judged: Job = { ...job, verdict };
  if (stage === undefined && !work.rules.apply_summary && !isBroken) {
    decision.effects.push({ kind: "change-backlog", job: job.facts, changes: [], during: "idle" });
    return replaceJob(work, enter(judged, "reread"));
  }
  if (verdict.kind === "done") return startGate(work, judged, decision);
  if (verdict.kind !== "outcome") return settleOrRestore(work, judged, decision);
  const { outcome } = verdict;
  if (!isWork(stage?.kind)) return endVisit(work, job, { outcome }, decision);
  return outcome === "done" && stage?.gate !== "none"
    ? startGate(work, judged, decision)
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
  const failed: AttemptVerdict = { kind: "failed", reason: "bad-summary", evidence };
  return settleOrRestore(work, { ...job, verdict: failed }, decision);
}

/** Fails a job whose commit could not be built; an attempt is settled like any other failure. */
export function takeUncommitted(work: Work, job: Job, evidence: string, decision: Decision): Work {
  if (job.released === true) return releaseJob(work, job, decision);
  decision.because = { rule: "commit-failed", picked: getTaskId(job) };
  if (isVisit(job.route)) return leaveUncommitted(work, job, evidence, decision);
  const failed: AttemptVerdict = { kind: "failed", reason: "commit-failed", evidence };
  return settleOrRestore(work, { ...job, verdict: failed }, decision);
}

/** Continues once the tree is restored and the work in it was saved. */
export function takeRestored(work: Work, job: Job, event: EventOf<"restored">, decision: Decision): Work {
  const back: Job = event.rescue === undefined ? job : { ...job, rescue: event.rescue };
  switch (job.route) {
    case "review":
      notePutBack(job, event, "during the review", decision);
      return settleReview(work, job, judgeReview(job), decision);
    case "deliver":
      return (job.activity === "aside" ? commitTask : settleStopped)(work, back, decision);
    case "give-up":
      return (job.released === true ? settleStopped : settleGivenUp)(work, back, decision);
    default:
      if (onlyReads(job.route)) {
        if (job.released === true) return settleStopped(work, back, decision);
        notePutBack(job, event, `in the stage ${job.facts.stage ?? ""}, which changes nothing,`, decision);
        return weigh(work, job, undefined, decision);
      }
      decision.because = { rule: "given-up", picked: getTaskId(job) };
      if (back.released === true) noteStopped(work, back, decision);
      return settleAttempt(work, back, decision);
  }
}

/** Warns of files that changed in a job that changes nothing, whether by the agent or a person, and names where they are kept. */
function notePutBack(
  job: Job,
  { paths, rescue }: EventOf<"restored">,
  when: string,
  decision: Decision,
): void {
  if (paths.length === 0) return;
  const kept = rescue === undefined ? "" : `; what was there is kept: git show ${rescue}`;
  const message = `changed ${when} and put back: ${listSome(paths)}${kept}`;
  decision.warn(message, job.facts);
}

/**
 * L16: a person edited the task in progress: its own work is saved as a rescue, and the tree is put back. The changes of earlier
 * stages in the tree are put aside afterwards.
 */
export function releaseJob(work: Work, job: Job, decision: Decision): Work {
  decision.because = { rule: "released", picked: getTaskId(job) };
  const released: Job = { ...job, hooks: [], released: true, verdict: { kind: "interrupted" } };
  const isOwn = hasWork(job.route);
  const restores = isOwn ? mayRestore(work) : onlyReads(job.route) && work.closing?.broken !== true;
  if (restores) return restore(work, released, "restore", decision);
  if (isOwn) noteStopped(work, released, decision);
  return settleAttempt(work, released, decision);
}

/** L16: a task that is abandoned without a commit leaves the tree as it found it; in a stage its work is saved instead. */
function settleOrRestore(work: Work, job: Job, decision: Decision): Work {
  const mustRestore =
    !isVisit(job.route) && givesUp(work, job) && work.git && work.rules.on_failure === "restore";
  if (!mustRestore || work.closing?.broken === true) return settleAttempt(work, job, decision);
  return restore(work, job, "restore", decision);
}

function givesUp(work: Work, job: Job): boolean {
  switch (job.verdict?.kind) {
    case "blocked":
    case "skipped":
      return true;
    case "failed":
      return findSpared(job.verdict, job.end) === undefined && countAttemptsLeft(work, job) === 0;
    case "held":
      return job.leavesWork === true;
    default:
      return false;
  }
}

type GateFinished = EventOf<"gate_finished">;

/** L5: no work is done, and no stage passes, against the verdict of its gate. */
export function takeGate(work: Work, before: Job, event: GateFinished, decision: Decision): Work {
  const job: Job = { ...before, gate_ms: event.duration_ms };
  decision.because = { rule: `gate-${event.verdict}`, picked: getTaskId(job) };
  // L2: a commit started now could replace the pending one that the next start must finish.
  const isBroken = work.closing?.broken === true;
  if (!isBroken) for (const message of event.warnings) decision.warn(message, job.facts);
  if (isBroken || event.verdict === "interrupted") return settleStopped(work, job, decision);
  if (doneBy(kindOf(job.route)) === "commands") return takeCheck(work, job, event, decision);
  const isComplete = job.route === "deliver" && findRow(work, job)?.progress.complete === true;
  const passes = event.verdict === "passed" || event.verdict === "unbroken" || event.verdict === "unverified";
  // Unbroken work of a stage falls short only at `finish`: a later stage may write the tests that show it.
  const isLater = isVisit(job.route) && job.route !== "deliver" && event.verdict === "unbroken";
  if (passes && (isComplete || isLater || !fallsShort(work.rules.accept, event)))
    return takePassed(work, job, event, decision);
  if (passes) return blockShort(work, job, event, decision);
  return isComplete ? putAside(work, job, decision) : takeFailed(work, job, event, decision);
}

/** A check passes if all its commands do. */
function takeCheck(
  work: Work,
  job: Job,
  { verdict, commands, evidence }: GateFinished,
  decision: Decision,
): Work {
  const isProven = verdict === "passed" || verdict === "unbroken";
  const passed = isProven || (verdict === "unverified" && commands.every(({ exit_code }) => exit_code === 0));
  if (passed) return endVisit(work, job, { outcome: "passed" }, decision);
  const [sentence = ""] = evidence.split("\n");
  const order = {
    outcome: "failed",
    reasons: [`${job.facts.stage ?? ""}: ${sentence}`],
    text: evidence,
    evidence: { reason: "check", evidence },
  };
  return endVisit(work, job, order, decision);
}

function takePassed(work: Work, job: Job, { verdict }: GateFinished, decision: Decision): Work {
  const judged: Job = { ...job, worth: worthOf(verdict) };
  if (job.route === "deliver") return commitTask(work, judged, decision);
  if (!isVisit(job.route)) return settleAttempt(work, judged, decision);
  // Only the checks of the project verify: what other commands passed goes through them at `finish`.
  const { gate = "verify" } = stageOf(work, job) ?? { gate: "none" };
  const isKnown = gate === "verify" && (verdict === "passed" || verdict === "unbroken");
  return endVisit(work, job, { outcome: "done", verdict: isKnown ? verdict : "unverified" }, decision);
}

/** Blocks a task that is done, but with less than the rules want. No attempt is left: a person decides. */
function blockShort(work: Work, job: Job, event: GateFinished, decision: Decision): Work {
  const id = getTaskId(job);
  const { verdict: found, why, evidence } = describeShort(event);
  const said = job.end?.changes_checks;
  const reasons = [
    `${found}: ${why}`,
    ...(said === undefined ? [] : [`the agent's reason: ${JSON.stringify(said)}`]),
  ];
  if (job.route === "attempt") {
    const hint =
      event.verdict === "unbroken"
        ? `a check that fails before the work and passes with it shows that it is done: looper set ${id} verify+=COMMAND`
        : `looper show ${id} has the evidence; looper set ${id} changes+=PATTERN lets the task change a file of its checks`;
    const verdict = { kind: "blocked" as const, blockers: [...reasons, hint], evidence };
    return settleOrRestore(work, { ...job, verdict }, decision);
  }
  decision.notes.push(makeFailureNote(job, { reason: "gate", evidence }, "blocked"));
  return job.route === "deliver"
    ? leaveEnd(work, job, { outcome: "blocked", reason: found, evidence: why }, decision)
    : endVisit(work, job, { outcome: "blocked", reasons, verdict: "unverified" }, decision);
}

/** Work that the gate rejects is tried again; one that a hidden check failed is not: another attempt could only guess what it checks. */
function takeFailed(work: Work, job: Job, { evidence, hidden }: GateFinished, decision: Decision): Work {
  const isHidden = hidden?.failed === true;
  const failure = { reason: "gate", evidence };
  if (job.route === "deliver")
    return failAtEnd(work, job, { outcome: isHidden ? "blocked" : "gate_failed", ...failure }, decision);
  if (isVisit(job.route) && isHidden) {
    decision.notes.push(makeFailureNote(job, failure, "blocked"));
    return endVisit(work, job, { outcome: "blocked", reasons: [evidence], verdict: "failed" }, decision);
  }
  const verdict: AttemptVerdict = isHidden
    ? { kind: "blocked", blockers: [evidence], evidence }
    : { kind: "failed", ...failure };
  return settleOrRestore(work, { ...job, verdict }, decision);
}
