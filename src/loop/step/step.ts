// `step`: the whole judgement of a run, pure. An event in; the next state, what to do, and why, out.
// Leaves doing to drive.ts. The machines: opening.ts, work.ts (with job.ts), ending.ts; releasing.ts.
import { never } from "../../system/never.js";
import type { Sealed, StepEvent } from "../../logging/events.js";
import { NOTHING_SPENT } from "./spending.js";
import { stepClose } from "./ending.js";
import { stepOpening } from "./opening.js";
import { beginRelease, stepReleasing } from "./releasing.js";
import type { Frame, State } from "./state.js";
import { Turn, type Next } from "./decision.js";
import { stepWork } from "./working.js";

/** The state before the first event. */
export const START: State = { phase: "new" };

/**
 * What follows from an event. L15: the same events give the same decisions. Contract: touches nothing; an event that cannot
 * happen in this state throws.
 */
export function step(state: State, event: Sealed<StepEvent>): Next {
  const turn = new Turn(event);
  return turn.next(follow(state, event, turn));
}

function follow(state: State, event: Sealed<StepEvent>, turn: Turn): State {
  switch (state.phase) {
    case "new":
      if (event.type !== "run_started") throw new Error(`a run begins with run_started, not ${event.type}`);
      turn.because = { rule: "run-started" };
      if (event.rules.release !== undefined) {
        const { rules, git } = event;
        const frame: Frame = { rules, git, stopping: 0, began: turn.at, spent: NOTHING_SPENT };
        return { phase: "releasing", release: beginRelease(frame, event.rules.release) };
      }
      return {
        phase: "opening",
        opening: {
          rules: event.rules,
          git: event.git,
          stopping: 0,
          began: turn.at,
          spent: NOTHING_SPENT,
          pending: false,
          drafts: 0,
          repairs: 0,
          nextJob: 1,
          dropped: new Set(),
          pauses: new Map(),
          asking: false,
          asked: [],
          ...(event.refused === undefined ? {} : { refused: event.refused }),
        },
      };
    case "opening":
      return stepOpening(state.opening, event, turn);
    case "releasing":
      return stepReleasing(state.release, event, turn);
    case "working":
      return stepWork(state.work, event, turn);
    case "ending":
      return stepClose(state.close, event, turn);
    case "ended":
      throw new Error(`${event.type} came after the end`);
    default:
      return never(state);
  }
}
