import type { Clock, Timer } from "../../src/system/ports.js";

/** A clock that can be set. */
export interface JumpingClock extends Clock {
  jump(ms: number): void;
}

/** A clock whose wall time can be set; what waits for a time waits for the new one, as a real timer of the wall clock does. */
export function jumpingClock(real: Clock): JumpingClock {
  let offset = 0;
  const waiting = new Set<() => void>();
  return {
    ...real,
    now: () => real.now() + offset,
    at: (at, wake): Timer => {
      const set = (): Timer =>
        real.at(at - offset, () => {
          waiting.delete(again);
          wake();
        });
      let timer = set();
      const again = (): void => {
        timer.cancel();
        timer = set();
      };
      waiting.add(again);
      return {
        cancel: () => {
          waiting.delete(again);
          timer.cancel();
        },
      };
    },
    jump: (ms) => {
      offset += ms;
      for (const again of waiting) again();
    },
  };
}
