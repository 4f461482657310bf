// Lets a command that runs checks end in order when a signal comes.
import type { CommandContext, Signal } from "../context/command-context.js";

/** Finishes what has begun, in spite of signals; the third one ends the program, or the `last`. */
export function stopOnSignal(
  context: CommandContext,
  last = 3,
): { signal: AbortSignal; seen: readonly Signal[] } {
  const stop = new AbortController();
  const seen: Signal[] = [];
  context.onSignal((signal) => {
    seen.push(signal);
    stop.abort();
    return seen.length < last;
  });
  return { signal: stop.signal, seen };
}
