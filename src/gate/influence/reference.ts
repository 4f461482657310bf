// What an attempt is held against: the project as the run began, with what a person did to it since. What agents left in the
// meantime counts as one long attempt, committed or not: nobody but the gate has looked at it. Leaves finding out how the run
// began to src/loop/perform/run-start.ts.
import { sameVersion, type DiffEntry } from "../../git/base/diff.js";
import { asResult, type GitFailure } from "../../git/base/git.js";
import { diffTrees } from "../../git/index/index-file.js";
import type { Repository } from "../../git/base/repository.js";
import type { Result } from "../../system/result.js";

/** What is known of a run for it. */
export interface Trust {
  /** The commit the run began with. */
  start: string;
  /** What agents left: by path (bytes) every version, as `keyOf` has it. */
  left: Map<string, Set<string>>;
}

/** What a task begins with: `start`, then `persons`, then `since`. */
export interface Footing {
  start: string;
  /** What a person did to it; trusted like it. */
  persons: readonly DiffEntry[];
  /** What agents made of that. */
  since: readonly DiffEntry[];
}

/** Notes what an agent left. */
export function noteLeft({ left }: Pick<Trust, "left">, changes: readonly DiffEntry[]): void {
  for (const entry of changes) {
    const versions = left.get(entry.path) ?? new Set();
    left.set(entry.path, versions.add(keyOf(entry)));
  }
}

/** Tells at a task's base what agents left from what a person did. At most one process. */
export async function footingAt(
  repo: Repository,
  { start, left }: Trust,
  base: string,
): Promise<Result<Footing, GitFailure>> {
  return asResult(async () => {
    const found = base === start ? [] : await diffTrees(repo, base, start);
    const isLeft = (entry: DiffEntry): boolean => left.get(entry.path)?.has(keyOf(entry)) === true;
    return { start, persons: found.filter((entry) => !isLeft(entry)), since: found.filter(isLeft) };
  });
}

/** Two lists of changes, one after the other, as one. */
export function joined(first: readonly DiffEntry[], second: readonly DiffEntry[]): DiffEntry[] {
  const all = new Map(first.map((entry) => [entry.path, entry]));
  for (const entry of second) {
    const from = all.get(entry.path)?.from ?? entry.from;
    all.set(entry.path, { ...entry, from });
  }
  return [...all.values()].filter(({ from, to }) => !sameVersion(from, to));
}

function keyOf({ to }: DiffEntry): string {
  return to.mode === "000000" ? "gone" : `${to.mode} ${to.oid}`;
}
