// The release machine: an agent prepares the release, the runner checks it, makes it, and asks before each step that leaves
// the machine. A release that ends before it is made has its tree restored. Pure. release/judge.ts judges the agent's work.
import { never } from "../../system/never.js";
import { leaveEdit } from "./asked-edits.js";
import type { Ending, Sealed, StepEvent } from "../../logging/events/events.js";
import type { ReleaseRules } from "../../logging/rules.js";
import { given } from "../../system/given.js";
import { listSome } from "../../system/text/cut.js";
import type { JobFacts } from "./effects.js";
import { isUnusable } from "./schedule/schedule.js";
import { listBudgets, reportSpending, addUsage } from "./attempt/spending.js";
import type { Frame, ReleaseActivity, Releasing, RunState } from "./state.js";
import { applySignal, describeFailure, type Decision } from "./decision.js";

/** The name of a release's rescue and of its agent's folder. */
export const PUSH_LABEL = "push";

type Of<T extends StepEvent["type"]> = Extract<StepEvent, { type: T }>;

/** Starts a release instead of a run over the backlog. */
export function beginRelease(frame: Frame, order: ReleaseRules): Releasing {
  const { agent = "" } = frame.rules;
  const job: JobFacts = { job: 1, iteration: 1, phase: "push", agent, attempt: 1 };
  const { made } = order;
  return {
    ...frame,
    order,
    job,
    activity: "start",
    ...(made === undefined
      ? {}
      : { planned: { version: made.version, tag: made.tag, commit: made.commit, notes: "" } }),
  };
}

/** Handles an event of a release. */
export function stepReleasing(release: Releasing, event: Sealed<StepEvent>, decision: Decision): RunState {
  if (release.activity === "finish" && !AT_THE_END.has(event.type)) {
    // Answers to effects that were still running at the third signal.
    decision.because = { rule: "too-late" };
    return stay(release);
  }
  switch (event.type) {
    case "recovered":
      decision.because = { rule: "recovered" };
      return start(release, decision);
    case "answered":
      return onAnswered(release, event, decision);
    case "checkpoint":
      decision.because = { rule: "release-kept" };
      return release.order.checks ? doStep(release, "before", decision) : startAgent(release, decision);
    case "agent_finished":
      return onAgentFinished(release, event, decision);
    case "snapshot":
      decision.because = { rule: "release-left", why: event.head };
      decision.notes.push(...event.warnings.map((message) => ({ type: "warning" as const, message })));
      return event.head === "moved"
        ? putBack(release, "blocked", event.why, decision)
        : doStep(release, "judge", decision);
    case "release_step":
      return onStep(release, event, decision);
    case "restored":
      decision.because = { rule: "release-put-back" };
      return finish(release, decision);
    case "effect_failed":
      return onFailed(release, event, decision);
    case "run_interrupted":
      return onInterrupted(release, event, decision);
    case "edit_asked":
      decision.because = { rule: "noted" };
      leaveEdit(event, decision);
      return stay(release);
    case "stop_sent":
    case "woke":
      decision.because = { rule: "noted" };
      return stay(release);
    case "run_ended":
      decision.because = { rule: "ended", why: event.ending };
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
    case "work_saved":
    case "person_asked":
      throw new Error(`${event.type} came in a release`);
    default:
      return never(event);
  }
}

const AT_THE_END: ReadonlySet<StepEvent["type"]> = new Set(["run_ended", "run_interrupted", "effect_failed"]);

function stay(release: Releasing): RunState {
  return { phase: "releasing", release };
}

/** Starts an activity, or leaves the release if it was told to stop. */
function begin(
  release: Releasing,
  activity: ReleaseActivity,
  decision: Decision,
  begin: () => void,
): RunState {
  if (release.stopping > 0) return leave(release, decision);
  begin();
  return stay({ ...release, activity });
}

function start(release: Releasing, decision: Decision): RunState {
  const { made, checks, answers } = release.order;
  if (made?.tagged === false) return doStep(release, "make", decision);
  if (made !== undefined) return made.pushed ? startPublish(release, decision) : startPush(release, decision);
  if (checks) return checkpoint(release, decision);
  const message = "nothing checks this release: verify.commands is empty";
  decision.notes.push({ type: "warning", message });
  if (answers === "yes") return checkpoint(release, decision);
  return ask(release, "ask-unchecked", "Release it without a check?", decision);
}

function checkpoint(release: Releasing, decision: Decision): RunState {
  return begin(release, "checkpoint", decision, () => {
    decision.effects.push({ kind: "checkpoint", job: release.job, reuse: false });
  });
}

function startAgent(release: Releasing, decision: Decision): RunState {
  const budgets = listBudgets(release, undefined, decision.at);
  const limited = budgets.length === 0 ? {} : { budgets };
  return begin(release, "agent", decision, () => {
    decision.effects.push({
      kind: "run-agent",
      job: release.job,
      label: PUSH_LABEL,
      earlier: [],
      ...limited,
    });
  });
}

function doStep(release: Releasing, what: Of<"release_step">["what"], decision: Decision): RunState {
  const { job, planned } = release;
  return begin(release, what, decision, () => {
    decision.effects.push({ kind: "release", job, what, ...given({ release: planned }) });
  });
}

function ask(release: Releasing, activity: ReleaseActivity, question: string, decision: Decision): RunState {
  return begin(release, activity, decision, () => {
    decision.effects.push({ kind: "ask", question });
  });
}

function onAnswered(release: Releasing, { yes }: Of<"answered">, decision: Decision): RunState {
  decision.because = { rule: yes ? "agreed" : "declined", why: release.activity };
  switch (release.activity) {
    case "ask-unchecked":
      return yes
        ? checkpoint(release, decision)
        : finish(closeWith(release, "blocked", "nothing was started"), decision);
    case "ask-strange":
      return yes
        ? prove(release, decision)
        : putBack(release, "blocked", "the agent changed files that are not part of a release", decision);
    case "ask-push":
      return yes
        ? doStep(release, "push", decision)
        : finish(closeWith(release, "blocked", "not pushed: you declined"), decision);
    case "ask-publish":
      return yes
        ? doStep(release, "publish", decision)
        : finish(closeWith(release, "complete", undefined), decision);
    // The question was still open when the release was told to stop.
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
      decision.because = { rule: "too-late" };
      return stay(release);
    default:
      return never(release.activity);
  }
}

function onAgentFinished(before: Releasing, event: Of<"agent_finished">, decision: Decision): RunState {
  const release = { ...before, spent: addUsage(before.spent, event) };
  decision.notes.push(...reportSpending(before, release, event));
  if (event.outcome === "ok") {
    decision.because = { rule: "look-at-release" };
    return begin(release, "snapshot", decision, () => {
      decision.effects.push({ kind: "snapshot", job: release.job });
    });
  }
  const { reason = "exited", evidence = "" } = event;
  decision.because = { rule: "agent-failed", why: reason };
  const message = `${release.job.agent}: ${evidence === "" ? reason : evidence}`;
  return putBack(release, isUnusable(reason) ? "environment" : "blocked", message, decision);
}

function onStep(release: Releasing, event: Of<"release_step">, decision: Decision): RunState {
  decision.because = { rule: `release-${event.what}`, why: event.outcome };
  // A release that was made or pushed stays so, even if it was told to stop meanwhile.
  const next = event.what === "make" && event.outcome === "ok" ? planRelease(release, event) : release;
  const why = event.problems.map(({ message }) => message).join("; ");
  if (event.outcome !== "ok")
    return leavesMachine(event.what)
      ? finish(closeWith(next, "blocked", why), decision)
      : putBack(next, "blocked", why, decision);
  switch (event.what) {
    case "before":
      return startAgent(next, decision);
    case "judge":
      return onJudged(planRelease(next, event), event, decision);
    case "after":
      return doStep(next, "make", decision);
    case "make":
      return next.order.remote === undefined
        ? finish(closeWith(next, "complete", undefined), decision)
        : startPush(next, decision);
    case "push":
      return startPublish(next, decision);
    case "publish":
      return finish(closeWith(next, "complete", undefined), decision);
    default:
      return never(event.what);
  }
}

function leavesMachine(what: Of<"release_step">["what"]): boolean {
  return what === "push" || what === "publish";
}

function planRelease(
  release: Releasing,
  { version = "", tag = "", notes = "", commit }: Of<"release_step">,
): Releasing {
  const before = release.planned ?? { version, tag, notes };
  return { ...release, planned: { ...before, ...given({ commit }) } };
}

/** Changed files that are not part of a release need a person's confirmation: -y is not enough. */
function onJudged(release: Releasing, { strange = [] }: Of<"release_step">, decision: Decision): RunState {
  if (strange.length === 0) return prove(release, decision);
  const message = `the agent changed files that are not part of a release: ${listSome(strange, MOST_SHOWN)}`;
  if (release.order.answers !== "person") return putBack(release, "blocked", message, decision);
  decision.notes.push({ type: "warning", message });
  return ask(release, "ask-strange", "Take these changes into the release?", decision);
}

const MOST_SHOWN = 10;

function prove(release: Releasing, decision: Decision): RunState {
  return doStep(release, release.order.checks ? "after" : "make", decision);
}

function startPush(release: Releasing, decision: Decision): RunState {
  const { remote, answers, branch } = release.order;
  if (remote === undefined) return finish(closeWith(release, "complete", undefined), decision);
  if (answers === "nobody")
    return finish(closeWith(release, "blocked", "not pushed: confirmation needed. Pass -y"), decision);
  if (answers === "yes") return doStep(release, "push", decision);
  const question = `Push ${branch} and ${release.planned?.tag ?? ""} to ${remote.name} (${remote.url})?`;
  return ask(release, "ask-push", question, decision);
}

function startPublish(release: Releasing, decision: Decision): RunState {
  const { github, answers } = release.order;
  if (github === undefined || answers === "nobody")
    return finish(closeWith(release, "complete", undefined), decision);
  if (answers === "yes") return doStep(release, "publish", decision);
  const question = `Publish the release ${release.planned?.tag ?? ""} on ${github}?`;
  return ask(release, "ask-publish", question, decision);
}

function closeWith(release: Releasing, ending: Ending, message: string | undefined): Releasing {
  return { ...release, closing: { ending, ...given({ message }) } };
}

/** Saves the agent's work as a rescue and restores the tree. */
function putBack(
  release: Releasing,
  ending: Ending,
  message: string | undefined,
  decision: Decision,
): RunState {
  decision.effects.push({ kind: "restore", job: release.job });
  return stay({ ...closeWith(release, ending, message), activity: "restore" });
}

/** Ends a release that was told to stop, whichever activity it is in. */
function leave(release: Releasing, decision: Decision): RunState {
  return HOLDS_WORK.has(release.activity)
    ? putBack(release, "interrupted", undefined, decision)
    : finish(release, decision);
}

/** The activities during which the tree may hold the agent's work, or changes made by the checks. */
const HOLDS_WORK: ReadonlySet<ReleaseActivity> = new Set([
  ...(["checkpoint", "before", "agent", "snapshot", "judge", "ask-strange", "after"] as const),
]);

function finish(release: Releasing, decision: Decision): RunState {
  const { stopping, signal, closing = { ending: "interrupted" } } = release;
  // A stop that comes after the release is complete changes nothing.
  const isStopped = stopping > 0 && closing.ending !== "complete";
  const over: Releasing["closing"] = isStopped ? { ending: "interrupted" } : closing;
  const by = isStopped && signal !== undefined ? { signal } : {};
  decision.effects.push({ kind: "finish", ...over, ...by, done: 0, tasks: 0, iterations: 0 });
  return stay({ ...release, activity: "finish" });
}

function onFailed(release: Releasing, event: Of<"effect_failed">, decision: Decision): RunState {
  decision.because = { rule: "effect-failed", why: event.effect };
  if (event.effect === "stop") {
    decision.notes.push({ type: "warning", message: `stop: ${describeFailure(event)}` });
    return stay(release);
  }
  if (release.activity === "finish") throw new Error(`the release could not be ended: ${event.error}`);
  // Without a checkpoint there is nothing to restore, and a restore that failed is not tried again.
  const isHeld =
    (HOLDS_WORK.has(release.activity) && release.activity !== "checkpoint") || release.activity === "make";
  return isHeld
    ? putBack(release, "environment", describeFailure(event), decision)
    : finish(closeWith(release, "environment", describeFailure(event)), decision);
}

function onInterrupted(release: Releasing, event: Of<"run_interrupted">, decision: Decision): RunState {
  const signalled = applySignal(release, event);
  decision.because = { rule: signalled === release ? "signal-ignored" : "interrupted", why: event.signal };
  if (signalled === release || release.activity === "finish") return stay(signalled);
  if (signalled.stopping === 3) {
    decision.effects.push({ kind: "stop", job: release.job, how: "kill" });
    return finish(signalled, decision);
  }
  // A question is a wait, and every wait ends at once.
  if (release.activity.startsWith("ask-")) return leave(signalled, decision);
  if (STOPPABLE.has(release.activity)) decision.effects.push({ kind: "stop", job: release.job, how: "now" });
  return stay(signalled);
}

/** The activities that may take long and can be stopped. */
const STOPPABLE: ReadonlySet<ReleaseActivity> = new Set(["before", "agent", "after", "push", "publish"]);
