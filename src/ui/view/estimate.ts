// Estimates the remaining time from the finished tasks of a backlog. Pure.
import type { View } from "./view.js";

/** Finished tasks, and the time of all attempts of the same runs, failed ones included. */
export interface Pace {
  done: number;
  ms: number;
}

export const NO_PACE: Pace = { done: 0, ms: 0 };

/** Adds the figures of one more run. */
export function addPace(pace: Pace, { finished }: Pick<View, "finished">): Pace {
  const attempts = finished.filter(({ phase }) => phase === "iteration");
  return {
    done: pace.done + attempts.filter(({ result }) => result === "done").length,
    ms: pace.ms + attempts.reduce((sum, { ms }) => sum + ms, 0),
  };
}

/** Milliseconds until `left` tasks are done, one of which has taken `elapsed` ms so far; `undefined` before any task is done. */
export function estimate({ done, ms }: Pace, left: number, elapsed: number): number | undefined {
  if (done === 0) return undefined;
  const each = ms / done;
  return Math.round(Math.max(0, each * left - Math.min(elapsed, each)));
}
