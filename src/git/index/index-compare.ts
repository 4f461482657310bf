// Compares the person's index with files and HEAD: finds content that exists only in the index, and the changes that
// turn one index into another. index-person.ts and index-back.ts read and write indexes.
import { exists, NOTHING, sameVersion, type DiffEntry, type Version } from "../base/read/diff.js";
import type { IndexEntry } from "./index-person.js";

/** Every path of an index, as a map. */
export type ByPath = ReadonlyMap<string, Version>;

/** The ordinary entries of an index by path. */
export function byPath(entries: readonly IndexEntry[]): Map<string, Version> {
  return new Map(
    entries.filter(({ stage, intended }) => stage === 0 && !intended).map((entry) => [entry.path, entry]),
  );
}

/** Whether an entry has only a mode and an id. */
function isOrdinary({ stage, assumed, skipped, intended }: IndexEntry): boolean {
  return stage === 0 && !assumed && !skipped && !intended;
}

/**
 * Whether an index equals HEAD: no bits, no conflicts, the same paths. `tree`: the own index, which differs from
 * HEAD by `changed`.
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

/** The entries whose content exists only in the index: those that `tree`, the own index, does not have. */
export function findOnlyStaged(
  person: readonly IndexEntry[],
  tree: ByPath,
  isOwn: (path: string) => boolean,
): DiffEntry[] {
  return person.flatMap((entry) => {
    const { path, mode, oid } = entry;
    const file = tree.get(path);
    // The runner's own files are never staged in the own index: their entries there are copies of the person's.
    if (entry.stage !== 0 || entry.intended) return [];
    if (file !== undefined && sameVersion(file, entry) && !isOwn(path)) return [];
    return [{ path, from: NOTHING, to: { mode, oid } }];
  });
}

/**
 * The changes that make an index equal to HEAD; `staged` is how it differs from HEAD. The `from` side is the current
 * version, the `to` side the wanted one.
 */
export function toPlain(person: readonly IndexEntry[], staged: readonly DiffEntry[]): DiffEntry[] {
  const back = new Map(staged.map(({ path, from, to }) => [path, { path, from: to, to: from }]));
  for (const entry of person) {
    const { path, mode, oid, intended } = entry;
    if (isOrdinary(entry) || back.has(path)) continue;
    // Setting an entry clears its bits; an entry without content cannot be kept.
    back.set(path, { path, from: { mode, oid }, to: intended ? { ...NOTHING, oid } : { mode, oid } });
  }
  return [...back.values()];
}

/** Sets the `to` side of each change in an index, as `git update-index --index-info` does. */
export function setEntries(person: readonly IndexEntry[], entries: readonly DiffEntry[]): IndexEntry[] {
  const set = new Map(entries.map(({ path, to }) => [path, to]));
  const fresh = entries
    .filter(({ to }) => exists(to))
    .map(({ path, to }) => ({ path, ...to, stage: 0, assumed: false, skipped: false, intended: false }));
  return [...person.filter(({ path }) => !set.has(path)), ...fresh];
}

/** Whether two indexes are equal, including bits. */
export function sameIndex(one: readonly IndexEntry[], other: readonly IndexEntry[]): boolean {
  const spelled = new Set(one.map(spell));
  return one.length === other.length && other.every((entry) => spelled.has(spell(entry)));
}

/** The content in one index that another does not have at the same path. */
export function listMissing(other: readonly IndexEntry[], one: readonly IndexEntry[]): IndexEntry[] {
  const kept = byPath(other);
  return one.filter((entry) => {
    const version = kept.get(entry.path);
    return version === undefined || !sameVersion(version, entry);
  });
}

function spell({ path, mode, oid, stage, assumed, skipped, intended }: IndexEntry): string {
  return [mode, oid, stage, assumed, skipped, intended, path].join(" ");
}
