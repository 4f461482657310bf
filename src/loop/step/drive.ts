// `drive`: takes events, calls `step`, logs the decision, starts the effects. Makes no decision of its own.
import { errorCode, errorMessage, isDiskFull, UserError } from "../../system/errors.js";
import type { Clock, Timer } from "../../system/ports.js";
import type { StepEvent, EventOf } from "../../logging/events/events.js";
import type { ToldEvent } from "../../logging/events/told-events.js";
import type { RunLog } from "../../logging/run-log.js";
import type { Effect } from "./effects.js";
import { START, step } from "./step.js";
import type { RunState } from "./state.js";

/**
 * Performs one effect, decided at `at` (epoch ms), and resolves with the one event it ends in. An error becomes
 * `effect_failed`.
 */
export type Perform = (effect: Effect, at: number) => Promise<StepEvent>;

/** Drives the run to its end and resolves with the last event. Throws on an internal error or if the log cannot be written. */
export async function drive(
  { log, clock, perform }: { log: RunLog; clock: Clock; perform: Perform },
  inbox: Inbox,
): Promise<EventOf<"run_ended">> {
  let state: RunState = START;
  let timer: Timer | undefined;
  for (;;) {
    // Sealed first: step, log, commit message and hooks see the same redacted text.
    const event = log.seal(await inbox.take());
    const next = step(state, event);
    const decided: ToldEvent = {
      type: "decided",
      of: event.seq,
      effects: next.effects.map((effect) => ({ ...effect })),
      because: { ...next.because },
    };
    const lines = [decided, ...next.notes].map((line) => log.seal(line));
    // L11: the decision is on disk before any of its effects starts.
    await log.append(event, ...lines);
    state = next.state;
    if (next.wakeAt !== undefined) {
      timer?.cancel();
      timer = clock.at(next.wakeAt, () => {
        inbox.put({ type: "woke" });
      });
    }
    if (state.phase === "ended" && event.type === "run_ended") {
      timer?.cancel();
      return event;
    }
    const at = Date.parse(event.timestamp);
    for (const effect of next.effects) start(() => perform(effect, at), effect, inbox);
  }
}

/** Starts an effect without waiting for it. */
function start(begin: () => Promise<StepEvent>, effect: Effect, inbox: Inbox): void {
  begin().then(
    (event) => {
      inbox.put(event);
    },
    (error: unknown) => {
      // If the end itself fails, no step is left to handle it: the caller of `drive` gets the error, as for a log that fails.
      if (effect.kind === "finish" || !isEnvironmentFailure(error)) {
        inbox.fail(error);
        return;
      }
      const hint = makeHint(error);
      inbox.put({
        type: "effect_failed",
        ...("job" in effect ? effect.job : {}),
        effect: error instanceof EffectError ? error.effect : effect.kind,
        error: errorMessage(error),
        hint,
      });
    },
  );
}

/** The hint for an error. A full disk has the same hint for every file. */
function makeHint(error: unknown): string | undefined {
  if (error instanceof UserError && error.hint !== undefined) return error.hint;
  return isDiskFull(error) ? "free some space, then run again" : undefined;
}

/** An effect that failed part-way, with the name of the operation in progress. */
export class EffectError extends Error {
  readonly effect: string;

  constructor(effect: string, message: string) {
    super(message);
    this.effect = effect;
  }
}

/** Whether the error comes from the environment, which makes it an event. Any other error is internal and ends the run. */
export function isEnvironmentFailure(error: unknown): boolean {
  return error instanceof UserError || error instanceof EffectError || errorCode(error) !== undefined;
}

/** Events that wait for `step`, in the order they came. */
export class Inbox {
  readonly #waiting: StepEvent[] = [];
  #failure: { error: unknown } | undefined;
  #wake: (() => void) | undefined;

  put(event: StepEvent): void {
    this.#waiting.push(event);
    this.#wake?.();
  }

  /** Makes every later `take` throw: an internal error, or a log that cannot be written. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  /** The next event; waits for one. */
  async take(): Promise<StepEvent> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const event = this.#waiting.shift();
      if (event !== undefined) return event;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
