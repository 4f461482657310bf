// Takes the gate's verdict: on an attempt, on the work of a stage, on the commands of a check, and on the work at `finish`. Pure.
// The gate floor gives the verdict; weigh.ts comes before it.
import { fallsShort } from "../../../gate/verdict/reasons.js";
import type { StepEvent } from "../../../logging/events/events.js";
import type { Decision } from "../decision.js";
import { getTaskId } from "../jobs.js";
import type { Job, Work } from "../state.js";
import { commitTask, failAtEnd, leaveEnd, putAside } from "./ends.js";
import { makeFailureNote } from "./job.js";
import { settleAttempt } from "./settle.js";
import { findRow, stageOf } from "./stage.js";
import { describeShort, worthOf } from "./verdict.js";
import { endVisit, settleStage } from "./visit.js";
import { settleOrRestore } from "./weigh.js";

type GateFinished = Extract<StepEvent, { type: "gate_finished" }>;

/** L5: no work is done, and no stage passes, against the verdict of its gate. */
export function takeGate(work: Work, before: Job, event: GateFinished, decision: Decision): Work {
  const job: Job = { ...before, gate_ms: event.duration_ms };
  decision.because = { rule: `gate-${event.verdict}`, picked: getTaskId(job) };
  // L2: a commit started now could replace the pending one that the next start must finish.
  const isBroken = work.closing?.broken === true;
  if (!isBroken)
    for (const message of event.warnings) decision.notes.push({ type: "warning", ...job.facts, message });
  if (isBroken || event.verdict === "interrupted")
    return settleAttempt(work, { ...job, verdict: { kind: "interrupted" } }, decision);
  if (job.route === "check") return takeCheck(work, job, event, decision);
  const isComplete = job.route === "deliver" && findRow(work, job)?.progress.complete === true;
  const passes = event.verdict === "passed" || event.verdict === "unbroken" || event.verdict === "unverified";
  // Unbroken work of a stage falls short only at `finish`: a later stage may write the tests that show it.
  const isLater = job.route === "work" && event.verdict === "unbroken";
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
  if (job.route !== "work") return settleAttempt(work, judged, decision);
  const stage = stageOf(work, job);
  // Only the checks of the project verify: what other commands passed goes through them at `finish`.
  const isWhole = stage?.kind === "work" && (stage.gate === undefined || stage.gate === "verify");
  const isKnown = isWhole && (verdict === "passed" || verdict === "unbroken");
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
  switch (job.route) {
    case "deliver": {
      const outcome = isHidden ? "blocked" : "gate_failed";
      return failAtEnd(work, job, { outcome, reason: "gate", evidence }, decision);
    }
    case "work":
      if (!isHidden) return settleStage(work, job, { kind: "failed", reason: "gate", evidence }, decision);
      decision.notes.push(makeFailureNote(job, { reason: "gate", evidence }, "blocked"));
      return endVisit(work, job, { outcome: "blocked", reasons: [evidence], verdict: "failed" }, decision);
    default: {
      const verdict = isHidden
        ? { kind: "blocked" as const, blockers: [evidence], evidence }
        : { kind: "failed" as const, reason: "gate", evidence };
      return settleOrRestore(work, { ...job, verdict }, decision);
    }
  }
}
