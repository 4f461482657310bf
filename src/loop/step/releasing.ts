// The release machine: an agent prepares it, the runner proves it, makes it, and asks before each step that leaves the
// machine. Until it is made, whatever ends it puts the tree back. Pure. Leaves judging what the agent left to release/judge.ts.
import { never } from "../../system/never.js";
import { leaveEdit } from "./asked-edits.js";
import type { Ending, Sealed, StepEvent } from "../../logging/events.js";
import type { ReleaseRules } from "../../logging/rules.js";
import { given } from "../../system/given.js";
import { listSome } from "../../system/text/cut.js";
import type { JobFacts } from "./effects.js";
import { isUnusable } from "./schedule.js";
import { budgetsOf, sayOfSpending, spend } from "./spending.js";
import type { Frame, ReleaseStage, Releasing, State } from "./state.js";
import { heed, said, type Turn } from "./decision.js";

/** What a release's work and its agent's folder are called. */
export const PUSH_LABEL = "push";

type Of<T extends StepEvent["type"]> = Extract<StepEvent, { type: T }>;

/** Begins a release in place of a run over the backlog. */
export function beginRelease(frame: Frame, order: ReleaseRules): Releasing {
  const { agent = "" } = frame.rules;
  const job: JobFacts = { job: 1, iteration: 1, phase: "push", agent, attempt: 1 };
  const { made } = order;
  return {
    ...frame,
    order,
    job,
    stage: "start",
    ...(made === undefined
      ? {}
      : { planned: { version: made.version, tag: made.tag, commit: made.commit, notes: "" } }),
  };
}

/** What follows from an event of a release. */
export function stepReleasing(release: Releasing, event: Sealed<StepEvent>, turn: Turn): State {
  if (release.stage === "finish" && !AT_THE_END.has(event.type)) {
    // What was still on its way when the third signal came.
    turn.because = { rule: "too-late" };
    return stays(release);
  }
  switch (event.type) {
    case "recovered":
      turn.because = { rule: "recovered" };
      return start(release, turn);
    case "answered":
      return onAnswered(release, event, turn);
    case "checkpoint":
      turn.because = { rule: "release-kept" };
      return release.order.checks ? doStep(release, "before", turn) : startAgent(release, turn);
    case "agent_finished":
      return onAgentFinished(release, event, turn);
    case "snapshot":
      turn.because = { rule: "release-left", why: event.head };
      turn.notes.push(...event.warnings.map((message) => ({ type: "warning" as const, message })));
      return event.head === "moved"
        ? putBack(release, "blocked", event.why, turn)
        : doStep(release, "judge", turn);
    case "release_step":
      return onStep(release, event, turn);
    case "restored":
      turn.because = { rule: "release-put-back" };
      return finish(release, turn);
    case "effect_failed":
      return onFailed(release, event, turn);
    case "run_interrupted":
      return onInterrupted(release, event, turn);
    case "edit_asked":
      turn.because = { rule: "noted" };
      leaveEdit(event, turn);
      return stays(release);
    case "stop_sent":
    case "woke":
      turn.because = { rule: "noted" };
      return stays(release);
    case "run_ended":
      turn.because = { rule: "ended", why: event.ending };
      return { phase: "ended", ending: event.ending };
    case "run_started":
    case "backlog_read":
    case "backlog_invalid":
    case "backlog_changed":
    case "adopted":
    case "baseline_finished":
    case "preflight_finished":
    case "gate_finished":
    case "committed":
    case "hook_finished":
      throw new Error(`${event.type} came in a release`);
    default:
      return never(event);
  }
}

const AT_THE_END: ReadonlySet<StepEvent["type"]> = new Set(["run_ended", "run_interrupted", "effect_failed"]);

function stays(release: Releasing): State {
  return { phase: "releasing", release };
}

/** Nothing new begins once it was told to stop. */
function at(release: Releasing, stage: ReleaseStage, turn: Turn, begin: () => void): State {
  if (release.stopping > 0) return wayOut(release, turn);
  begin();
  return stays({ ...release, stage });
}

function start(release: Releasing, turn: Turn): State {
  const { made, checks, answers } = release.order;
  if (made?.tagged === false) return doStep(release, "make", turn);
  if (made !== undefined) return made.pushed ? toPublish(release, turn) : toPush(release, turn);
  if (checks) return checkpoint(release, turn);
  const message = "nothing checks this release: verify.commands is empty";
  turn.notes.push({ type: "warning", message });
  if (answers === "yes") return checkpoint(release, turn);
  return ask(release, "ask-unchecked", "Release it without a check?", turn);
}

function checkpoint(release: Releasing, turn: Turn): State {
  return at(release, "checkpoint", turn, () => {
    turn.effects.push({ kind: "checkpoint", job: release.job, reuse: false });
  });
}

function startAgent(release: Releasing, turn: Turn): State {
  const budgets = budgetsOf(release, undefined, turn.at);
  const limited = budgets.length === 0 ? {} : { budgets };
  return at(release, "agent", turn, () => {
    turn.effects.push({ kind: "run-agent", job: release.job, label: PUSH_LABEL, earlier: [], ...limited });
  });
}

function doStep(release: Releasing, what: Of<"release_step">["what"], turn: Turn): State {
  const { job, planned } = release;
  return at(release, what, turn, () => {
    turn.effects.push({ kind: "release", job, what, ...given({ release: planned }) });
  });
}

function ask(release: Releasing, stage: ReleaseStage, question: string, turn: Turn): State {
  return at(release, stage, turn, () => {
    turn.effects.push({ kind: "ask", question });
  });
}

function onAnswered(release: Releasing, { yes }: Of<"answered">, turn: Turn): State {
  turn.because = { rule: yes ? "agreed" : "declined", why: release.stage };
  switch (release.stage) {
    case "ask-unchecked":
      return yes
        ? checkpoint(release, turn)
        : finish(closing(release, "blocked", "nothing was started"), turn);
    case "ask-strange":
      return yes
        ? prove(release, turn)
        : putBack(release, "blocked", "what the agent changed is no part of a release", turn);
    case "ask-push":
      return yes
        ? doStep(release, "push", turn)
        : finish(closing(release, "blocked", "not pushed: you declined"), turn);
    case "ask-publish":
      return yes ? doStep(release, "publish", turn) : finish(closing(release, "complete", undefined), turn);
    // Somebody was still being asked when it was told to stop.
    case "start":
    case "checkpoint":
    case "before":
    case "agent":
    case "snapshot":
    case "judge":
    case "after":
    case "make":
    case "push":
    case "publish":
    case "restore":
    case "finish":
      turn.because = { rule: "too-late" };
      return stays(release);
    default:
      return never(release.stage);
  }
}

function onAgentFinished(before: Releasing, event: Of<"agent_finished">, turn: Turn): State {
  const release = { ...before, spent: spend(before.spent, event) };
  turn.notes.push(...sayOfSpending(before, release, event));
  if (event.outcome === "ok") {
    turn.because = { rule: "look-at-release" };
    return at(release, "snapshot", turn, () => {
      turn.effects.push({ kind: "snapshot", job: release.job });
    });
  }
  const { reason = "exited", evidence = "" } = event;
  turn.because = { rule: "agent-failed", why: reason };
  const message = `${release.job.agent}: ${evidence === "" ? reason : evidence}`;
  return putBack(release, isUnusable(reason) ? "environment" : "blocked", message, turn);
}

function onStep(release: Releasing, event: Of<"release_step">, turn: Turn): State {
  turn.because = { rule: `release-${event.what}`, why: event.outcome };
  // What is made is made, and what is out is out, also when it was told to stop meanwhile.
  const next = event.what === "make" && event.outcome === "ok" ? planned(release, event) : release;
  const why = event.problems.map(({ message }) => message).join("; ");
  if (event.outcome !== "ok")
    return isOut(event.what)
      ? finish(closing(next, "blocked", why), turn)
      : putBack(next, "blocked", why, turn);
  switch (event.what) {
    case "before":
      return startAgent(next, turn);
    case "judge":
      return onJudged(planned(next, event), event, turn);
    case "after":
      return doStep(next, "make", turn);
    case "make":
      return next.order.remote === undefined
        ? finish(closing(next, "complete", undefined), turn)
        : toPush(next, turn);
    case "push":
      return toPublish(next, turn);
    case "publish":
      return finish(closing(next, "complete", undefined), turn);
    default:
      return never(event.what);
  }
}

function isOut(what: Of<"release_step">["what"]): boolean {
  return what === "push" || what === "publish";
}

function planned(
  release: Releasing,
  { version = "", tag = "", notes = "", commit }: Of<"release_step">,
): Releasing {
  const before = release.planned ?? { version, tag, notes };
  return { ...release, planned: { ...before, ...given({ commit }) } };
}

/** Files that are no part of a release need a person's word: -y does not stand for it. */
function onJudged(release: Releasing, { strange = [] }: Of<"release_step">, turn: Turn): State {
  if (strange.length === 0) return prove(release, turn);
  const message = `the agent changed what is no part of a release: ${listSome(strange, MOST_SHOWN)}`;
  if (release.order.answers !== "person") return putBack(release, "blocked", message, turn);
  turn.notes.push({ type: "warning", message });
  return ask(release, "ask-strange", "Take these changes into the release?", turn);
}

const MOST_SHOWN = 10;

function prove(release: Releasing, turn: Turn): State {
  return doStep(release, release.order.checks ? "after" : "make", turn);
}

function toPush(release: Releasing, turn: Turn): State {
  const { remote, answers, branch } = release.order;
  if (remote === undefined) return finish(closing(release, "complete", undefined), turn);
  if (answers === "nobody")
    return finish(closing(release, "blocked", "not pushed: confirmation needed. Pass -y"), turn);
  if (answers === "yes") return doStep(release, "push", turn);
  const question = `Push ${branch} and ${release.planned?.tag ?? ""} to ${remote.name} (${remote.url})?`;
  return ask(release, "ask-push", question, turn);
}

function toPublish(release: Releasing, turn: Turn): State {
  const { github, answers } = release.order;
  if (github === undefined || answers === "nobody")
    return finish(closing(release, "complete", undefined), turn);
  if (answers === "yes") return doStep(release, "publish", turn);
  const question = `Publish the release ${release.planned?.tag ?? ""} on ${github}?`;
  return ask(release, "ask-publish", question, turn);
}

function closing(release: Releasing, ending: Ending, message: string | undefined): Releasing {
  return { ...release, closing: { ending, ...given({ message }) } };
}

/** The agent's work is put aside, and the tree is as before. */
function putBack(release: Releasing, ending: Ending, message: string | undefined, turn: Turn): State {
  turn.effects.push({ kind: "restore", job: release.job });
  return stays({ ...closing(release, ending, message), stage: "restore" });
}

/** Out of whatever it was at when it was told to stop. */
function wayOut(release: Releasing, turn: Turn): State {
  return HELD.has(release.stage) ? putBack(release, "interrupted", undefined, turn) : finish(release, turn);
}

/** While the tree may hold the agent's work, or what the checks left. */
const HELD: ReadonlySet<ReleaseStage> = new Set([
  ...(["checkpoint", "before", "agent", "snapshot", "judge", "ask-strange", "after"] as const),
]);

function finish(release: Releasing, turn: Turn): State {
  const { stopping, signal, closing: told = { ending: "interrupted" } } = release;
  // Told to stop once all was done: it is done.
  const isStopped = stopping > 0 && told.ending !== "complete";
  const over: Releasing["closing"] = isStopped ? { ending: "interrupted" } : told;
  const by = isStopped && signal !== undefined ? { signal } : {};
  turn.effects.push({ kind: "finish", ...over, ...by, done: 0, tasks: 0, iterations: 0 });
  return stays({ ...release, stage: "finish" });
}

function onFailed(release: Releasing, event: Of<"effect_failed">, turn: Turn): State {
  turn.because = { rule: "effect-failed", why: event.effect };
  if (event.effect === "stop") {
    turn.notes.push({ type: "warning", message: `stop: ${said(event)}` });
    return stays(release);
  }
  if (release.stage === "finish") throw new Error(`the release could not be ended: ${event.error}`);
  // Without a checkpoint there is nothing to go back to, and a tree that cannot be put back is not tried again.
  const isHeld = (HELD.has(release.stage) && release.stage !== "checkpoint") || release.stage === "make";
  return isHeld
    ? putBack(release, "environment", said(event), turn)
    : finish(closing(release, "environment", said(event)), turn);
}

function onInterrupted(release: Releasing, event: Of<"run_interrupted">, turn: Turn): State {
  const heeded = heed(release, event);
  turn.because = { rule: heeded === release ? "signal-ignored" : "interrupted", why: event.signal };
  if (heeded === release || release.stage === "finish") return stays(heeded);
  if (heeded.stopping === 3) {
    turn.effects.push({ kind: "stop", job: release.job, how: "kill" });
    return finish(heeded, turn);
  }
  // A question is a wait, and a wait ends at once.
  if (release.stage.startsWith("ask-")) return wayOut(heeded, turn);
  if (STOPPABLE.has(release.stage)) turn.effects.push({ kind: "stop", job: release.job, how: "now" });
  return stays(heeded);
}

/** What runs for long, and can be ended. */
const STOPPABLE: ReadonlySet<ReleaseStage> = new Set(["before", "agent", "after", "push", "publish"]);
