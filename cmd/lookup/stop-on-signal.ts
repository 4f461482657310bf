// Lets a command that runs checks end in order when a signal comes.
import type { CommandContext, Signal } from "../context/command-context.js";

/** Finishes what has begun, in spite of signals; the third one ends the program. */
export function stopOnSignal(context: CommandContext): { signal: AbortSignal; seen: readonly Signal[] } {
  const stop = new AbortController();
  const seen: Signal[] = [];
  context.onSignal((signal) => {
    seen.push(signal);
    stop.abort();
    return seen.length < 3;
  });
  return { signal: stop.signal, seen };
}
