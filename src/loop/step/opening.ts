// From the first event to a usable backlog: recover, read, draft or repair. Pure.
import { describeSkipped } from "../../agents/failure-words.js";
import type { EventOf, Sealed, StepEvent } from "../../logging/events/events.js";
import { addUsage, explainRunOver, reportSpending } from "./job/spending.js";
import { beginClose, closeAtOnce } from "./ending.js";
import { enter, findJob, makeJob, startAgent } from "./jobs.js";
import { backOffAgent } from "./job/settle.js";
import { causesBackoff, endBackoff, restoreBackoff } from "./schedule/backoff.js";
import { canContinueWithout, choosePhaseAgent, isUnusable, waitFor } from "./schedule/schedule.js";
import { explainRefusal, PREFLIGHT_JOB, reportRedChecks } from "./preflight.js";
import type { Job, Opening, RunState } from "./state.js";
import { applySignal, type Decision, describeFailure } from "./decision.js";
import { beginWork } from "./choose-job.js";

/** Contract §4: an agent drafts, or gets an invalid backlog, at most twice. */
const MOST_ASKED = 2;

/** Handles an event before the backlog was read. */
export function stepOpening(opening: Opening, event: Sealed<StepEvent>, decision: Decision): RunState {
  switch (event.type) {
    case "recovered":
      decision.because = { rule: "recovered" };
      return readBacklog(
        {
          ...opening,
          pending: event.pending !== undefined,
          // The backoffs that an earlier run recorded.
          backoffs: new Map((event.pauses ?? []).map((pause) => [pause.agent, restoreBackoff(pause)])),
          earlierResults: event.results,
        },
        decision,
      );
    case "backlog_read":
      return onRead(opening, event, decision);
    case "preflight_finished":
      return onPreflight(opening, event, decision);
    case "committed":
      decision.because = { rule: "pending-finished", picked: event.commit };
      return readBacklog({ ...opening, pending: false }, decision);
    case "backlog_invalid":
      return onInvalid(opening, event, decision);
    case "answered":
      return onAnswered(opening, event, decision);
    case "agent_finished":
      return onAgentFinished(opening, event, decision);
    case "adopted":
      return onAdopted(opening, event, decision);
    case "effect_failed":
      return onFailed(opening, event, decision);
    case "run_interrupted":
      return onInterrupted(opening, event, decision);
    case "woke":
      decision.because = { rule: opening.waits === undefined ? "noted" : "woke" };
      return opening.waits === undefined ? stay(opening) : askAgent(opening, opening.waits, decision);
    case "edited":
    case "stop_sent":
      decision.because = { rule: "noted" };
      return stay(opening);
    default:
      throw new Error(`${event.type} came before there was a backlog`);
  }
}

function stay(opening: Opening): RunState {
  return { phase: "opening", opening };
}

function readBacklog(opening: Opening, decision: Decision): RunState {
  decision.effects.push({ kind: "read-backlog" });
  return stay(opening);
}

function endInterrupted(opening: Opening, decision: Decision): RunState {
  decision.because = { rule: "interrupted" };
  return beginClose(opening, "interrupted", undefined, decision);
}

function onRead(opening: Opening, event: EventOf<"backlog_read">, decision: Decision): RunState {
  if (opening.stopping > 0) return endInterrupted(opening, decision);
  if (opening.pending) {
    decision.because = { rule: "finish-pending" };
    decision.effects.push({ kind: "finish-pending" });
    return stay(opening);
  }
  const { preflight: when, rooms } = opening.rules;
  if ((when === "refuse" || rooms === "required") && opening.reportedChecks === undefined)
    return preflight(opening, decision);
  return beginWork(opening, event, decision);
}

/** Runs the checks before any task is claimed or drafted; the backlog is read again afterwards. */
function preflight(opening: Opening, decision: Decision): RunState {
  decision.because = { rule: "preflight" };
  decision.effects.push({ kind: "preflight", job: PREFLIGHT_JOB });
  return stay({ ...opening, checking: true, reportedChecks: new Set() });
}

function onPreflight(before: Opening, event: EventOf<"preflight_finished">, decision: Decision): RunState {
  const opening = { ...before, checking: undefined };
  if (opening.stopping > 0) return endInterrupted(opening, decision);
  decision.because = { rule: `preflight-${event.outcome}` };
  const why = explainRefusal(opening.rules, event);
  if (why !== undefined) return beginClose(opening, "environment", why, decision);
  return readBacklog(
    { ...opening, reportedChecks: reportRedChecks(event, opening.reportedChecks ?? new Set(), decision) },
    decision,
  );
}

function onInvalid(opening: Opening, event: EventOf<"backlog_invalid">, decision: Decision): RunState {
  if (opening.stopping > 0) return endInterrupted(opening, decision);
  const { bootstrap, preflight: checks } = opening.rules;
  const isBroken = event.what === "broken";
  const refused = typeof bootstrap === "object" ? bootstrap.refused : undefined;
  const why = explainProgress(event) ?? (isBroken ? undefined : (event.known ?? refused));
  if (why === undefined && checks !== undefined && opening.reportedChecks === undefined)
    return preflight(opening, decision);
  decision.because = { rule: `backlog-${event.what}` };
  if (why !== undefined) return beginClose(opening, "unusable-backlog", why, decision);
  if (isBroken) {
    if (opening.asked.repair < MOST_ASKED) return askAgent(opening, "repair", decision);
    const [first] = event.problems;
    const problem = first === undefined ? "it cannot be read" : `line ${first.line}: ${first.message}`;
    const message = `still not valid after ${opening.asked.repair} repairs${describeLastFailure(opening)}; ${problem}`;
    return beginClose(opening, "unusable-backlog", message, decision);
  }
  if (opening.asked.bootstrap >= MOST_ASKED) {
    const message = `the agent drafted no backlog that can be used${describeLastFailure(opening)}`;
    return beginClose(opening, "unusable-backlog", message, decision);
  }
  if (bootstrap === "ask" && opening.asked.bootstrap === 0) {
    decision.effects.push({ kind: "ask", question: "There is no backlog yet. Let the agent draft one?" });
    return stay({ ...opening, asking: true });
  }
  return askAgent(opening, "bootstrap", decision);
}

/** The progress of a task is never an agent's to write: a person or another version of looper did. */
function explainProgress({ problems }: EventOf<"backlog_invalid">): string | undefined {
  const own = problems.find(({ pointer }) => /^\/tasks\/\d+\/progress(?:\/|$)/u.test(pointer));
  if (own === undefined) return undefined;
  const hint = own.suggestion === undefined ? "" : `; ${own.suggestion}`;
  return `the progress of a task in a workflow is not valid, and no agent may repair it: line ${own.line}: ${own.message}${hint}`;
}

/** Why the last draft or repair was rejected, as the end of a clause. */
function describeLastFailure({ failed = [] }: Opening): string {
  const last = failed.at(-1);
  return last === undefined ? "" : `: ${last.evidence === "" ? last.reason : last.evidence}`;
}

function onAnswered(opening: Opening, event: EventOf<"answered">, decision: Decision): RunState {
  decision.because = { rule: event.yes ? "bootstrap-agreed" : "bootstrap-declined" };
  const rest = { ...opening, asking: false };
  if (event.yes) return askAgent(rest, "bootstrap", decision);
  return beginClose(rest, "unusable-backlog", "a backlog is missing, and none was wanted", decision);
}

function askAgent(opening: Opening, kind: "bootstrap" | "repair", decision: Decision): RunState {
  const over = explainRunOver(opening, decision.at);
  if (over !== undefined) return beginClose(opening, "budget", over, decision);
  const choice = choosePhaseAgent(opening, kind, decision.at);
  if (choice === undefined) return beginClose(opening, "environment", "no agent is left", decision);
  if (!("agent" in choice)) {
    const tooLong = waitFor(opening, choice, decision);
    return tooLong === undefined
      ? stay({ ...opening, waits: kind })
      : beginClose(opening, "waiting", tooLong, decision);
  }
  const { nextJob, asked } = opening;
  const facts = { job: nextJob, iteration: 0, phase: kind, agent: choice.agent, attempt: asked[kind] + 1 };
  const job = startAgent(makeJob(facts, "draft"), opening, opening.failed ?? [], decision);
  return stay({ ...opening, nextJob: nextJob + 1, job, waits: undefined });
}

function onAgentFinished(before: Opening, event: EventOf<"agent_finished">, decision: Decision): RunState {
  const job = findJob(before, event, "agent");
  const opening = { ...before, spent: addUsage(before.spent, event) };
  decision.notes.push(...reportSpending(before, opening, event));
  if (event.outcome === "ok") {
    decision.because = { rule: "adopt" };
    decision.effects.push({ kind: "adopt", job: job.facts });
    const backoffs = endBackoff(opening.backoffs, job.facts.agent);
    return stay({ ...opening, backoffs, job: { ...enter(job, "adopt"), end: event } });
  }
  const reason = event.reason ?? "exited";
  const evidence = event.evidence ?? "";
  if (isUnusable(reason)) return dropAgent(opening, job, { reason, evidence }, decision);
  if (causesBackoff(reason)) {
    // L17: a draft whose agent backs off does not count: the agent is asked again later, or another one is.
    decision.because = { rule: "agent-paused", why: reason };
    const paused = backOffAgent(opening, { ...job, end: event }, { reason, evidence }, decision);
    return askAgain(paused, job, decision);
  }
  decision.because = { rule: "agent-failed", why: reason };
  return readAgain(opening, job, { reason, evidence }, decision);
}

/** Drops an agent that cannot be used. The draft does not count; the next agent in the schedule is asked. */
function dropAgent(
  opening: Opening,
  job: Job,
  { reason, evidence }: { reason: string; evidence: string },
  decision: Decision,
): RunState {
  decision.because = { rule: "agent-unusable", why: reason };
  const { agent } = job.facts;
  const message = `${agent}: ${evidence === "" ? reason : evidence}`;
  const dropped = new Set([...opening.dropped, agent]);
  if (!canContinueWithout(opening.rules, dropped))
    return beginClose(opening, "environment", message, decision);
  decision.warn(describeSkipped(agent, { reason, evidence }), job.facts);
  return askAgain({ ...opening, dropped }, job, decision);
}

/** Asks again for a draft or a repair that does not count. */
function askAgain(opening: Opening, { facts }: Job, decision: Decision): RunState {
  if (opening.stopping > 0) return endInterrupted(opening, decision);
  return askAgent({ ...opening, job: undefined }, kindOf(facts), decision);
}

function kindOf({ phase }: Job["facts"]): "bootstrap" | "repair" {
  return phase === "repair" ? "repair" : "bootstrap";
}

function onAdopted(opening: Opening, event: EventOf<"adopted">, decision: Decision): RunState {
  const job = findJob(opening, event, "adopt");
  decision.because = { rule: event.adopted ? "adopted" : "not-adopted", why: event.why };
  const evidence = event.why ?? "what the agent wrote cannot be used";
  return readAgain(opening, job, event.adopted ? undefined : { reason: "bad-summary", evidence }, decision);
}

/** Reads the backlog again after a draft or repair, whether it succeeded or not. */
function readAgain(
  { failed: before = [], ...opening }: Opening,
  { facts, stopped }: Job,
  failure: { reason: string; evidence: string } | undefined,
  decision: Decision,
): RunState {
  const kind = kindOf(facts);
  const asked = { ...opening.asked, [kind]: opening.asked[kind] + 1 };
  const rest = { ...opening, asked, job: undefined };
  if (failure === undefined) return readBacklog(rest, decision);
  if (stopped !== true) decision.notes.push({ type: "attempt_failed", ...facts, ...failure, next: "retry" });
  const { attempt, agent } = facts;
  return readBacklog({ ...rest, failed: [...before, { attempt, agent, ...failure }] }, decision);
}

function onFailed(opening: Opening, event: EventOf<"effect_failed">, decision: Decision): RunState {
  decision.because = { rule: "effect-failed", why: event.effect };
  if (event.effect !== "stop") return beginClose(opening, "environment", describeFailure(event), decision);
  decision.warn(`stop: ${describeFailure(event)}`);
  return stay(opening);
}

function onInterrupted(opening: Opening, event: EventOf<"run_interrupted">, decision: Decision): RunState {
  const signalled = applySignal(opening, event);
  decision.because = { rule: signalled === opening ? "signal-ignored" : "interrupted", why: event.signal };
  if (signalled === opening) return stay(opening);
  const { job } = signalled;
  const running = job?.activity === "agent" ? job : undefined;
  const facts = signalled.checking === true ? PREFLIGHT_JOB : running?.facts;
  if (signalled.stopping === 3) {
    if (facts !== undefined) decision.effects.push({ kind: "stop", job: facts, how: "kill" });
    return closeAtOnce(signalled, decision);
  }
  // A question is a wait, and every wait ends at once.
  if (signalled.asking || signalled.waits !== undefined)
    return beginClose(signalled, "interrupted", undefined, decision);
  if (signalled.stopping < 2 || facts === undefined) return stay(signalled);
  decision.effects.push({ kind: "stop", job: facts, how: "now" });
  return stay(running === undefined ? signalled : { ...signalled, job: { ...running, stopped: true } });
}
