import type { StepEvent, Sealed } from "../../logging/events.js";
import type { ToldEvent } from "../../logging/told-events.js";
import { given } from "../../system/given.js";
import type { Effect } from "./effects.js";
import type { Frame, RunState, Stopping } from "./state.js";

/** Why a decision fell as it did: the rule, and what it was chosen from. */
export interface Because {
  rule: string;
  picked?: string;
  candidates?: number;
  loser?: string;
  why?: string;
}

/** What `step` answers. */
export interface Next {
  state: RunState;
  effects: readonly Effect[];
  /** Lines the log says beside `decided`. */
  notes: readonly ToldEvent[];
  because: Because;
  /** Epoch ms of the one timer; absent: it stays as it is. */
  wakeAt?: number;
}

/** Collects what one event leads to, while the state is worked out. */
export class Decision {
  /** Epoch ms of the event. */
  readonly at: number;
  readonly effects: Effect[] = [];
  readonly notes: ToldEvent[] = [];
  because: Because = { rule: "nothing-to-do" };
  wakeAt?: number;

  constructor(event: Sealed<StepEvent>) {
    this.at = Date.parse(event.timestamp);
  }

  next(state: RunState): Next {
    const { effects, notes, because, wakeAt } = this;
    return { state, effects, notes, because, ...given({ wakeAt }) };
  }
}

type Interrupt = Extract<StepEvent, { type: "run_interrupted" }>;

/**
 * How far a signal takes the run (contract §4, *Ctrl-C*): SIGTERM acts as twice, SIGHUP so only at a terminal, and
 * `looper stop` once, however often it is said; else the very same frame.
 */
export function applySignal<T extends Frame>(frame: T, event: Interrupt): T {
  if (event.signal === "SIGHUP" && !event.terminal) return frame;
  const least = event.signal === "SIGINT" ? 1 : 2;
  const reached = Math.max(least, event.by === "stop" ? frame.stopping : frame.stopping + 1);
  if (reached === frame.stopping) return frame;
  return { ...frame, stopping: toStopping(reached), signal: frame.signal ?? event.signal };
}

function toStopping(reached: number): Stopping {
  return reached <= 0 ? 0 : reached === 1 ? 1 : reached === 2 ? 2 : 3;
}

/** The error of a failed effect with its remedy, in one line. */
export function describeFailure(event: Extract<StepEvent, { type: "effect_failed" }>): string {
  return event.hint === undefined ? event.error : `${event.error}: ${event.hint}`;
}
