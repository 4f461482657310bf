// `step`: every decision of a run. It takes a state and an event, and returns the next state, the effects and the reason. Pure.
// drive.ts starts the effects. The phases are in opening.ts, working.ts (with jobs.ts) and ending.ts.
import { never } from "../../system/never.js";
import type { Sealed, StepEvent } from "../../logging/events/events.js";
import { NOTHING_SPENT } from "./job/spending.js";
import { stepClose } from "./ending.js";
import { stepOpening } from "./opening.js";
import type { RunState } from "./state.js";
import { Decision, type Next } from "./decision.js";
import { stepWork } from "./working.js";

/** The state before the first event. */
export const START: RunState = { phase: "new" };

/**
 * Decides what follows from an event. L15: the same events give the same decisions. Contract: has no side effects; throws on
 * an event that cannot happen in this state.
 */
export function step(state: RunState, event: Sealed<StepEvent>): Next {
  const decision = new Decision(event);
  return decision.next(stepPhase(state, event, decision));
}

function stepPhase(state: RunState, event: Sealed<StepEvent>, decision: Decision): RunState {
  switch (state.phase) {
    case "new":
      if (event.type !== "run_started") throw new Error(`a run begins with run_started, not ${event.type}`);
      decision.because = { rule: "run-started" };
      return {
        phase: "opening",
        opening: {
          rules: event.rules,
          git: event.git,
          stopping: 0,
          began: decision.at,
          spent: NOTHING_SPENT,
          pending: false,
          asked: { bootstrap: 0, repair: 0 },
          nextJob: 1,
          dropped: new Set(),
          backoffs: new Map(),
          asking: false,
          clients: new Set(event.agents.flatMap(({ name, kind }) => (kind === "command" ? [] : [name]))),
          agents: event.rules.workflows && event.agents.map(({ name }) => name),
        },
      };
    case "opening":
      return stepOpening(state.opening, event, decision);
    case "working":
      return stepWork(state.work, event, decision);
    case "ending":
      return stepClose(state.close, event, decision);
    case "ended":
      throw new Error(`${event.type} came after the end`);
    default:
      return never(state);
  }
}
