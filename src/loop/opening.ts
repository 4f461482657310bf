// From the first event to a backlog that can be worked on: recover, read, draft or mend. Pure.
import type { Sealed, StepEvent } from "../logging/events.js";
import { beginClose, closeAtOnce } from "./close.js";
import { firstStage, labelOf } from "./job.js";
import { agentFor } from "./schedule.js";
import type { Job, Opening, State } from "./state.js";
import { heed, said, type Turn } from "./turn.js";
import { beginWork } from "./choose.js";

/** Contract §4: a backlog that is not valid is given to an agent at most twice. */
const MOST_REPAIRS = 2;
const MOST_DRAFTS = 2;

type Invalid = Extract<StepEvent, { type: "backlog_invalid" }>;

/** What follows from an event before there is a backlog. */
export function stepOpening(opening: Opening, event: Sealed<StepEvent>, turn: Turn): State {
  switch (event.type) {
    case "recovered":
      turn.because = { rule: "recovered" };
      return read({ ...opening, pending: event.pending !== undefined }, turn);
    case "backlog_read":
      return onRead(opening, event, turn);
    case "committed":
      turn.because = {
        rule: "pending-finished",
        ...(event.commit === undefined ? {} : { picked: event.commit }),
      };
      return read({ ...opening, pending: false }, turn);
    case "backlog_invalid":
      return onInvalid(opening, event, turn);
    case "answered":
      turn.because = { rule: event.yes ? "bootstrap-agreed" : "bootstrap-declined" };
      if (event.yes) return ask(opening, "bootstrap", turn);
      return beginClose(opening, "unusable-backlog", "there is no backlog, and none was wanted", turn);
    case "agent_finished":
      return onAgentFinished(opening, event, turn);
    case "adopted":
      return onAdopted(opening, event, turn);
    case "effect_failed":
      turn.because = { rule: "effect-failed", why: event.effect };
      return beginClose(opening, "environment", said(event), turn);
    case "run_interrupted":
      return onInterrupted(opening, event, turn);
    case "stop_sent":
    case "woke":
      turn.because = { rule: "noted" };
      return { phase: "opening", opening };
    default:
      throw new Error(`${event.type} came before there was a backlog`);
  }
}

function read(opening: Opening, turn: Turn): State {
  turn.effects.push({ kind: "read-backlog" });
  return { phase: "opening", opening };
}

function onRead(opening: Opening, event: Extract<StepEvent, { type: "backlog_read" }>, turn: Turn): State {
  if (opening.stopping > 0) {
    turn.because = { rule: "interrupted" };
    return beginClose(opening, "interrupted", undefined, turn);
  }
  if (opening.pending) {
    turn.because = { rule: "finish-pending" };
    turn.effects.push({ kind: "finish-pending" });
    return { phase: "opening", opening };
  }
  return beginWork(opening, event, turn);
}

function onInvalid(opening: Opening, event: Invalid, turn: Turn): State {
  if (opening.stopping > 0) {
    turn.because = { rule: "interrupted" };
    return beginClose(opening, "interrupted", undefined, turn);
  }
  turn.because = { rule: `backlog-${event.what}` };
  if (event.what === "broken") {
    if (opening.repairs < MOST_REPAIRS) return ask(opening, "repair", turn);
    return beginClose(
      opening,
      "unusable-backlog",
      `still not valid after ${String(opening.repairs)} repairs: ${first(event)}`,
      turn,
    );
  }
  if (event.known !== undefined) return beginClose(opening, "unusable-backlog", event.known, turn);
  const { bootstrap } = opening.rules;
  if (typeof bootstrap === "object") return beginClose(opening, "unusable-backlog", bootstrap.refused, turn);
  if (opening.drafts >= MOST_DRAFTS) {
    return beginClose(opening, "unusable-backlog", "the agent drafted no backlog that can be used", turn);
  }
  if (bootstrap === "ask" && opening.drafts === 0) {
    turn.effects.push({ kind: "ask", question: "There is no backlog yet. Let the agent draft one?" });
    return { phase: "opening", opening };
  }
  return ask(opening, "bootstrap", turn);
}

function first(event: Invalid): string {
  const [problem] = event.problems;
  return problem === undefined ? "it cannot be read" : `line ${String(problem.line)}: ${problem.message}`;
}

function ask(opening: Opening, kind: "bootstrap" | "repair", turn: Turn): State {
  const attempt = (kind === "repair" ? opening.repairs : opening.drafts) + 1;
  const agent = agentFor(opening.rules, kind, { iteration: 1, dropped: new Set() });
  if (agent === undefined) return beginClose(opening, "environment", "no agent is left", turn);
  const facts = { job: opening.drafts + opening.repairs + 1, iteration: 0, phase: kind, agent, attempt };
  const job: Job = { facts, stage: firstStage(kind), hooks: [] };
  turn.effects.push({ kind: "run-agent", job: facts, label: labelOf(job), earlier: [] });
  const counted = kind === "repair" ? { repairs: attempt } : { drafts: attempt };
  return { phase: "opening", opening: { ...opening, ...counted, job } };
}

function onAgentFinished(
  opening: Opening,
  event: Extract<StepEvent, { type: "agent_finished" }>,
  turn: Turn,
): State {
  const { job } = opening;
  if (job === undefined) throw new Error("agent_finished came, but no agent was started");
  if (event.outcome === "failed" && (event.reason === "not-found" || event.reason === "not-signed-in")) {
    turn.because = { rule: "agent-unusable", why: event.reason };
    return beginClose(opening, "environment", `${job.facts.agent}: ${event.evidence ?? event.reason}`, turn);
  }
  if (event.outcome === "failed") {
    turn.because = { rule: "agent-failed", why: event.reason ?? "" };
    turn.notes.push({
      type: "attempt_failed",
      ...job.facts,
      reason: event.reason ?? "exited",
      evidence: event.evidence ?? "",
      next: "retry",
    });
    const { job: _ended, ...rest } = opening;
    return read(rest, turn);
  }
  turn.because = { rule: "adopt" };
  turn.effects.push({ kind: "adopt", job: job.facts });
  return { phase: "opening", opening: { ...opening, job: { ...job, stage: "adopt", end: event } } };
}

function onAdopted(opening: Opening, event: Extract<StepEvent, { type: "adopted" }>, turn: Turn): State {
  turn.because = {
    rule: event.adopted ? "adopted" : "not-adopted",
    ...(event.why === undefined ? {} : { why: event.why }),
  };
  if (!event.adopted && opening.job !== undefined) {
    const evidence = event.why ?? "what the agent wrote cannot be used";
    turn.notes.push({
      type: "attempt_failed",
      ...opening.job.facts,
      reason: "bad-summary",
      evidence,
      next: "retry",
    });
  }
  const { job: _ended, ...rest } = opening;
  return read(rest, turn);
}

function onInterrupted(
  opening: Opening,
  event: Extract<StepEvent, { type: "run_interrupted" }>,
  turn: Turn,
): State {
  const heeded = heed(opening, event);
  turn.because = { rule: "interrupted", why: event.signal };
  if (heeded.stopping === 3) return closeAtOnce(heeded, turn);
  if (heeded.stopping === 2 && heeded.job?.stage === "agent") {
    turn.effects.push({ kind: "stop", job: heeded.job.facts, how: "now" });
  }
  return { phase: "opening", opening: heeded };
}
