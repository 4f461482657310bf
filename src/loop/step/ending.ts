// The end of a run: the backlog's own commit, the hooks, the last line. Pure.
import { never } from "../../system/never.js";
import type { Ending, Sealed, StepEvent } from "../../logging/events.js";
import { given } from "../../system/given.js";
import { leaveEdit } from "./asked-edits.js";
import type { Close, Frame, State, Work } from "./state.js";
import { heed, type Turn } from "./decision.js";

/** Begins the end. Where the world itself failed, nothing more is asked of it. */
export function beginClose(
  frame: Frame & Partial<Work>,
  ending: Ending,
  message: string | undefined,
  turn: Turn,
): State {
  const rows = frame.index === undefined ? [] : frame.index.values.filter((row) => row.marker !== true);
  const close: Close = {
    rules: frame.rules,
    git: frame.git,
    stopping: frame.stopping,
    began: frame.began,
    spent: frame.spent,
    ...given({ signal: frame.signal }),
    ending,
    ...given({ message }),
    hooks: frame.rules.hooks.on_run_end,
    stage: "commit",
    done: rows.filter((row) => row.status === "done").length,
    tasks: rows.length,
    iterations: frame.iterations ?? 0,
  };
  const commits =
    close.git && close.rules.commit !== "none" && frame.index !== undefined && ending !== "environment";
  if (!commits) return startHooks(close, turn);
  turn.effects.push({ kind: "commit-backlog", ending });
  return { phase: "ending", close };
}

/** What follows from an event once the end has begun. */
export function stepClose(close: Close, event: Sealed<StepEvent>, turn: Turn): State {
  switch (event.type) {
    case "committed":
      if (event.job !== undefined || close.stage !== "commit") return tooLate(close, turn);
      turn.because = { rule: "backlog-committed" };
      return startHooks(close, turn);
    case "hook_finished":
      if (event.job !== undefined || close.stage !== "hooks") return tooLate(close, turn);
      turn.because = { rule: "hook-finished" };
      return startHooks({ ...close, hooks: close.hooks.slice(1) }, turn);
    case "effect_failed":
      return onFailed(close, event, turn);
    case "run_interrupted": {
      turn.because = { rule: "interrupted", why: event.signal };
      const heeded = heed(close, event);
      return heeded.stopping === 3 && close.stage !== "finish"
        ? finish(heeded, turn)
        : { phase: "ending", close: heeded };
    }
    case "edit_asked":
      leaveEdit(event, turn);
      return tooLate(close, turn);
    case "run_ended":
      turn.because = { rule: "ended", why: event.ending };
      return { phase: "ended", ending: event.ending };
    // What was still on its way when the third signal came.
    case "backlog_changed":
    case "backlog_read":
    case "backlog_invalid":
    case "answered":
    case "adopted":
    case "checkpoint":
    case "baseline_finished":
    case "preflight_finished":
    case "gate_finished":
    case "agent_finished":
    case "snapshot":
    case "restored":
    case "stop_sent":
    case "woke":
      return tooLate(close, turn);
    case "run_started":
    case "recovered":
    case "release_step":
      throw new Error(`${event.type} came while the run was ending`);
    default:
      return never(event);
  }
}

function tooLate(close: Close, turn: Turn): State {
  turn.because = { rule: "too-late" };
  return { phase: "ending", close };
}

/** What fails at the end is said, and the end goes on; L14: only what this stage waits for moves it on. */
function onFailed(close: Close, event: Extract<StepEvent, { type: "effect_failed" }>, turn: Turn): State {
  const { effect } = event;
  if (effect === "finish") throw new Error(`the run could not be ended: ${event.error}`);
  turn.because = { rule: "end-in-spite-of", why: effect };
  turn.notes.push({ type: "warning", message: `${effect}: ${event.error}` });
  if (event.job === undefined && close.stage === "commit" && effect === "commit-backlog") {
    return startHooks(close, turn);
  }
  if (event.job === undefined && close.stage === "hooks" && effect === "run-hook") {
    return startHooks({ ...close, hooks: close.hooks.slice(1) }, turn);
  }
  return { phase: "ending", close };
}

/** Ends the run now: the third signal waits for nothing. */
export function closeAtOnce(frame: Frame & Partial<Work>, turn: Turn): State {
  const hookless = {
    ...frame,
    rules: { ...frame.rules, commit: "none" as const, hooks: { ...frame.rules.hooks, on_run_end: [] } },
  };
  return beginClose(hookless, "interrupted", undefined, turn);
}

function startHooks(close: Close, turn: Turn): State {
  const [command] = close.hooks;
  if (command === undefined) return finish(close, turn);
  turn.effects.push({
    kind: "run-hook",
    hook: "on_run_end",
    at: close.rules.hooks.on_run_end.length - close.hooks.length,
    command,
    status: close.ending,
    label: "run-end",
  });
  return { phase: "ending", close: { ...close, stage: "hooks" } };
}

function finish(close: Close, turn: Turn): State {
  const { ending, message, signal, done, tasks, iterations } = close;
  turn.effects.push({
    kind: "finish",
    ending,
    ...given({ signal, message }),
    done,
    tasks,
    iterations,
  });
  return { phase: "ending", close: { ...close, stage: "finish" } };
}
