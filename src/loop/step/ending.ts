// The end of a run: the backlog's own commit, the hooks, the last line. Pure.
import type { Ending, Sealed, StepEvent, EventOf } from "../../logging/events/events.js";
import type { Close, Frame, RunState, Work } from "./state.js";
import { applySignal, type Decision } from "./decision.js";

/** Starts the end of the run. After an environment failure nothing is committed. */
export function beginClose(
  frame: Frame & Partial<Work>,
  ending: Ending,
  message: string | undefined,
  decision: Decision,
): RunState {
  const rows = frame.index === undefined ? [] : frame.index.values.filter((row) => row.marker !== true);
  const { rules, git, stopping, began, spent, signal } = frame;
  const close: Close = {
    ...{ rules, git, stopping, began, spent, signal, ending, message },
    hooks: rules.hooks.on_run_end,
    activity: "commit",
    done: rows.filter((row) => row.status === "done").length,
    tasks: rows.length,
    iterations: frame.iterations ?? 0,
  };
  const commits =
    close.git && close.rules.commit !== "none" && frame.index !== undefined && ending !== "environment";
  if (!commits) return startHooks(close, decision);
  decision.effects.push({ kind: "commit-backlog", ending });
  return { phase: "ending", close };
}

/** Handles an event while the run is ending. */
export function stepClose(close: Close, event: Sealed<StepEvent>, decision: Decision): RunState {
  switch (event.type) {
    case "committed":
      if (event.job !== undefined || close.activity !== "commit") return ignoreLate(close, decision);
      decision.because = { rule: "backlog-committed" };
      if (event.edits !== undefined) decision.notes.push({ type: "backlog_edited", ...event.edits });
      return startHooks(close, decision);
    case "hook_finished":
      if (event.job !== undefined || close.activity !== "hooks") return ignoreLate(close, decision);
      decision.because = { rule: "hook-finished" };
      return startHooks({ ...close, hooks: close.hooks.slice(1) }, decision);
    case "effect_failed":
      return onFailed(close, event, decision);
    case "run_interrupted": {
      decision.because = { rule: "interrupted", why: event.signal };
      const signalled = applySignal(close, event);
      return signalled.stopping === 3 && close.activity !== "finish"
        ? finish(signalled, decision)
        : { phase: "ending", close: signalled };
    }
    case "run_ended":
      decision.because = { rule: "ended", why: event.ending };
      return { phase: "ended", ending: event.ending };
    case "run_started":
    case "recovered":
      throw new Error(`${event.type} came while the run was ending`);
    // Edits that a later run reads, and answers to effects that were still running at the third signal.
    default:
      return ignoreLate(close, decision);
  }
}

function ignoreLate(close: Close, decision: Decision): RunState {
  decision.because = { rule: "too-late" };
  return { phase: "ending", close };
}

/** Logs a failure at the end and continues. L14: only the event this activity waits for moves it on. */
function onFailed(close: Close, event: EventOf<"effect_failed">, decision: Decision): RunState {
  const { effect } = event;
  if (effect === "finish") throw new Error(`the run could not be ended: ${event.error}`);
  decision.because = { rule: "end-in-spite-of", why: effect };
  decision.warn(`${effect}: ${event.error}`);
  if (event.job === undefined && close.activity === "commit" && effect === "commit-backlog") {
    return startHooks(close, decision);
  }
  if (event.job === undefined && close.activity === "hooks" && effect === "run-hook") {
    return startHooks({ ...close, hooks: close.hooks.slice(1) }, decision);
  }
  return { phase: "ending", close };
}

/** Ends the run at once: the third signal waits for nothing. */
export function closeAtOnce(frame: Frame & Partial<Work>, decision: Decision): RunState {
  const hookless = {
    ...frame,
    rules: { ...frame.rules, commit: "none" as const, hooks: { ...frame.rules.hooks, on_run_end: [] } },
  };
  return beginClose(hookless, "interrupted", undefined, decision);
}

function startHooks(close: Close, decision: Decision): RunState {
  const [command] = close.hooks;
  if (command === undefined) return finish(close, decision);
  decision.effects.push({
    kind: "run-hook",
    hook: "on_run_end",
    at: close.rules.hooks.on_run_end.length - close.hooks.length,
    command,
    status: close.ending,
    label: "run-end",
  });
  return { phase: "ending", close: { ...close, activity: "hooks" } };
}

function finish(close: Close, decision: Decision): RunState {
  const { ending, message, signal, done, tasks, iterations } = close;
  decision.effects.push({ kind: "finish", ending, signal, message, done, tasks, iterations });
  return { phase: "ending", close: { ...close, activity: "finish" } };
}
