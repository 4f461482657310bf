// Reverts changes in the working tree and the index, and keeps them first. The callers decide what to revert;
// index-back.ts restores the index.
import { join } from "node:path";
import type { Checkpoint } from "../checkpoint/checkpoint.js";
import { toBytes, toText } from "../base/bytes.js";
import { exists, sameVersion, type DiffEntry, type Version } from "../base/read/diff.js";
import { importPair } from "../base/fast-import.js";
import { asResult, GitError, runGit, type GitFailure } from "../base/git.js";
import { foldersAbove } from "../base/repository/folders.js";
import { readHead, treeish } from "../base/repository/head.js";
import { planIndexBack, type IndexBack } from "./index-back.js";
import { byPath, type ByPath } from "../index/index-compare.js";
import {
  diffTrees,
  ownIndex,
  refreshIndex,
  stageAgain,
  stageAll,
  diffOwnIndex,
} from "../index/index-file.js";
import { entriesOf, listEntries, readPersonIndex, type PersonIndex } from "../index/index-person.js";
import { keepWork, readKeptAt, readKeptWork, type KeptWork } from "../rescue/keep-work.js";
import { putSettingsBack } from "../base/repository/settings.js";
import { isOtherCommit } from "../checkpoint/inside-modules.js";
import { keepBefore, relinkModule } from "../checkpoint/modules.js";
import type { Restored, RestoreOrder } from "./restore-order.js";
import { THE_DRAFT } from "../base/names.js";
import { freeRescueRef, rescueMessage } from "../rescue/rescue.js";
import type { Repository } from "../base/repository/repository.js";

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
    const before = await freeRescueRef(repo, run, `${label}-before`);
    await runGit(repo, ["update-ref", before, checkpoint.base]);
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
  const same = entries.flatMap(({ path, mode, oid, stage, assumed, skipped, intended }) => {
    const version = restored.get(path);
    const isPlain = stage === 0 && !assumed && !skipped && !intended;
    return isPlain && version !== undefined && sameVersion(version, { mode, oid })
      ? [{ path, from: version, to: version }]
      : [];
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

async function ownTree(repo: Repository): Promise<ByPath> {
  return byPath(await listEntries(repo, ownIndex(repo)));
}

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

function isRule({ path }: DiffEntry): boolean {
  return /(?:^|\/)\.git(?:ignore|attributes)$/.test(path);
}

async function planIndex(
  { repo, order }: Work,
  found: {
    head: string | undefined;
    since: readonly DiffEntry[];
    back: readonly DiffEntry[];
    person: PersonIndex;
  },
): Promise<IndexBack | undefined> {
  const { since, back, person } = found;
  if (since.length === 0 && sameAsKept(person, order.checkpoint)) return undefined;
  const tree = await ownTree(repo);
  const after = new Map<string, Version>(tree);
  for (const { path, from } of back) after.set(path, from);
  const head = await treeish(repo, found.head);
  const entries = await entriesOf(repo, person);
  return planIndexBack(repo, {
    kept: order.checkpoint.index,
    person: { ...person, entries },
    head,
    since,
    tree,
    after,
  });
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
  const [kept, whole] = await importPair(
    repo,
    { ref, parent: base, ident, message, entries: order.own },
    { ref, parent: "previous", ident, message, entries: order.back },
  );
  await leadTree(repo, whole.commit, kept.commit);
  return ref;
}
