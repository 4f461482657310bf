// The events of jobs in workflows: takes the job of a stage or an end through the activities of its route. Pure.
// working.ts has the events of all other jobs; visit.ts ends the visit, ends.ts carries out the two ends.
import { fallsShort } from "../../../gate/verdict/reasons.js";
import type { StepEvent } from "../../../logging/events/events.js";
import { listSome } from "../../../system/text/cut.js";
import type { Stage } from "../../../workflow/workflow.js";
import { completeNote } from "./advance.js";
import { noteStopped } from "../edits.js";
import type { Decision } from "../decision.js";
import { beginEnd, commitTask, leaveEnd, settleGivenUp, startGate, takeFinalGate } from "./ends.js";
import { enter, makeFailureNote, startBaseline, startBefore } from "./job.js";
import { getTaskId, replaceJob } from "../jobs.js";
import { settleAttempt } from "./settle.js";
import { describeShort } from "./verdict.js";
import { findRow, findStage, hasAgent, listStageBudgets } from "./stage.js";
import type { Job, Work } from "../state.js";
import { endVisit, forgetVisit, judgeStage, settleStage } from "./visit.js";

type Of<T extends StepEvent["type"]> = Extract<StepEvent, { type: T }>;

/** The stage that a job is in, if the row still says so. */
function stageOf(work: Work, job: Job): Stage | undefined {
  const row = findRow(work, job);
  return row === undefined ? undefined : findStage(work.rules, row)?.stage;
}

/** Logs the entry into the workflow or the end, and asks for the checkpoint. L23: with the saved work of the task itself. */
export function startCheckpoint(work: Work, job: Job, decision: Decision): Work {
  decision.notes.push(...(job.entering ?? []));
  decision.effects.push({
    kind: "checkpoint",
    job: job.facts,
    reuse: job.from === "doing",
    ...(job.route === "analyze" ? { aside: true as const } : {}),
    apply_work: true,
  });
  const { entering: _entering, ...rest } = job;
  const limits = hasAgent(job.route) ? listStageBudgets(work.rules, findRow(work, job)?.progress) : [];
  const limited = limits.length === 0 ? rest : { ...rest, limits };
  return replaceJob(work, enter(limited, "checkpoint"));
}

/** Continues from the checkpoint of a job that may continue. */
export function takeStageCheckpoint(work: Work, job: Job, event: Of<"checkpoint">, decision: Decision): Work {
  if (event.conflicts !== undefined && event.conflicts.length > 0)
    return leaveConflict(work, job, event.conflicts, decision);
  switch (job.route) {
    case "shelve":
      decision.effects.push({
        kind: "save-work",
        job: job.facts,
        outcome: "paused",
        shelve: true,
        work: true,
      });
      return replaceJob(work, {
        ...enter(job, "save"),
        visitEnd: {
          ...{ outcome: "paused", advances: [], notes: [], keepsCount: true },
          more: [{ op: "return", id: getTaskId(job), to: "todo" }],
        },
      });
    case "check":
      return startGate(work, job, decision);
    case "deliver":
    case "give-up":
      return beginEnd(work, job, event, decision);
    case "work":
      if (work.rules.baseline) return replaceJob(work, startBaseline(job, decision));
      break;
    default:
      break;
  }
  const earlier = work.earlier.get(getTaskId(job)) ?? [];
  return replaceJob(work, startBefore(job, work, earlier, decision));
}

/** Other work has changed the branch since: the task begins its work again, and knows why. */
function leaveConflict(work: Work, job: Job, paths: readonly string[], decision: Decision): Work {
  const evidence = `the saved work no longer fits the branch: ${listSome(paths)}; none of it is in the tree any more, also where an item is ticked, and it is done again on the branch as it is now`;
  decision.notes.push({ type: "warning", ...job.facts, message: evidence });
  if (job.route === "give-up") return settleGivenUp(work, job, decision);
  return leaveEnd(work, job, { outcome: "conflict", reason: "conflict", evidence }, decision);
}

/** Judges the work of a stage. L5: `done` goes through the gate; any other outcome that the stage declares does not. */
export function weighStage(work: Work, job: Job, event: Of<"snapshot">, decision: Decision): Work {
  const stage = stageOf(work, job);
  if (stage === undefined || work.closing?.broken === true)
    return settleAttempt(work, { ...job, verdict: { kind: "interrupted" } }, decision);
  const judged = judgeStage(job, stage, event);
  if ("asks" in judged) return endVisit(work, job, { outcome: "asks", ask: judged.asks }, decision);
  decision.because = { rule: `verdict-${judged.kind}`, picked: getTaskId(job) };
  if (judged.kind !== "outcome") return settleStage(work, job, judged, decision);
  const isGated = judged.outcome === "done" && stage.kind === "work" && stage.gate !== "none";
  return isGated
    ? startGate(work, { ...job, verdict: judged }, decision)
    : endVisit(work, job, { outcome: judged.outcome, verdict: "unverified" }, decision);
}

/** Judges an analysis, once what its agent changed is put back. */
export function takeStageRestored(
  work: Work,
  unsettled: Job,
  event: Of<"restored">,
  decision: Decision,
): Work {
  const { rescue } = event;
  const job: Job = rescue === undefined ? unsettled : { ...unsettled, rescue };
  if (job.route === "give-up")
    return job.released === true ? endStopped(work, job, decision) : settleGivenUp(work, job, decision);
  if (job.route === "deliver")
    return job.activity === "aside" ? commitTask(work, job, decision) : endStopped(work, job, decision);
  if (job.route !== "analyze" || job.released === true) return endStopped(work, job, decision);
  notePutBack(job, event, `in the stage ${job.facts.stage ?? ""}, which changes nothing,`, decision);
  const stage = stageOf(work, job);
  if (stage === undefined || work.closing?.broken === true)
    return settleAttempt(work, { ...unsettled, verdict: { kind: "interrupted" } }, decision);
  const judged = judgeStage(unsettled, stage);
  if ("asks" in judged) return endVisit(work, unsettled, { outcome: "asks", ask: judged.asks }, decision);
  decision.because = { rule: `verdict-${judged.kind}`, picked: getTaskId(job) };
  return judged.kind === "outcome"
    ? endVisit(work, unsettled, { outcome: judged.outcome }, decision)
    : settleStage(work, unsettled, judged, decision);
}

function endStopped(work: Work, job: Job, decision: Decision): Work {
  if (job.released === true && job.route === "work") noteStopped(work, job, decision);
  return settleAttempt(work, { ...job, verdict: { kind: "interrupted" } }, decision);
}

/** Warns of files that changed in a job that changes nothing, whether by the agent or a person, and names where they are kept. */
export function notePutBack(
  job: Job,
  { paths, rescue }: Of<"restored">,
  when: string,
  decision: Decision,
): void {
  if (paths.length === 0) return;
  const kept = rescue === undefined ? "" : `; what was there is kept: git show ${rescue}`;
  const message = `changed ${when} and put back: ${listSome(paths)}${kept}`;
  decision.notes.push({ type: "warning", ...job.facts, message });
}

/** Takes the gate's verdict on the work of a stage, the commands of a check, or the work at `finish`. */
export function takeStageGate(work: Work, before: Job, event: Of<"gate_finished">, decision: Decision): Work {
  const job: Job = { ...before, gate_ms: event.duration_ms };
  decision.because = { rule: `gate-${event.verdict}`, picked: getTaskId(job) };
  if (work.closing?.broken === true || event.verdict === "interrupted")
    return settleAttempt(work, { ...job, verdict: { kind: "interrupted" } }, decision);
  for (const message of event.warnings) decision.notes.push({ type: "warning", ...job.facts, message });
  if (job.route === "deliver") return takeFinalGate(work, job, event, decision);
  if (job.route === "check") return takeCheck(work, job, event, decision);
  return takeWorkGate(work, job, event, decision);
}

/** A check passes if all its commands do. */
function takeCheck(
  work: Work,
  job: Job,
  { verdict, commands, evidence }: Of<"gate_finished">,
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

function takeWorkGate(work: Work, job: Job, event: Of<"gate_finished">, decision: Decision): Work {
  const stage = stageOf(work, job);
  const isWhole = stage?.kind === "work" && (stage.gate === undefined || stage.gate === "verify");
  switch (event.verdict) {
    case "passed":
    case "unbroken": {
      // Only the checks of the project verify: what other commands passed goes through them at `finish`. Unbroken work
      // falls short only there: a later stage may write the tests that show it.
      const verdict = isWhole ? event.verdict : "unverified";
      return endVisit(work, job, { outcome: "done", verdict }, decision);
    }
    case "unverified":
      return fallsShort(work.rules.accept, event)
        ? blockDoubtful(work, job, event, decision)
        : endVisit(work, job, { outcome: "done", verdict: "unverified" }, decision);
    default: {
      const { evidence, hidden } = event;
      if (hidden?.failed !== true)
        return settleStage(work, job, { kind: "failed", reason: "gate", evidence }, decision);
      decision.notes.push(makeFailureNote(job, { reason: "gate", evidence }, "blocked"));
      return endVisit(work, job, { outcome: "blocked", reasons: [evidence], verdict: "failed" }, decision);
    }
  }
}

/** Blocks a task whose work passes, but with less than the rules want: a person decides. */
function blockDoubtful(work: Work, job: Job, event: Of<"gate_finished">, decision: Decision): Work {
  const said = job.end?.changes_checks;
  const { verdict, why, evidence } = describeShort(event);
  const reasons = [
    `${verdict}: ${why}`,
    ...(said === undefined ? [] : [`the agent's reason: ${JSON.stringify(said)}`]),
  ];
  decision.notes.push(makeFailureNote(job, { reason: "gate", evidence }, "blocked"));
  return endVisit(work, job, { outcome: "blocked", reasons, verdict: "unverified" }, decision);
}

/** Ends a job whose task a person edited. Its changes in the tree are put aside afterwards. */
export function releaseStage(work: Work, job: Job, decision: Decision): Work {
  decision.because = { rule: "released", picked: getTaskId(job) };
  if (job.route === "analyze" && work.closing?.broken !== true) {
    decision.effects.push({ kind: "restore", job: job.facts });
    return replaceJob(work, enter({ ...job, hooks: [], released: true }, "restore"));
  }
  return settleAttempt(
    work,
    { ...job, hooks: [], released: true, verdict: { kind: "interrupted" } },
    decision,
  );
}

/** L19: once the row has moved on, the log says so; a move that was refused changes nothing. */
export function takeMoved(
  work: Work,
  job: Job,
  refused: readonly { op: string }[],
  decision: Decision,
): Work {
  if (job.visitEnd === undefined || refused.some(({ op }) => op === "advance")) return work;
  const progress = work.index.get(getTaskId(job))?.progress;
  for (const note of job.visitEnd.notes)
    decision.notes.push({ ...completeNote(note, progress), ...factsOf(job) });
  return forgetVisit(work, job);
}

function factsOf({ facts: { job, iteration, agent } }: Job): {
  job: number;
  iteration: number;
  agent: string;
} {
  return { job, iteration, agent };
}
