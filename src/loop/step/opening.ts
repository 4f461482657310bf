// From the first event to a backlog that can be worked on: recover, read, draft or mend. Pure.
import { describeSkipped } from "../../agents/failure-words.js";
import { never } from "../../system/never.js";
import type { Ending, Sealed, StepEvent } from "../../logging/events.js";
import { given } from "../../system/given.js";
import { budgetsOf, sayOfSpending, spend, whyRunIsOver } from "./spending.js";
import { askedEdit } from "./asked-edits.js";
import { beginClose, closeAtOnce } from "./ending.js";
import { enter, failureNote, firstStage, labelOf } from "./job.js";
import { retryAtOf } from "./verdict.js";
import { isPause, pause, rememberedPause, unpause, untilOf } from "./backoff.js";
import { nameRedChecks, PREFLIGHT_JOB, whyRefused } from "./preflight.js";
import { canSpare, isUnusable, takerFor } from "./schedule.js";
import { waitFor } from "./wait.js";
import type { Job, Opening, State } from "./state.js";
import { heed, said, type Turn } from "./decision.js";
import { beginWork } from "./choose.js";

/** Contract §4: a backlog that is not valid is given to an agent at most twice. */
const MOST_REPAIRS = 2;
const MOST_DRAFTS = 2;

type Of<T extends StepEvent["type"]> = Extract<StepEvent, { type: T }>;

/** What follows from an event before there is a backlog. */
export function stepOpening(opening: Opening, event: Sealed<StepEvent>, turn: Turn): State {
  switch (event.type) {
    case "recovered":
      turn.because = { rule: "recovered" };
      return read({ ...opening, pending: event.pending !== undefined, pauses: pausesOf(event) }, turn);
    case "backlog_read":
      return onRead(opening, event, turn);
    case "preflight_finished":
      return onPreflight(opening, event, turn);
    case "committed":
      turn.because = {
        rule: "pending-finished",
        ...given({ picked: event.commit }),
      };
      return read({ ...opening, pending: false }, turn);
    case "backlog_invalid":
      return onInvalid(opening, event, turn);
    case "answered":
      return onAnswered(opening, event, turn);
    case "agent_finished":
      return onAgentFinished(opening, event, turn);
    case "adopted":
      return onAdopted(opening, event, turn);
    case "effect_failed":
      return onFailed(opening, event, turn);
    case "run_interrupted":
      return onInterrupted(opening, event, turn);
    case "woke":
      return onWoke(opening, turn);
    case "edit_asked":
      turn.because = { rule: "edit-asked" };
      return stays({ ...opening, asked: [...opening.asked, askedEdit(event, {})] });
    case "stop_sent":
      turn.because = { rule: "noted" };
      return stays(opening);
    case "run_started":
    case "backlog_changed":
    case "checkpoint":
    case "baseline_finished":
    case "gate_finished":
    case "hook_finished":
    case "snapshot":
    case "restored":
    case "release_step":
    case "run_ended":
      throw new Error(`${event.type} came before there was a backlog`);
    default:
      return never(event);
  }
}

function stays(opening: Opening): State {
  return { phase: "opening", opening };
}

function read(opening: Opening, turn: Turn): State {
  turn.effects.push({ kind: "read-backlog" });
  return stays(opening);
}

function end(opening: Opening, ending: Ending, message: string | undefined, turn: Turn): State {
  return beginClose(opening, ending, message, turn);
}

function endInterrupted(opening: Opening, turn: Turn): State {
  turn.because = { rule: "interrupted" };
  return end(opening, "interrupted", undefined, turn);
}

function onRead(opening: Opening, event: Of<"backlog_read">, turn: Turn): State {
  if (opening.stopping > 0) return endInterrupted(opening, turn);
  if (opening.pending) {
    turn.because = { rule: "finish-pending" };
    turn.effects.push({ kind: "finish-pending" });
    return stays(opening);
  }
  if (opening.refused !== undefined) return refuse(opening, opening.refused, turn);
  if (opening.rules.preflight === "refuse" && opening.named === undefined) return preflight(opening, turn);
  return beginWork(opening, event, turn);
}

/** A task's own check cannot run, and strict rules ask for it: nothing is claimed, and no agent is started. */
function refuse(opening: Opening, why: string, turn: Turn): State {
  turn.because = { rule: "refused" };
  return end(opening, "environment", why, turn);
}

/** Runs the checks before anything is claimed or drafted; what the backlog holds is read again afterwards. */
function preflight(opening: Opening, turn: Turn): State {
  turn.because = { rule: "preflight" };
  turn.effects.push({ kind: "preflight", job: PREFLIGHT_JOB });
  return stays({ ...opening, checking: true, named: new Set() });
}

function onPreflight(before: Opening, event: Of<"preflight_finished">, turn: Turn): State {
  const opening = { ...before, checking: undefined };
  if (opening.stopping > 0) return endInterrupted(opening, turn);
  turn.because = { rule: `preflight-${event.outcome}` };
  const why = whyRefused(opening.rules, event);
  if (why !== undefined) return end(opening, "environment", why, turn);
  return read({ ...opening, named: nameRedChecks(event, opening.named ?? new Set(), turn) }, turn);
}

function onInvalid(opening: Opening, event: Of<"backlog_invalid">, turn: Turn): State {
  if (opening.stopping > 0) return endInterrupted(opening, turn);
  if (opening.refused !== undefined) return refuse(opening, opening.refused, turn);
  if (startsAgent(opening, event) && opening.rules.preflight !== undefined && opening.named === undefined)
    return preflight(opening, turn);
  turn.because = { rule: `backlog-${event.what}` };
  if (event.what === "broken") {
    if (opening.repairs < MOST_REPAIRS) return ask(opening, "repair", turn);
    const message = `still not valid after ${opening.repairs} repairs${lastFailure(opening)}; ${first(event)}`;
    return end(opening, "unusable-backlog", message, turn);
  }
  if (event.known !== undefined) return end(opening, "unusable-backlog", event.known, turn);
  const { bootstrap } = opening.rules;
  if (typeof bootstrap === "object") return end(opening, "unusable-backlog", bootstrap.refused, turn);
  if (opening.drafts >= MOST_DRAFTS) {
    const message = `the agent drafted no backlog that can be used${lastFailure(opening)}`;
    return end(opening, "unusable-backlog", message, turn);
  }
  if (bootstrap === "ask" && opening.drafts === 0) {
    turn.effects.push({ kind: "ask", question: "There is no backlog yet. Let the agent draft one?" });
    return stays({ ...opening, asking: true });
  }
  return ask(opening, "bootstrap", turn);
}

/** Whether an agent may be asked to draft or to mend it. */
function startsAgent({ rules }: Opening, { what, known }: Of<"backlog_invalid">): boolean {
  return what === "broken" || (known === undefined && typeof rules.bootstrap !== "object");
}

/** Why the last draft or repair was not taken, as the end of a clause. */
function lastFailure({ failed = [] }: Opening): string {
  const last = failed.at(-1);
  return last === undefined ? "" : `: ${last.evidence === "" ? last.reason : last.evidence}`;
}

function first(event: Of<"backlog_invalid">): string {
  const [problem] = event.problems;
  return problem === undefined ? "it cannot be read" : `line ${problem.line}: ${problem.message}`;
}

function onAnswered(opening: Opening, event: Of<"answered">, turn: Turn): State {
  turn.because = { rule: event.yes ? "bootstrap-agreed" : "bootstrap-declined" };
  const rest = { ...opening, asking: false };
  if (event.yes) return ask(rest, "bootstrap", turn);
  return end(rest, "unusable-backlog", "there is no backlog, and none was wanted", turn);
}

function ask(opening: Opening, kind: "bootstrap" | "repair", turn: Turn): State {
  const over = whyRunIsOver(opening, turn.at);
  if (over !== undefined) return end(opening, "budget", over, turn);
  const attempt = (kind === "repair" ? opening.repairs : opening.drafts) + 1;
  const { dropped, pauses } = opening;
  const taker = takerFor(opening.rules, kind, { iteration: 1, dropped, pauses, at: turn.at });
  if (taker === undefined) return end(opening, "environment", "no agent is left", turn);
  if (!("agent" in taker)) {
    const tooLong = waitFor(opening, taker, turn);
    return tooLong === undefined
      ? stays({ ...opening, waits: kind })
      : end(opening, "waiting", tooLong, turn);
  }
  const { agent } = taker;
  const facts = { job: opening.nextJob, iteration: 0, phase: kind, agent, attempt };
  const job: Job = { facts, stage: firstStage(kind), hooks: [] };
  const budgets = budgetsOf(opening, undefined, turn.at);
  const limited = budgets.length === 0 ? {} : { budgets };
  const earlier = opening.failed ?? [];
  turn.effects.push({ kind: "run-agent", job: facts, label: labelOf(job), earlier, ...limited });
  const counted = kind === "repair" ? { repairs: attempt } : { drafts: attempt };
  return stays({ ...opening, ...counted, nextJob: opening.nextJob + 1, job, waits: undefined });
}

function onAgentFinished(before: Opening, event: Of<"agent_finished">, turn: Turn): State {
  const job = jobOf(before, event);
  const opening = { ...before, spent: spend(before.spent, event) };
  turn.notes.push(...sayOfSpending(before, opening, event));
  if (event.outcome === "ok") {
    turn.because = { rule: "adopt" };
    turn.effects.push({ kind: "adopt", job: job.facts });
    const pauses = unpause(opening.pauses, job.facts.agent);
    return stays({ ...opening, pauses, job: { ...enter(job, "adopt"), end: event } });
  }
  const reason = event.reason ?? "exited";
  const evidence = event.evidence ?? "";
  if (isUnusable(reason)) return dropAgent(opening, job, { reason, evidence }, turn);
  if (isPause(reason)) return pauseAgent(opening, job, { reason, evidence, event }, turn);
  turn.because = { rule: "agent-failed", why: reason };
  return again(opening, job, { reason, evidence }, turn);
}

/** An agent that is not there is no draft's fault: the next one scheduled is asked in its place. */
function dropAgent(
  opening: Opening,
  job: Job,
  { reason, evidence }: { reason: string; evidence: string },
  turn: Turn,
): State {
  turn.because = { rule: "agent-unusable", why: reason };
  const { agent, phase } = job.facts;
  const message = `${agent}: ${evidence === "" ? reason : evidence}`;
  const dropped = new Set([...opening.dropped, agent]);
  if (!canSpare(opening.rules, dropped)) return end(opening, "environment", message, turn);
  turn.notes.push({
    type: "warning",
    ...job.facts,
    message: describeSkipped(agent, { reason, evidence }),
  });
  if (opening.stopping > 0) return endInterrupted(opening, turn);
  const { drafts, repairs } = opening;
  if (phase === "repair") return ask({ ...opening, dropped, repairs: repairs - 1 }, "repair", turn);
  return ask({ ...opening, dropped, drafts: drafts - 1 }, "bootstrap", turn);
}

function onWoke(opening: Opening, turn: Turn): State {
  turn.because = { rule: opening.waits === undefined ? "noted" : "woke" };
  return opening.waits === undefined ? stays(opening) : ask(opening, opening.waits, turn);
}

/** L17: an agent that is not let in has drafted nothing: it is asked again later, or another one is. */
function pauseAgent(
  opening: Opening,
  job: Job,
  { event, ...failure }: { reason: string; evidence: string; event: Of<"agent_finished"> },
  turn: Turn,
): State {
  turn.because = { rule: "agent-paused", why: failure.reason };
  const { agent, phase } = job.facts;
  const told = { reason: failure.reason, ...retryAtOf(event), at: turn.at };
  const pauses = pause(opening.pauses, agent, told);
  turn.notes.push({ ...failureNote(job, failure, "wait"), ...untilOf(pauses, agent, turn.at) });
  if (opening.stopping > 0) return endInterrupted(opening, turn);
  const { drafts, repairs } = opening;
  const left = { ...opening, pauses, job: undefined };
  return phase === "repair"
    ? ask({ ...left, repairs: repairs - 1 }, "repair", turn)
    : ask({ ...left, drafts: drafts - 1 }, "bootstrap", turn);
}

/** What an earlier run was told of agents that are to be left alone. */
function pausesOf({ pauses = [] }: Of<"recovered">): Opening["pauses"] {
  return new Map(pauses.map((told) => [told.agent, rememberedPause(told)]));
}

function onAdopted(opening: Opening, event: Of<"adopted">, turn: Turn): State {
  const job = jobOf(opening, event);
  turn.because = {
    rule: event.adopted ? "adopted" : "not-adopted",
    ...given({ why: event.why }),
  };
  const evidence = event.why ?? "what the agent wrote cannot be used";
  return again(opening, job, event.adopted ? undefined : { reason: "bad-summary", evidence }, turn);
}

/** The draft or repair is over: the backlog is read anew, whatever came of it. */
function again(
  opening: Opening,
  job: Job,
  failure: { reason: string; evidence: string } | undefined,
  turn: Turn,
): State {
  const { failed: before = [], ...rest } = opening;
  if (failure === undefined) return read({ ...rest, job: undefined }, turn);
  if (job.stopped !== true) {
    turn.notes.push({ type: "attempt_failed", ...job.facts, ...failure, next: "retry" });
  }
  const { attempt, agent } = job.facts;
  return read({ ...rest, failed: [...before, { attempt, agent, ...failure }], job: undefined }, turn);
}

function jobOf(opening: Opening, event: Of<"agent_finished" | "adopted">): Job {
  const { job } = opening;
  if (job?.facts.job !== event.job || job.stage !== (event.type === "adopted" ? "adopt" : "agent")) {
    throw new Error(`${event.type} came for job ${event.job}, which does not wait for it`);
  }
  return job;
}

function onFailed(opening: Opening, event: Of<"effect_failed">, turn: Turn): State {
  turn.because = { rule: "effect-failed", why: event.effect };
  if (event.effect !== "stop") return end(opening, "environment", said(event), turn);
  turn.notes.push({ type: "warning", message: `stop: ${said(event)}` });
  return stays(opening);
}

function onInterrupted(opening: Opening, event: Of<"run_interrupted">, turn: Turn): State {
  const heeded = heed(opening, event);
  turn.because = { rule: heeded === opening ? "signal-ignored" : "interrupted", why: event.signal };
  if (heeded === opening) return stays(opening);
  const { job } = heeded;
  const running = job?.stage === "agent" ? job : undefined;
  const facts = heeded.checking === true ? PREFLIGHT_JOB : running?.facts;
  if (heeded.stopping === 3) {
    if (facts !== undefined) turn.effects.push({ kind: "stop", job: facts, how: "kill" });
    return closeAtOnce(heeded, turn);
  }
  // A question is a wait, and a wait ends at once.
  if (heeded.asking || heeded.waits !== undefined) return end(heeded, "interrupted", undefined, turn);
  if (heeded.stopping < 2 || facts === undefined) return stays(heeded);
  turn.effects.push({ kind: "stop", job: facts, how: "now" });
  return stays(running === undefined ? heeded : { ...heeded, job: { ...running, stopped: true } });
}
