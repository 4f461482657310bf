// Keeps the work of a task that is given up under one rescue ref, also when a kill made several calls of one:
// what a later call finds is put to what an earlier one kept.
import { exists, sameVersion, type DiffEntry, type Version } from "../base/diff.js";
import { importAll } from "../base/fast-import.js";
import { diffTrees } from "../index/index-file.js";
import { findRescues, freeRescueRef, rescueMessage, type RescueFacts } from "./rescue.js";
import type { Repository } from "../base/repository.js";

/** Work that is kept. Its maps hold what lay at each path (bytes). */
export interface KeptWork {
  ref: string;
  /** The commit at the ref, and the one before it: the tree with the work, and without it. */
  commit: string;
  before: string;
  changes: ReadonlyMap<string, Version>;
  /** What was staged and in no file. */
  staged: ReadonlyMap<string, Version>;
}

export interface WorkToKeep {
  facts: RescueFacts;
  /** What was committed since the base was made. */
  since: readonly DiffEntry[];
  /** What is about to go from the working tree, and what from the index alone: the `to` sides. */
  back: readonly DiffEntry[];
  lost: readonly DiffEntry[];
}

/** What was kept of the work on top of this checkpoint; `undefined` when nothing was. One process when nothing was. */
export async function readKeptWork(repo: Repository, base: string): Promise<KeptWork | undefined> {
  const found = (await findRescues(repo)).find(
    ({ facts }) => facts?.base === base && facts.why !== "put-back",
  );
  const [before, index] = found?.parents ?? [];
  if (found === undefined || before === undefined) return undefined;
  const { ref, commit } = found;
  const changes = toMap(await diffTrees(repo, commit, before));
  const staged = index === undefined ? [] : await diffTrees(repo, index, before);
  return { ref, commit, before, changes, staged: toMap(staged) };
}

/** Keeps it under the ref of `earlier`, unless the two differ about a path; else, or without, under one of its own. */
export async function keepWork(
  repo: Repository,
  work: WorkToKeep,
  earlier: KeptWork | undefined,
): Promise<KeptWork> {
  const back = toMap(work.back);
  // What an earlier call took from the files is now in the index alone, and kept already.
  const lost = toMap(work.lost.filter(({ path, to }) => !isSame(earlier?.changes.get(path), to)));
  const goesOn = earlier !== undefined && agree(earlier.changes, back) && agree(earlier.staged, lost);
  const changes = goesOn ? new Map([...earlier.changes, ...back]) : back;
  const staged = goesOn ? new Map([...earlier.staged, ...lost]) : lost;
  const ref = goesOn ? earlier.ref : await freeRescueRef(repo, work.facts.run, work.facts.label);
  const ident = await repo.identity();
  const message = rescueMessage(work.facts);
  const before = { ref, parent: work.facts.base, ident, message, entries: work.since };
  const index = { ref, parent: "previous", ident, message, entries: toEntries(staged) };
  const made = await importAll(
    repo,
    staged.size === 0
      ? [before, { ref, parent: "previous", ident, message, entries: toEntries(changes) }]
      : [before, index, { ref, parent: 0, merged: [1], ident, message, entries: toEntries(changes) }],
  );
  return { ref, commit: made.at(-1)?.commit ?? "", before: made[0]?.commit ?? "", changes, staged };
}

function isSame(version: Version | undefined, other: Version): boolean {
  return version !== undefined && sameVersion(version, other);
}

/** Whether one tree can hold both: no path with two versions, and none that is a file here and a folder there. */
function agree(one: ReadonlyMap<string, Version>, other: ReadonlyMap<string, Version>): boolean {
  const same = [...other].every(([path, version]) => {
    const kept = one.get(path);
    return kept === undefined || sameVersion(kept, version);
  });
  return same && !isBelow(one, other) && !isBelow(other, one);
}

/** Whether a path of `inner` lies in something `outer` holds as a file. */
function isBelow(inner: ReadonlyMap<string, Version>, outer: ReadonlyMap<string, Version>): boolean {
  return [...inner].some(([path, version]) => {
    if (!exists(version)) return false;
    const folders = path.split("/").slice(0, -1);
    return folders.some((_, at) => {
      const file = outer.get(folders.slice(0, at + 1).join("/"));
      return file !== undefined && exists(file);
    });
  });
}

function toMap(entries: readonly DiffEntry[]): Map<string, Version> {
  return new Map(entries.map(({ path, to }) => [path, to]));
}

function toEntries(versions: ReadonlyMap<string, Version>): DiffEntry[] {
  return [...versions].map(([path, to]) => ({ path, from: to, to }));
}
