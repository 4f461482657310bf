// The reference of an attempt: the project at the start of the run, with the changes that a person made
// since, and with those to checks that the verdict on an earlier task says it needs, so that no later task is
// accused of them. All other changes by agents since then, committed or not, count as one long attempt,
// because only the gate has checked them. src/loop/perform/gate/run-start.ts finds the start of the run.
import { toText } from "../../git/base/bytes.js";
import { sameVersion, type DiffEntry } from "../../git/base/read/diff.js";
import { diffTrees } from "../../git/index/index-file.js";
import type { Repository } from "../../git/base/repository/repository.js";
import type { GateReport } from "../verdict.js";

/** The facts about a run that the reference needs. */
export interface RunStart {
  /** The commit the run began with. */
  start: string;
  /** Every version (`keyOf`) that agents left, by path (bytes), with the task that left it first. */
  left: Map<string, Map<string, string>>;
  /** Needed changes, by the unverified task: paths (text) of its own, or all of earlier tasks. */
  needed: Map<string, { paths: ReadonlySet<string>; on: readonly string[] }>;
  /** Tasks whose verdict a person accepted. */
  accepted: ReadonlySet<string>;
}

/** The state at the beginning of a task: `start`, then `persons`, then `since`. */
export interface Reference {
  start: string;
  /** Changes by a person since `start`, and needed ones by agents; trusted like `start` itself. */
  persons: readonly DiffEntry[];
  /** Other changes by agents since then. */
  since: readonly DiffEntry[];
  /** The task that left this version of a path; `undefined` if it is not one of `since`. */
  taskOf: (entry: DiffEntry) => string | undefined;
  /** The unverified tasks whose needed changes are in it. */
  onTopOf: readonly string[];
}

/** The reference of a commit to which no agent has added anything. */
export function referenceAt(start: string): Reference {
  return { start, persons: [], since: [], taskOf: () => undefined, onTopOf: [] };
}

/** Records the versions that an agent left at a task. */
export function noteLeft(
  { left }: Pick<RunStart, "left">,
  changes: readonly DiffEntry[],
  task: string,
): void {
  for (const entry of changes) {
    const versions = left.get(entry.path) ?? new Map<string, string>();
    if (!versions.has(keyOf(entry))) left.set(entry.path, versions.set(keyOf(entry), task));
  }
}

/** Records what the last verdict on a task says it needs. */
export function noteNeeded(
  { needed }: Pick<RunStart, "needed">,
  task: string,
  { verdict, needs = [], on = [] }: Pick<GateReport, "verdict" | "needs" | "on">,
): void {
  if (verdict === "unverified") needed.set(task, { paths: new Set(needs.map(({ path }) => path)), on });
  else needed.delete(task);
}

/**
 * Tells changes by agents from changes by a person at a task's base. `isAllowed`: an agent changed a path (text) with a person's word,
 * since its task allows it: this counts as the person's. Starts at most one process.
 */
export async function findReference(
  repo: Repository,
  { start, left, needed, accepted }: RunStart,
  base: string,
  isAllowed: (task: string, path: string) => boolean,
): Promise<Reference> {
  const found = base === start ? [] : await diffTrees(repo, base, start);
  const taskOf = (entry: DiffEntry): string | undefined => left.get(entry.path)?.get(keyOf(entry));
  const needing = (entry: DiffEntry): string[] => {
    const by = taskOf(entry);
    if (by === undefined) return [];
    return [...needed]
      .filter(([task, { paths, on }]) => (task === by ? paths.has(toText(entry.path)) : on.includes(by)))
      .map(([task]) => task);
  };
  const isTrusted = (entry: DiffEntry): boolean => {
    const by = taskOf(entry);
    return by === undefined || needing(entry).length > 0 || isAllowed(by, toText(entry.path));
  };
  return {
    start,
    persons: found.filter(isTrusted),
    since: found.filter((entry) => !isTrusted(entry)),
    taskOf,
    onTopOf: [...new Set(found.flatMap(needing))].filter((task) => !accepted.has(task)),
  };
}

/** Combines two consecutive lists of changes. */
export function joinChanges(first: readonly DiffEntry[], second: readonly DiffEntry[]): DiffEntry[] {
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
