import type { Clock, Timer } from "./ports.js";

/** The longest single sleep: a 40-day timeout fires at once, and timers stand still while the machine is suspended. */
const SLICE_MS = 30_000;

/** The machine's clocks and timers. */
export function nodeClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    at: (at, wake) => wakeAt(at, wake),
    every: (ms, tick) => {
      const timer = setInterval(tick, ms);
      timer.unref();
      return {
        cancel: () => {
          clearInterval(timer);
        },
      };
    },
    sleep: (ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
      }),
  };
}

function wakeAt(at: number, wake: () => void): Timer {
  let timer: NodeJS.Timeout | undefined;
  const sleep = (): void => {
    const left = at - Date.now();
    if (left <= 0) {
      timer = setTimeout(wake, 0);
      return;
    }
    timer = setTimeout(sleep, Math.min(left, SLICE_MS));
  };
  sleep();
  return {
    cancel: () => {
      clearTimeout(timer);
    },
  };
}
