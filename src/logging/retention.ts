// Which runs are old enough to go, by what a person typed or by the settings. Pure. Leaves what is still needed of them to the loop.
import { startOf } from "./run-id.js";

/** What a person types. With both, only a run that both let go goes. */
export interface CleanWish {
  /** So many of the newest stay. */
  keep?: number;
  /** Only runs that began longer ago than so many ms. */
  ageMs?: number;
}

/** The settings `log.*`. With both, a run that one of them lets go goes. */
export interface LogLimits {
  keep?: number;
  /** Of all runs together. */
  maxBytes?: number;
}

/** `runs`: ids, the oldest first; so are the answers of both. `now`: epoch ms. */
export function runsToClean(runs: readonly string[], { keep, ageMs }: CleanWish, now: number): string[] {
  const beyond = keep === undefined ? runs : runs.slice(0, Math.max(0, runs.length - keep));
  // An id that is no date of the calendar is as old as can be.
  return beyond.filter((run) => ageMs === undefined || !(now - startOf(run) < ageMs));
}

/** The newest one always stays: it is the one somebody asks about. `bytesOf` is asked no more than is needed. */
export async function runsBeyond(
  runs: readonly string[],
  { keep, maxBytes }: LogLimits,
  bytesOf: (run: string) => Promise<number>,
): Promise<string[]> {
  let first = keep === undefined ? 0 : Math.max(0, runs.length - keep);
  if (maxBytes !== undefined) {
    let bytes = 0;
    for (let at = runs.length - 1; at >= first; at--) {
      bytes += await bytesOf(runs[at] ?? "");
      if (bytes > maxBytes) first = at + 1;
    }
  }
  return runs.slice(0, Math.min(first, runs.length - 1));
}
