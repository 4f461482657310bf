// The simulation as a backend of `drive`: an inbox, and effects that are performed and answered in the simulation.
import type { StepEvent } from "../../../logging/events/events.js";
import { type Perform, Inbox } from "../../step/drive.js";
import type { Effect } from "../../step/effects.js";
import { answer } from "../answers.js";
import { advance } from "../operations.js";
import { startRun, type Sim } from "./sim.js";

/** Performs effects in the simulation; calls `first` before each. */
export function createWorld(
  sim: Sim,
  first: (effect: Effect) => Promise<void>,
): { inbox: Inbox; perform: Perform } {
  const begun = startRun(sim);
  let now = begun.sim;
  const inbox = new Inbox();
  for (const { event } of begun.taken) inbox.put(unseal(event));
  return {
    inbox,
    perform: async (effect) => {
      await first(effect);
      const at = now.open.findIndex((one) => JSON.stringify(one.effect) === JSON.stringify(effect));
      for (;;) {
        const open = now.open[at];
        if (open === undefined) throw new Error(`${effect.kind} was not asked for`);
        if (open.ops.length > 0) {
          now = advance(now, open);
          continue;
        }
        const fed = answer(now, open);
        now = fed.sim;
        return unseal(fed.taken.event);
      }
    },
  };
}

function unseal(event: StepEvent & { seq?: number; timestamp?: string }): StepEvent {
  const { seq: _seq, timestamp: _timestamp, ...rest } = event;
  return rest;
}
