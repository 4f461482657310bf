// Selects the runs that are old enough to be removed, by flags or by settings. Pure. The loop keeps the runs that are
// still needed.

/** The flags of `looper clean`. With both, a run is removed only if both allow it. */
export interface CleanWish {
  /** How many of the newest runs stay. */
  keep?: number;
  /** Only runs that began longer ago than this, in ms, are removed. */
  ageMs?: number;
}

/** The settings `log.*`. With both, a run is removed if either limit is exceeded. */
export interface LogLimits {
  keep?: number;
  /** For all runs together. */
  maxBytes?: number;
}

/** Selects by flags, the oldest first in both. `began` and `now` are in epoch ms. */
export function selectOld<T>(
  all: readonly T[],
  { keep, ageMs }: CleanWish,
  { began, now }: { began: (one: T) => number; now: number },
): T[] {
  const beyond = keep === undefined ? all : all.slice(0, Math.max(0, all.length - keep));
  // A start that is not a calendar date counts as older than any age.
  return beyond.filter((one) => ageMs === undefined || !(now - began(one) < ageMs));
}

/** Selects by settings. The newest run always stays, because users ask about it most. Calls `bytesOf` only as needed. */
export async function selectRunsBeyond(
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
