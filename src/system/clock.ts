import type { Clock, Timer } from "./ports.js";

/** The longest single sleep: a 40-day timeout fires at once, and timers stand still while the machine is suspended. */
const SLICE_MS = 30_000;

/** The machine's clocks and timers. */
export function nodeClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    at: (at, wake) => wakeWhen(() => at - Date.now(), wake),
    after: (ms, wake) => {
      const end = performance.now() + ms;
      return wakeWhen(() => end - performance.now(), wake);
    },
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

/** The zone wall clocks here are read in, by its name: "Europe/Berlin". */
export function findLocalZone(): string {
  return (zone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone);
}

/** How far wall clocks here are ahead of UTC at an instant, in minutes. `at`: epoch ms. */
export function findLocalOffset(at: number): number {
  return -new Date(at).getTimezoneOffset();
}

/** A process has one for as long as it lives, and asking for it the first time costs 20 ms. */
let zone: string | undefined;

/** Wakes once nothing is left. */
function wakeWhen(left: () => number, wake: () => void): Timer {
  let timer: NodeJS.Timeout | undefined;
  const sleep = (): void => {
    if (left() <= 0) {
      timer = setTimeout(wake, 0);
      return;
    }
    timer = setTimeout(sleep, Math.min(left(), SLICE_MS));
  };
  sleep();
  return {
    cancel: () => {
      clearTimeout(timer);
    },
  };
}
