// Restores the person's index as a checkpoint found it. First lists the content that only this index has, so that it
// can be kept. restore.ts keeps it, and restores the files.
import type { KeptIndex } from "../checkpoint/checkpoint.js";
import { KEPT_INDEX } from "../checkpoint/keep-beside.js";
import { parseBatch } from "../base/batch.js";
import { exists, sameVersion, type DiffEntry } from "../base/read/diff.js";
import { GitError, runGit } from "../base/git.js";
import {
  byPath,
  listMissing,
  findOnlyStaged,
  sameIndex,
  toPlain,
  setEntries,
  type ByPath,
} from "../index/index-compare.js";
import { indexInfo, refreshIndex, diffPersonIndex } from "../index/index-file.js";
import {
  entriesOf,
  privateCopy,
  replaceIndex,
  type IndexEntry,
  type PersonIndex,
} from "../index/index-person.js";
import type { Repository } from "../base/repository/repository.js";

export interface IndexOrder {
  kept: KeptIndex;
  /** The current index. */
  person: PersonIndex & { entries: readonly IndexEntry[] };
  /** HEAD's commit, or a tree. */
  head: string;
  /** The changes committed since the index was kept: they stay. */
  since: readonly DiffEntry[];
  /** The current working tree. */
  tree: ByPath;
  /** The working tree after the restore. */
  after: ByPath;
}

/** A plan for restoring the index. */
export interface IndexBack {
  /** Content that exists only in the index and is removed; on the `to` side. */
  lost: readonly DiffEntry[];
  write: () => Promise<void>;
}

/** Plans the changes of the index; `undefined` if it is unchanged. Starts one process. */
export async function planIndexBack(repo: Repository, order: IndexOrder): Promise<IndexBack | undefined> {
  const { kept } = order;
  return kept.commit === undefined ? planPlain(repo, order) : planKept(repo, order, kept.commit);
}

async function planPlain(repo: Repository, order: IndexOrder): Promise<IndexBack | undefined> {
  const { person, tree } = order;
  const staged = await diffPersonIndex(repo, order.head);
  const set = toPlain(person.entries, staged);
  if (set.length === 0) return undefined;
  const brought = new Set(staged.filter(({ to }) => exists(to)).map(({ path }) => path));
  return {
    lost: findOnlyStaged(
      person.entries.filter(({ path }) => brought.has(path)),
      tree,
      repo.isOwn,
    ),
    write: () => refreshIndex(repo, set),
  };
}

async function planKept(repo: Repository, order: IndexOrder, commit: string): Promise<IndexBack | undefined> {
  const { person, tree } = order;
  const { out } = await runGit(repo, ["cat-file", "--batch"], { input: `${commit}:${KEPT_INDEX}\n` });
  const bytes = Buffer.from(parseBatch(out)[0]?.content ?? "", "latin1");
  const entries = await entriesOf(repo, { bytes });
  const old = byPath(entries);
  const since = order.since.filter(({ path, to }) => !sameVersion(old.get(path) ?? NO_VERSION, to));
  const wanted = setEntries(entries, since);
  if (sameIndex(wanted, person.entries)) return undefined;
  const set = [...since, ...doubtful(wanted, order.after)];
  return {
    lost: findOnlyStaged(listMissing(wanted, person.entries), tree, repo.isOwn),
    write: async () => {
      await replaceIndex(repo, await withEntries(repo, bytes, set));
    },
  };
}

const NO_VERSION = { mode: "000000", oid: "" };

/**
 * The entries whose file differs. Git detects changes by a file's times, and for files written in the same moment by
 * the index's own time, which is another one now. Without times these entries are read again.
 */
function doubtful(entries: readonly IndexEntry[], after: ByPath): DiffEntry[] {
  return entries.flatMap(({ path, mode, oid, stage, assumed, skipped, intended }) => {
    const file = after.get(path);
    if (file === undefined || stage !== 0 || assumed || skipped || intended) return [];
    return sameVersion(file, { mode, oid }) ? [] : [{ path, from: { mode, oid }, to: { mode, oid } }];
  });
}

async function withEntries(
  repo: Repository,
  bytes: Uint8Array,
  set: readonly DiffEntry[],
): Promise<Uint8Array> {
  if (set.length === 0) return bytes;
  const copy = await privateCopy(repo, "index-back", bytes);
  await runGit(repo, ["update-index", "-z", "--index-info"], { input: indexInfo(set), index: copy });
  const changed = await repo.ports.files.read(copy);
  await repo.ports.files.remove(copy);
  if (changed === undefined) throw new GitError("git update-index", `left no ${copy}`);
  return changed;
}
