// Puts the person's index back as a checkpoint found it. First says what is in it and would be gone, so that it can be kept.
// Leaves keeping that, and the files, to restore.ts.
import type { KeptIndex } from "../checkpoint/checkpoint.js";
import { KEPT_INDEX } from "../checkpoint/keep-beside.js";
import { parseBatch } from "../base/batch.js";
import { exists, sameVersion, type DiffEntry } from "../base/diff.js";
import { GitError, runGit } from "../base/git.js";
import { parseIndex, type IndexEntry } from "../index/index-bytes.js";
import {
  byPath,
  missingFrom,
  onlyStaged,
  sameIndex,
  toPlain,
  withSet,
  type ByPath,
} from "../index/index-compare.js";
import { indexInfo, refreshIndex, stagedByPerson } from "../index/index-file.js";
import { privateCopy, replaceIndex, type PersonIndex } from "../index/index-person.js";
import type { Repository } from "../base/repository.js";

export interface IndexOrder {
  kept: KeptIndex;
  /** The index as it is. */
  person: PersonIndex;
  /** HEAD's commit, or a tree. */
  head: string;
  /** What was committed since the index was kept: that stays. */
  since: readonly DiffEntry[];
  /** The working tree as it is. */
  tree: ByPath;
  /** The working tree as it will be. */
  after: ByPath;
}

/** What putting the index back means. */
export interface IndexBack {
  /** What is staged, in no file, and goes; on the `to` side. */
  lost: readonly DiffEntry[];
  write: () => Promise<void>;
}

/** What must be done to the index; `undefined` when it is as it was. One process. */
export async function planIndexBack(repo: Repository, order: IndexOrder): Promise<IndexBack | undefined> {
  const { kept } = order;
  return kept.commit === undefined ? planPlain(repo, order) : planKept(repo, order, kept.commit);
}

async function planPlain(repo: Repository, order: IndexOrder): Promise<IndexBack | undefined> {
  const { person, tree } = order;
  const staged = await stagedByPerson(repo, order.head);
  const set = toPlain(person.entries, staged);
  if (set.length === 0) return undefined;
  const brought = new Set(staged.filter(({ to }) => exists(to)).map(({ path }) => path));
  return {
    lost: onlyStaged(
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
  const entries = readKept(repo, bytes);
  const old = byPath(entries);
  const since = order.since.filter(({ path, to }) => !sameVersion(old.get(path) ?? NO_VERSION, to));
  const wanted = withSet(entries, since);
  if (sameIndex(wanted, person.entries)) return undefined;
  const set = [...since, ...doubtful(wanted, order.after)];
  return {
    lost: onlyStaged(missingFrom(wanted, person.entries), tree, repo.isOwn),
    write: async () => {
      await replaceIndex(repo, await withEntries(repo, bytes, set));
    },
  };
}

const NO_VERSION = { mode: "000000", oid: "" };

function readKept(repo: Repository, bytes: Uint8Array): readonly IndexEntry[] {
  if (bytes.length === 0) return [];
  const read = parseIndex(bytes, repo.idBytes);
  if (read === undefined) throw new GitError("git index", "the index that was kept cannot be read");
  return read.entries;
}

/**
 * The entries whose file says something else. Git trusts an index by the file's times, and tells what it wrote in the same
 * moment by the index's own time, which is another now: without times of their own these entries are looked at again.
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
