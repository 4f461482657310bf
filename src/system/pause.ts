import type { Clock } from "./ports.js";

/** Waits for `ms` milliseconds, or until the signal is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.after(ms, end);
    signal.addEventListener("abort", end);
  });
}
