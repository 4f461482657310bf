// Waits for one process, within limits. Pure but for the ports that it is given.
import type { Clock, ProcessEnd, RunningProcess } from "../ports.js";

/** How long a process may take. */
export interface EndLimits {
  clock: Clock;
  timeoutMs?: number | undefined;
  /** Ends it early. */
  signal?: AbortSignal;
  /** From SIGTERM to SIGKILL. */
  graceMs: number;
}

/** Returns how it ended. At its timeout, and once the signal is aborted, its whole group gets SIGTERM, and SIGKILL after the grace. */
export async function waitForEnd(
  running: RunningProcess,
  { clock, timeoutMs, signal, graceMs }: EndLimits,
): Promise<{ end: ProcessEnd; timedOut: boolean }> {
  let timedOut = false;
  const timers: { cancel(): void }[] = [];
  const stop = (): void => {
    running.signal("SIGTERM", "group");
    const kill = clock.after(graceMs, () => {
      running.signal("SIGKILL", "group");
    });
    timers.push(kill);
  };
  const expire = (): void => {
    timedOut = true;
    stop();
  };
  if (timeoutMs !== undefined) timers.push(clock.after(timeoutMs, expire));
  signal?.addEventListener("abort", stop);
  if (signal?.aborted === true) stop();
  const end = await running.ended;
  signal?.removeEventListener("abort", stop);
  for (const timer of timers) timer.cancel();
  return { end, timedOut };
}
