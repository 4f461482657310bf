import type { StepEvent, Sealed, EventOf } from "../../logging/events/events.js";
import type { ToldEvent } from "../../logging/events/told-events.js";
import type { Effect, JobFacts } from "./effects.js";
import type { Frame, RunState, Stopping } from "./state.js";

/** The reason for a decision: the rule, and the choice it made. */
export interface DecisionReason {
  rule: string;
  picked?: string;
  candidates?: number;
  loser?: string;
  why?: string;
}

/** The result of `step`. */
export interface Next {
  state: RunState;
  effects: readonly Effect[];
  /** Lines to log beside `decided`. */
  notes: readonly ToldEvent[];
  because: DecisionReason;
  /** When the run's one timer fires, epoch ms; absent: the timer is unchanged. */
  wakeAt?: number;
}

/** Collects the effects, notes and reason of one event while its new state is computed. */
export class Decision {
  /** Epoch ms of the event. */
  readonly at: number;
  readonly effects: Effect[] = [];
  readonly notes: ToldEvent[] = [];
  because: DecisionReason = { rule: "nothing-to-do" };
  wakeAt?: number;

  constructor(event: Sealed<StepEvent>) {
    this.at = Date.parse(event.timestamp);
  }

  /** Warns readers of the log. `facts`: the job that it is about. */
  warn(message: string, facts: Partial<JobFacts> = {}): void {
    this.notes.push({ type: "warning", ...facts, message });
  }

  next(state: RunState): Next {
    const { effects, notes, because, wakeAt } = this;
    return { state, effects, notes, because, wakeAt };
  }
}

/**
 * Raises the stop level of the run (contract §4, *Ctrl-C*). SIGTERM counts as two signals, SIGHUP too, but only on a terminal.
 * `looper stop` does not add up when repeated. Returns the identical frame if the level stays.
 */
export function applySignal<T extends Frame>(frame: T, event: EventOf<"run_interrupted">): T {
  if (event.signal === "SIGHUP" && !event.terminal) return frame;
  const least = event.signal === "SIGINT" ? 1 : 2;
  const reached = Math.max(least, event.by === "stop" ? frame.stopping : frame.stopping + 1);
  if (reached === frame.stopping) return frame;
  const stopping: Stopping = reached <= 1 ? 1 : reached === 2 ? 2 : 3;
  return { ...frame, stopping, signal: frame.signal ?? event.signal };
}

/** The error of a failed effect with its hint, in one line. */
export function describeFailure(event: EventOf<"effect_failed">): string {
  return event.hint === undefined ? event.error : `${event.error}: ${event.hint}`;
}
