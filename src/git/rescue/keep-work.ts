// Keeps the work of an abandoned task under one rescue ref. If a kill splits the work over several calls, a later
// call adds its part to the earlier rescue.
import { exists, sameVersion, type DiffEntry, type Version } from "../base/read/diff.js";
import { importAll } from "../base/fast-import.js";
import { diffTrees } from "../index/index-file.js";
import { findRescues, freeRescueRef, rescueMessage, type FoundRescue, type RescueFacts } from "./rescue.js";
import { listRefs } from "../base/list-refs.js";
import type { Repository } from "../base/repository/repository.js";

/** Work that is kept. The keys of its maps are paths (bytes), the values their versions. */
export interface KeptWork {
  ref: string;
  /** The commit of the ref, and its parent: the tree with the work, and without it. */
  commit: string;
  before: string;
  changes: ReadonlyMap<string, Version>;
  /** Content that existed only in the index. */
  staged: ReadonlyMap<string, Version>;
}

export interface WorkToKeep {
  facts: RescueFacts;
  /** The changes committed since the base was made. */
  since: readonly DiffEntry[];
  /** The content about to be removed from the working tree, and from the index alone: the `to` sides. */
  back: readonly DiffEntry[];
  lost: readonly DiffEntry[];
}

/** The work kept on top of this checkpoint; `undefined` if there was none. Starts one process if there was none. */
export async function readKeptWork(repo: Repository, base: string): Promise<KeptWork | undefined> {
  const found = (await findRescues(repo)).find(
    ({ facts }) => facts?.base === base && facts.why !== "put-back",
  );
  return found === undefined ? undefined : readKept(repo, found);
}

/** The work kept under a ref that is not a rescue; `undefined` if there is none. Starts one process if there was none. */
export async function readKeptAt(repo: Repository, ref: string): Promise<KeptWork | undefined> {
  const [[commit = "", parents = ""] = []] = await listRefs(repo, ["objectname", "parent"], [ref]);
  return readKept(repo, { ref, commit, parents: parents.split(" ") });
}

async function readKept(
  repo: Repository,
  { ref, commit, parents }: Pick<FoundRescue, "ref" | "commit" | "parents">,
): Promise<KeptWork | undefined> {
  const [before = "", index] = parents;
  if (before === "") return undefined;
  const changes = toMap(await diffTrees(repo, commit, before));
  const staged = index === undefined ? [] : await diffTrees(repo, index, before);
  return { ref, commit, before, changes, staged: toMap(staged) };
}

/**
 * Adds the work to the ref of `earlier`, unless the two differ in a path; otherwise keeps it under a ref of its own.
 */
export async function keepWork(
  repo: Repository,
  work: WorkToKeep,
  earlier: KeptWork | undefined,
  shelf?: string,
): Promise<KeptWork> {
  const back = toMap(work.back);
  // Content that an earlier call removed from the files is only in the index now, and is kept already.
  const lost = toMap(work.lost.filter(({ path, to }) => !isSame(earlier?.changes.get(path), to)));
  const goesOn = earlier !== undefined && agree(earlier.changes, back) && agree(earlier.staged, lost);
  const changes = goesOn ? new Map([...earlier.changes, ...back]) : back;
  const staged = goesOn ? new Map([...earlier.staged, ...lost]) : lost;
  const ref = goesOn ? earlier.ref : (shelf ?? (await freeRescueRef(repo, work.facts.run, work.facts.label)));
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

/**
 * Whether one tree can hold both: no path with two versions, and no path that is a file in one and a folder in the
 * other.
 */
function agree(one: ReadonlyMap<string, Version>, other: ReadonlyMap<string, Version>): boolean {
  const same = [...other].every(([path, version]) => {
    const kept = one.get(path);
    return kept === undefined || sameVersion(kept, version);
  });
  return same && !isBelow(one, other) && !isBelow(other, one);
}

/** Whether a path of `inner` is below a file of `outer`. */
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
