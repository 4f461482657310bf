// Which step of a scenario a request gets. Pure.
import type { Scenario, Step } from "./scenario.js";

/** How far a scenario is. */
export interface Place {
  session: number;
  step: number;
  /** How often the step at hand has failed already. */
  failed: number;
  /** Whether the conversation at hand was answered at least once. */
  answered: boolean;
}

export const START: Place = { session: 0, step: 0, failed: 0, answered: false };

/** The step for a request and the place after it; no step where the script is at its end. `fresh`: it holds no answer yet. */
export function takeStep(
  scenario: Scenario,
  before: Place,
  fresh: boolean,
): { step: Step | undefined; place: Place } {
  const place = fresh && before.answered ? { ...START, session: before.session + 1 } : before;
  const script = scenario.sessions[place.session] ?? scenario.sessions.at(-1) ?? [];
  const step = script[place.step];
  if (step === undefined) return { step, place };
  if (step.do !== "fail") {
    return { step, place: { ...place, step: place.step + 1, failed: 0, answered: true } };
  }
  const failed = place.failed + 1;
  const over = step.times !== "always" && failed >= (step.times ?? 1);
  return { step, place: over ? { ...place, step: place.step + 1, failed: 0 } : { ...place, failed } };
}
