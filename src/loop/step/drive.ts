// `drive`: takes events, asks `step`, writes down what was decided, starts what is to be done. Judges nothing.
import { errorCode, errorMessage, UserError } from "../../system/errors.js";
import type { Clock, Timer } from "../../system/ports.js";
import type { StepEvent } from "../../logging/events.js";
import type { ToldEvent } from "../../logging/told-events.js";
import type { RunLog } from "../../logging/run-log.js";
import { given } from "../../system/given.js";
import type { Effect } from "./effects.js";
import type { Inbox } from "./inbox.js";
import { START, step } from "./step.js";
import type { RunState } from "./state.js";

/**
 * Does one effect, decided at `at` (epoch ms), and answers with the one event it ends in. What it throws becomes
 * `effect_failed`.
 */
export type Perform = (effect: Effect, at: number) => Promise<StepEvent>;

/** Runs to the end; answers the last event. Throws when the log cannot be written, or on a bug of ours. */
export async function drive(
  { log, clock, perform }: { log: RunLog; clock: Clock; perform: Perform },
  inbox: Inbox,
): Promise<Extract<StepEvent, { type: "run_ended" }>> {
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
    // L11: what was decided is on disk before any of it is begun.
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

/** Begins an effect; nothing is awaited here. */
function start(begin: () => Promise<StepEvent>, effect: Effect, inbox: Inbox): void {
  begin().then(
    (event) => {
      inbox.put(event);
    },
    (error: unknown) => {
      // Where the end itself fails there is nobody left to judge it: as with a log that cannot be written, whoever drives is told.
      if (effect.kind === "finish" || !isOfTheWorld(error)) {
        inbox.fail(error);
        return;
      }
      const hint = hintFor(error);
      inbox.put({
        type: "effect_failed",
        ...("job" in effect ? effect.job : {}),
        effect: error instanceof EffectError ? error.effect : effect.kind,
        error: errorMessage(error),
        ...given({ hint }),
      });
    },
  );
}

/** What to do about an error; whichever file it was that found the disk full first. */
function hintFor(error: unknown): string | undefined {
  if (error instanceof UserError) return error.hint;
  const isFull = errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT";
  return isFull ? "free some space, then run again" : undefined;
}

/** An effect that failed half way, under the name of what was being done. */
export class EffectError extends Error {
  readonly effect: string;

  constructor(effect: string, message: string) {
    super(message);
    this.effect = effect;
  }
}

/** Failures of the world are events; anything else is a bug of ours and ends the run as one. */
export function isOfTheWorld(error: unknown): boolean {
  return error instanceof UserError || error instanceof EffectError || errorCode(error) !== undefined;
}
