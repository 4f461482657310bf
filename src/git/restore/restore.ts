// Reverts changes in the working tree and the index, and keeps them first. The callers decide what to revert.
import { join } from "node:path";
import { type Checkpoint, KEPT_INDEX } from "../checkpoint/checkpoint.js";
import { toBytes, toText, foldersAbove } from "../base/bytes.js";
import { exists, sameVersion, type DiffEntry, changesBetween, NOTHING } from "../base/read/diff.js";
import { importAll } from "../base/fast-import.js";
import { asResult, GitError, runGit, type GitFailure } from "../base/git.js";
import { readHead, treeish } from "../base/repository/head.js";
import {
  byPath,
  type ByPath,
  entriesOf,
  listEntries,
  readPersonIndex,
  type PersonIndex,
  findOnlyStaged,
  privateCopy,
  replaceIndex,
  type IndexEntry,
  isOrdinary,
} from "../index/index-person.js";
import {
  diffTrees,
  ownIndex,
  refreshIndex,
  stageAgain,
  stageAll,
  diffOwnIndex,
  indexInfo,
  diffPersonIndex,
} from "../index/index-file.js";
import {
  keepWork,
  readKeptAt,
  readKeptWork,
  type KeptWork,
  freeRescueRef,
  rescueMessage,
  keepObject,
} from "../rescue/rescue.js";
import { putSettingsBack } from "../base/repository/settings.js";
import { isOtherCommit, keepBefore, relinkModule } from "../checkpoint/modules.js";
import { THE_DRAFT } from "../base/names.js";
import type { Repository } from "../base/repository/repository.js";
import { removeNewLocks } from "../base/locks.js";
import { readObjects } from "../base/objects.js";

/**
 * Restores working tree, index and git's settings to the checkpoint; first keeps
 * the replaced content under a rescue ref. Commits made since stay. Never touches the runner's own files or ignored
 * files. Contract: after a kill it is called again with the same checkpoint, reused; it continues, and returns the
 * same result. Starts two processes if nothing differs, and none if the caller has just seen that.
 */
export async function restoreTo(repo: Repository, order: RestoreOrder): Promise<Restored> {
  const work: Work = { repo, order, kept: undefined };
  const restored = await asResult(() => restoreAll(work));
  if (restored.ok) return restored.value;
  throw await keepAfterFailure(work, restored.error);
}

/** After a failure half way, keeps both states; the message names them and the command to finish. */
async function keepAfterFailure(work: Work, failure: GitFailure): Promise<GitError> {
  const { repo, order } = work;
  const { run, label, checkpoint } = order;
  const kept = await asResult(async () => {
    const before = await keepObject(repo, checkpoint.base, { run, label: `${label}-before` });
    if (work.kept === undefined) {
      const facts = { run, label, ...taskOf(checkpoint), base: checkpoint.base };
      const back = (await look(work)).filter(({ from, to }) => exists(from) || exists(to));
      work.kept = await keepWork(repo, { back, since: [], lost: [], facts }, undefined);
    }
    return before;
  });
  if (!kept.ok) return new GitError(failure.command, failure.message);
  const [now, before] = [work.kept?.ref, kept.value].map((ref = "") => ref.replace(RESCUE_FOLDER, ""));
  return new GitError(
    failure.command,
    `${failure.message}; the tree is only partly restored: what was there is kept (looper rescue show ${now ?? ""}), and so is the tree as it was (${before ?? ""}); to finish, remove what git names, then: git restore --source=${kept.value} --worktree -- :/`,
  );
}

const RESCUE_FOLDER = /^refs\/looper\/rescue\//;

async function restoreAll(work: Work): Promise<Restored> {
  const { repo, order } = work;
  const { base, reused, settings, modules } = order.checkpoint;
  const warnings = await putSettingsBack(repo, settings, order);
  // Before git reads the tree: without its .git a repository is a folder of files.
  for (const path of modules.keys()) await relinkModule(repo, path);
  const { shelf } = order;
  if (shelf !== undefined) work.kept = await readKeptAt(repo, shelf);
  else work.kept = reused ? await readKeptWork(repo, base) : undefined;
  let differs = order.unchanged === true ? [] : await look(work);
  const person = await readPersonIndex(repo);
  if (differs.length > 0 || !sameAsKept(person, order.checkpoint)) {
    const head = await readHead(repo);
    const since = await committedSince(work, head.commit);
    if (differs.some(isRule)) {
      // The base decides which files are ignored and how bytes are stored.
      await takeBack(work, { since, back: backFrom(differs.filter(isRule), since), lost: [] });
      await stageAgain(repo, base);
      differs = await look(work);
    }
    const back = backFrom(differs, since);
    const index = await planIndex(work, { head: head.commit, since, back, person });
    await takeBack(work, { since, back, lost: index?.lost ?? [] });
    await index?.write();
    await forgetSizes(repo, back);
  }
  const left = await keepBefore(repo, modules, order);
  const paths = [...(work.kept?.changes.keys() ?? [])].map(toText);
  return {
    paths,
    rescue: work.kept?.ref,
    warnings: [...warnings, ...left],
  };
}

/**
 * Has git read restored files again where it changes their line ends: by the size in the index alone, a file with
 * other line ends than before would count as changed.
 */
async function forgetSizes(repo: Repository, back: readonly DiffEntry[]): Promise<void> {
  const restored = new Map(back.map(({ path, from }) => [path, from]));
  const entries = await listEntries(repo, join(repo.gitDir, "index"));
  const same = entries.flatMap((entry) => {
    const version = restored.get(entry.path);
    if (version === undefined || !isOrdinary(entry) || !sameVersion(version, entry)) return [];
    return [{ path: entry.path, from: version, to: version }];
  });
  await refreshIndex(repo, same);
}

interface Work {
  repo: Repository;
  order: RestoreOrder;
  /** The work kept so far, by a killed call or by this one. */
  kept: KeptWork | undefined;
}

async function look({ repo, order }: Work): Promise<DiffEntry[]> {
  const { base } = order.checkpoint;
  const { warnings } = await stageAll(repo, base);
  if (await removeSpecial(repo, warnings)) await stageAll(repo, base);
  return (await diffOwnIndex(repo, base, repo.excludes)).filter((entry) => !isOtherCommit(entry));
}

/** Removes pipes and the like in the place of files: git, which names them, takes these for unchanged. Returns whether there were any. */
async function removeSpecial(repo: Repository, warnings: readonly string[]): Promise<boolean> {
  const paths = warnings.flatMap((line) => SPECIAL.exec(line)?.[1] ?? []);
  for (const path of paths) await repo.ports.files.tree(repo.cwd).remove(toBytes(path));
  return paths.length > 0;
}

const SPECIAL = /^error: (.+): can only add regular files/;

function sameAsKept({ checksum }: PersonIndex, { index }: Checkpoint): boolean {
  return checksum !== undefined && checksum === index.checksum;
}

/** The changes committed since the base was made, by anybody. This file never moves a branch back behind them. */
async function committedSince({ repo, order }: Work, commit: string | undefined): Promise<DiffEntry[]> {
  const { recorded } = order.checkpoint;
  if (commit === undefined || commit === recorded.commit) return [];
  return diffTrees(repo, commit, await treeish(repo, recorded.commit));
}

/** The changes to revert: a path that was committed since returns to the committed version. */
function backFrom(differs: readonly DiffEntry[], since: readonly DiffEntry[]): DiffEntry[] {
  const committed = new Map(since.map(({ path, to }) => [path, to]));
  return differs
    .map((entry) => ({ ...entry, from: committed.get(entry.path) ?? entry.from }))
    .filter(({ from, to }) => !sameVersion(from, to) && (exists(from) || exists(to)));
}

/** Whether a file decides which others are ignored, or how they are stored. */
export function isRule({ path }: DiffEntry): boolean {
  return /(?:^|\/)\.git(?:ignore|attributes)$/.test(path);
}

/** Keeps the `to` sides, then restores the working tree to the `from` sides of `back`. */
async function takeBack(
  work: Work,
  what: { since: readonly DiffEntry[]; back: readonly DiffEntry[]; lost: readonly DiffEntry[] },
): Promise<void> {
  const { repo, order } = work;
  const { checkpoint, run, label } = order;
  if (what.back.length === 0 && what.lost.length === 0) return;
  const since = what.since.filter(({ path }) => !repo.isOwn(path));
  const facts = { run, label, ...taskOf(checkpoint), base: checkpoint.base };
  work.kept = await keepWork(repo, { ...what, since, facts }, work.kept, order.shelf);
  if (what.back.length === 0) return;
  await clearWay(repo, what.back);
  await leadTree(repo, work.kept.commit, work.kept.before);
}

/** Opens folders that the attempt closed, and removes pipes and the like: git could not write there. */
async function clearWay(repo: Repository, back: readonly DiffEntry[]): Promise<void> {
  const here = repo.ports.files.tree(repo.cwd);
  const paths = back.map(({ path }) => path);
  const outermostFirst = [...foldersAbove(paths), ...paths].sort((one, other) => one.length - other.length);
  for (const path of outermostFirst) {
    const [found] = await here.look([path]);
    if (found?.kind === "other") await here.remove(path);
    if (found?.kind === "folder" && (found.mode & OPEN) !== OPEN) await here.setMode(path, found.mode | OPEN);
  }
}

/** The bits that the owner of a folder needs to change its files. */
const OPEN = 0o700;

/** Only a task's id contains no white space. */
function taskOf({ id }: Checkpoint): { why: "given-up"; task: string } | { why: "review" | "draft" } {
  if (id === THE_DRAFT) return { why: "draft" };
  return /\s/.test(id) ? { why: "review" } : { why: "given-up", task: id };
}

/**
 * Uses two trees, so that only their differences are touched: a single one would also reset the backlog and the log.
 */
async function leadTree(repo: Repository, from: string, to: string): Promise<void> {
  await runGit(repo, ["read-tree", "-m", "-u", from, to], { index: ownIndex(repo) });
}

/**
 * Reverts the `back` entries in the working tree; the `own` entries stay. The rescue ref in the result holds both.
 * Contract: the own index was just staged, and differs from `base` by exactly these entries.
 */
export async function revertEntries(
  repo: Repository,
  order: {
    base: string;
    run: string;
    label: string;
    own: readonly DiffEntry[];
    back: readonly DiffEntry[];
  },
): Promise<string> {
  const { base, run, label } = order;
  const ref = await freeRescueRef(repo, run, label);
  const ident = await repo.identity();
  const message = rescueMessage({ run, label, why: "put-back", base });
  const [kept, whole] = await importAll(repo, [
    { ref, parent: base, ident, message, entries: order.own },
    { ref, parent: "previous", ident, message, entries: order.back },
  ]);
  await leadTree(repo, whole, kept);
  return ref;
}

export interface Restored {
  /** The restored paths, as text. */
  paths: readonly string[];
  /** The ref that keeps the replaced content; `undefined` if nothing differed. */
  rescue: string | undefined;
  warnings: readonly string[];
}

export interface RestoreOrder {
  checkpoint: Checkpoint;
  run: string;
  /** The name of the rescue, for example "T1-2": task and attempt. */
  label: string;
  /** The ref that keeps what is replaced, instead of a rescue: the work is saved already. */
  shelf?: string;
  /** The caller has just staged the tree, and it is that of the checkpoint. */
  unchanged?: boolean;
}

export interface PutBackOrder {
  checkpoint: Pick<Checkpoint, "base" | "settings" | "locks">;
  /** The changes of the attempt, from the snapshot. */
  changes: readonly DiffEntry[];
  run: string;
  label: string;
}

/**
 * Restores every path to its version in the snapshot; keeps the replaced content under a rescue ref, because a
 * person may have saved something meanwhile. Starts two processes if nothing differs.
 */
export async function undoGateChanges(repo: Repository, order: PutBackOrder): Promise<Restored> {
  const { base, settings } = order.checkpoint;
  const left = await removeNewLocks(repo, order.checkpoint.locks);
  const warnings = [...left, ...(await putSettingsBack(repo, settings, order))];
  await stageAll(repo);
  const now = await diffOwnIndex(repo, base, repo.excludes);
  const back = changesBetween(order.changes, now);
  if (back.length === 0) return { paths: [], rescue: undefined, warnings };
  const { run, label } = order;
  const rescue = await revertEntries(repo, { base, run, label, own: order.changes, back });
  return {
    paths: back.map(({ path }) => toText(path)),
    rescue,
    warnings,
  };
}

// Restores the person's index as a checkpoint found it. First lists the content that only this index has, so that it can be kept.

/** A plan for restoring the index. */
export interface IndexBack {
  /** Content that exists only in the index and is removed; on the `to` side. */
  lost: readonly DiffEntry[];
  write: () => Promise<void>;
}

/** The changes to the index that leave it as at the checkpoint, and the commits made since in it; `undefined` without any. */
async function planIndex(
  { repo, order }: Work,
  found: {
    head: string | undefined;
    since: readonly DiffEntry[];
    back: readonly DiffEntry[];
    person: PersonIndex;
  },
): Promise<IndexBack | undefined> {
  const { back, person } = found;
  if (found.since.length === 0 && sameAsKept(person, order.checkpoint)) return undefined;
  const tree = byPath(await listEntries(repo, ownIndex(repo)));
  const entries = await entriesOf(repo, person);
  const { commit } = order.checkpoint.index;
  if (commit === undefined) {
    const staged = await diffPersonIndex(repo, await treeish(repo, found.head));
    const set = toPlain(entries, staged);
    if (set.length === 0) return undefined;
    const brought = new Set(staged.filter(({ to }) => exists(to)).map(({ path }) => path));
    const only = entries.filter(({ path }) => brought.has(path));
    return { lost: findOnlyStaged(only, tree, repo.isOwn), write: () => refreshIndex(repo, set) };
  }
  const [file] = await readObjects(repo, [`${commit}:${KEPT_INDEX}`]);
  const bytes = Buffer.from(file?.content ?? "", "latin1");
  const kept = await entriesOf(repo, { bytes });
  const old = byPath(kept);
  const since = found.since.filter(({ path, to }) => !sameVersion(old.get(path) ?? NOTHING, to));
  const wanted = setEntries(kept, since);
  if (sameIndex(wanted, entries)) return undefined;
  const after = new Map([...tree, ...back.map(({ path, from }) => [path, from] as const)]);
  const set = [...since, ...doubtful(wanted, after)];
  return {
    lost: findOnlyStaged(listMissing(wanted, entries), tree, repo.isOwn),
    write: async () => {
      await replaceIndex(repo, await withEntries(repo, bytes, set));
    },
  };
}

/**
 * The entries whose file differs. Git detects changes by a file's times, and for files written in the same moment by
 * the index's own time, which is another one now. Without times these entries are read again.
 */
function doubtful(entries: readonly IndexEntry[], after: ByPath): DiffEntry[] {
  return entries.flatMap((entry) => {
    const { path, mode, oid } = entry;
    const file = after.get(path);
    if (file === undefined || !isOrdinary(entry) || sameVersion(file, entry)) return [];
    return [{ path, from: { mode, oid }, to: { mode, oid } }];
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

/**
 * The changes that make an index equal to HEAD; `staged` is how it differs from HEAD. The `from` side is the current
 * version, the `to` side the wanted one.
 */
function toPlain(person: readonly IndexEntry[], staged: readonly DiffEntry[]): DiffEntry[] {
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
function setEntries(person: readonly IndexEntry[], entries: readonly DiffEntry[]): IndexEntry[] {
  const set = new Map(entries.map(({ path, to }) => [path, to]));
  const fresh = entries
    .filter(({ to }) => exists(to))
    .map(({ path, to }) => ({ path, ...to, stage: 0, assumed: false, skipped: false, intended: false }));
  return [...person.filter(({ path }) => !set.has(path)), ...fresh];
}

/** Whether two indexes are equal, including bits. */
function sameIndex(one: readonly IndexEntry[], other: readonly IndexEntry[]): boolean {
  const spelled = new Set(one.map(spell));
  return one.length === other.length && other.every((entry) => spelled.has(spell(entry)));
}

/** The content in one index that another does not have at the same path. */
function listMissing(other: readonly IndexEntry[], one: readonly IndexEntry[]): IndexEntry[] {
  const kept = byPath(other);
  return one.filter((entry) => {
    const version = kept.get(entry.path);
    return version === undefined || !sameVersion(version, entry);
  });
}

function spell({ path, mode, oid, stage, assumed, skipped, intended }: IndexEntry): string {
  return [mode, oid, stage, assumed, skipped, intended, path].join(" ");
}
