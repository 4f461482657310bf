// How long what is left may take, from what a backlog's tasks took so far. Pure.
import type { View } from "./view.js";

/** Tasks that became done, and the time that all attempts of the same runs took: failed ones too. */
export interface Pace {
  done: number;
  ms: number;
}

export const NO_PACE: Pace = { done: 0, ms: 0 };

/** With what one more run has shown. */
export function addPace(pace: Pace, { finished }: Pick<View, "finished">): Pace {
  const attempts = finished.filter(({ phase }) => phase === "iteration");
  return {
    done: pace.done + attempts.filter(({ result }) => result === "done").length,
    ms: pace.ms + attempts.reduce((sum, { ms }) => sum + ms, 0),
  };
}

/** Milliseconds until `left` tasks are done, the one in hand for `elapsed` ms among them; `undefined` where nothing was done yet. */
export function estimate({ done, ms }: Pace, left: number, elapsed: number): number | undefined {
  if (done === 0) return undefined;
  const each = ms / done;
  return Math.round(Math.max(0, each * left - Math.min(elapsed, each)));
}
