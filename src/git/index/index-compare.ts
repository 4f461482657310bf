// Compares the person's index with what files and HEAD hold: what is in the index alone, and what must change to lead from
// one index to another. Leaves reading and writing indexes to index-person.ts and index-back.ts.
import { exists, NOTHING, sameVersion, type DiffEntry, type Version } from "../base/diff.js";
import type { IndexEntry } from "./index-bytes.js";

/** Every path of an index, as a map. */
export type ByPath = ReadonlyMap<string, Version>;

/** The ordinary entries of an index by their paths. */
export function byPath(entries: readonly IndexEntry[]): Map<string, Version> {
  return new Map(
    entries.filter(({ stage, intended }) => stage === 0 && !intended).map((entry) => [entry.path, entry]),
  );
}

/** Nothing about it is more than a mode and an id. */
function isOrdinary({ stage, assumed, skipped, intended }: IndexEntry): boolean {
  return stage === 0 && !assumed && !skipped && !intended;
}

/**
 * Whether an index says nothing that HEAD does not say: no bits, no conflicts, the same paths.
 * `tree`: the index of our own, which differs from HEAD by `changed`.
 */
export function isPlain(
  person: readonly IndexEntry[],
  tree: ByPath,
  changed: ReadonlyMap<string, DiffEntry>,
): boolean {
  const inHead = (path: string): Version | undefined => changed.get(path)?.from ?? tree.get(path);
  let equal = 0;
  for (const entry of person) {
    const version = inHead(entry.path);
    if (!isOrdinary(entry) || version === undefined || !sameVersion(version, entry)) return false;
    equal += 1;
  }
  const added = [...changed.values()].filter(({ from }) => !exists(from)).length;
  const removed = [...changed.values()].filter(({ to }) => !exists(to)).length;
  return equal === tree.size - added + removed;
}

/** The entries whose bytes lie in the index and in no file: those that `tree`, the index of our own, does not hold. */
export function onlyStaged(
  person: readonly IndexEntry[],
  tree: ByPath,
  isOwn: (path: string) => boolean,
): DiffEntry[] {
  return person.flatMap((entry) => {
    const { path, mode, oid } = entry;
    const file = tree.get(path);
    // What is the runner's own is never staged in the index of our own: there it is a copy of this one.
    if (entry.stage !== 0 || entry.intended || mode === SPARSE_FOLDER) return [];
    if (file !== undefined && sameVersion(file, entry) && !isOwn(path)) return [];
    return [{ path, from: NOTHING, to: { mode, oid } }];
  });
}

const SPARSE_FOLDER = "040000";

/**
 * What to set in an index so that it says what HEAD says and no more; `staged` is how it differs from HEAD. The `from` side
 * is what it holds, the `to` side what it is to hold.
 */
export function toPlain(person: readonly IndexEntry[], staged: readonly DiffEntry[]): DiffEntry[] {
  const back = new Map(staged.map(({ path, from, to }) => [path, { path, from: to, to: from }]));
  for (const entry of person) {
    const { path, mode, oid, intended } = entry;
    if (isOrdinary(entry) || back.has(path)) continue;
    // Setting an entry takes its bits away; one without bytes cannot be kept.
    back.set(path, { path, from: { mode, oid }, to: intended ? { ...NOTHING, oid } : { mode, oid } });
  }
  return [...back.values()];
}

/** An index with the `to` side of each of these set in it, as `git update-index --index-info` does it. */
export function withSet(person: readonly IndexEntry[], entries: readonly DiffEntry[]): IndexEntry[] {
  const set = new Map(entries.map(({ path, to }) => [path, to]));
  const fresh = entries
    .filter(({ to }) => exists(to))
    .map(({ path, to }) => ({ path, ...to, stage: 0, assumed: false, skipped: false, intended: false }));
  return [...person.filter(({ path }) => !set.has(path)), ...fresh];
}

/** Whether two indexes say the same, bits included. */
export function sameIndex(one: readonly IndexEntry[], other: readonly IndexEntry[]): boolean {
  const spelled = new Set(one.map(spell));
  return one.length === other.length && other.every((entry) => spelled.has(spell(entry)));
}

/** What one index holds in files' bytes and another does not hold at the same path. */
export function missingFrom(other: readonly IndexEntry[], one: readonly IndexEntry[]): IndexEntry[] {
  const kept = byPath(other);
  return one.filter((entry) => {
    const version = kept.get(entry.path);
    return version === undefined || !sameVersion(version, entry);
  });
}

function spell({ path, mode, oid, stage, assumed, skipped, intended }: IndexEntry): string {
  return [mode, oid, stage, assumed, skipped, intended, path].join(" ");
}
