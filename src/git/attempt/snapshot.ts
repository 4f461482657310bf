// Takes a snapshot of an attempt: every path that differs from the checkpoint, and the position of HEAD. commit.ts
// commits it.
import { type Checkpoint, KEPT_INDEX, KEPT_STAGED, type KeptIndex } from "../checkpoint/checkpoint.js";
import { toText } from "../base/bytes.js";
import { exists, NOTHING, sameVersion, type DiffEntry, sameContent } from "../base/read/diff.js";
import { OTHERS, readHead, treeish, type Head, type HeadState, isAncestor } from "../base/repository/head.js";
import { byPath, entriesOf, readPersonIndex, listEntries } from "../index/index-person.js";
import { diffTrees, dropOwnIndex, stageAll, diffOwnIndex, ownIndex } from "../index/index-file.js";
import { findMadeModules, warnOfInside, whyBroken, compareModules } from "../checkpoint/modules.js";
import { warnOfTouched } from "../checkpoint/large.js";
import { removeNewLocks } from "../base/locks.js";
import type { Repository } from "../base/repository/repository.js";
import { keepObject } from "../rescue/rescue.js";
import { isRule, revertEntries } from "../restore/restore.js";
import { keepRefs, keepStash, warnOfRefs } from "../checkpoint/refs.js";
import { putSettingsBack } from "../base/repository/settings.js";
import { endConflicts, endOperation } from "../index/operation.js";
import {
  findBegun,
  judgeHead,
  putHeadBack,
  warnOfCommits,
  type CommitPolicy,
  type HeadMove,
  type HeadVerdict,
  addsToStart,
  wasMovedByAgent,
} from "../restore/settle-head.js";
import { quoteWord } from "../../shell/quote.js";
import { listSome } from "../../system/text/cut.js";
import { planAll, writeTree } from "../bring-back/bring-back.js";
import { runGit } from "../base/git.js";
import { filesOf, readObjects } from "../base/objects.js";
import { listChanged, putRefsBack, type Refs } from "../base/list-refs.js";
import {
  asideId,
  checkpointFolder,
  checkpointRef,
  shelvedRef,
  shelvingRef,
  workFolder,
  workRef,
} from "../base/names.js";

export interface SnapshotOrder {
  checkpoint: Checkpoint;
  run: string;
  /** The name of a rescue, for example "T1-2": task and attempt. */
  label: string;
  policy: CommitPolicy;
}

export interface Snapshot {
  /** Every path that differs from the checkpoint's base, with its old and new blob; never the runner's own files. */
  changes: readonly DiffEntry[];
  /** New files that no commit holds, each with the reason; they stay in the folder. */
  leftOut?: readonly string[];
  /** The paths (bytes) that stay out of every commit: the user told git not to look at them. */
  marked: ReadonlySet<string>;
  /** The paths in commits of a person, on the branch or in a rescue: they are not part of the task's commit. */
  theirs: ReadonlySet<string>;
  verdict: HeadVerdict;
  /** HEAD now, restored where necessary. */
  head: Head;
  /** The mode of the backlog if git tracks it. */
  backlogMode: string | undefined;
  /** Repositories inside the tree (paths as text) with uncommitted work of the attempt. */
  inside: readonly string[];
  /** The warnings about commits, refs, git's settings and hooks, which no restore of the tree repeats; a part of `warnings`. */
  told: readonly string[];
  warnings: readonly string[];
  /** The warnings about tags, and about other branches than that of HEAD, for an agent that was to change nothing. */
  refs: readonly string[];
  /** The refs that only the runner moves, as they are now. */
  own: ReadonlyMap<string, string>;
}

/**
 * Examines the changes of an attempt. Restores git's settings, restores HEAD if it was moved, and ends a merge or
 * other operation that the attempt left open. Starts three processes if HEAD did not move.
 */
export async function snapshot(repo: Repository, order: SnapshotOrder): Promise<Snapshot> {
  const { base, before, index } = order.checkpoint;
  const marked = new Set(order.checkpoint.marked);
  const locks = await removeNewLocks(repo, order.checkpoint.locks);
  const settings = await putSettingsBack(repo, order.checkpoint.settings, order);
  const now = await readHead(repo, [...OTHERS, ...ownFolders(repo)]);
  const { uncommitted: inside, ...nested } = await compareModules(repo, order.checkpoint.modules);
  const broken = whyBroken(nested.broken);
  const { warnings, unborn } = await stageAll(repo);
  const move = await judgeHead(repo, before, now, order.policy);
  const beside = move.verdict === "same" ? await takeSideBranch(repo, before, now) : [];
  // The base never contains the backlog, so it is listed here exactly if git tracks it.
  const all = await diffOwnIndex(repo, base, repo.excludesSaveTodo);
  const backlog = all.find(({ path }) => path === repo.todo?.path);
  const isWork = ({ path }: DiffEntry): boolean => path !== backlog?.path;
  let changes = all.filter(isWork);
  const { verdict, switched, target } = move;
  const left = findBegun(before, now);
  if (left !== undefined) await endOperation(repo, left);
  let rescue: string | undefined;
  if (verdict !== "same") {
    changes = (await leaveSwitched(repo, order, changes, switched)).filter(isWork);
    rescue = await putHeadBack(repo, target, now, order);
  }
  const commits = [
    ...(await warnOfCommits(repo, move, { now, kept: rescue })),
    ...beside,
    ...(await keepRefs(repo, before, now, order)),
    ...(await keepStash(repo, order.checkpoint.stash)),
  ];
  const came = new Set(switched.map(({ path }) => path));
  const mixed = changes.filter(({ path }) => came.has(path)).map(({ path }) => toText(path));
  if (mixed.length > 0)
    commits.push(
      `changed where HEAD was, and by the attempt too, and so left as they are: ${listSome(mixed)}`,
    );
  const { commit, branch } = verdict === "same" ? now : target;
  const head = { commit, branch };
  const person = await readPersonIndex(repo);
  // A run starts without conflicts, so there are none in an index that is as it was.
  if (left !== undefined || person.checksum === undefined || person.checksum !== index.checksum)
    await endConflicts(repo, { head: head.commit, began: left !== undefined, changes });
  const made = await findMadeModules(repo, changes, { unborn, known: order.checkpoint.modules });
  return {
    changes,
    marked,
    theirs: await theirPaths(repo, order, { move, head, changes }),
    verdict: broken === undefined ? verdict : { moved: broken },
    head,
    backlogMode: backlog?.to.mode,
    refs: warnOfRefs(before, now),
    told: [...locks, ...settings, ...commits],
    own: pickOwnRefs(repo, now.refs),
    inside: [...inside, ...made].map(toText),
    warnings: [
      ...locks,
      ...settings,
      ...warnings,
      ...commits,
      ...warnOfInside(inside, made),
      ...(await warnOfTouched(repo)),
      ...(await warnOfPersons(repo, order, { head, changes })),
    ],
  };
}

/** The warnings about changes of a person that the attempt changed too, undid or unstaged; a rescue keeps them. */
async function warnOfPersons(
  repo: Repository,
  { checkpoint: { base, dirty, index, ...checkpoint }, run, label }: SnapshotOrder,
  { head, changes }: { head: Head; changes: readonly DiffEntry[] },
): Promise<string[]> {
  const marked = new Set(checkpoint.marked);
  const removed = await findStagedRemovals(repo, index, changes);
  const isPersons = (path: string): boolean => dirty.has(path) || index.staged.has(path) || removed.has(path);
  const both = changes.filter(({ path }) => isPersons(path) || marked.has(path));
  const unstaged = await findUnstaged(repo, index);
  if (both.length === 0 && unstaged.length === 0) return [];
  const kept = await keepObject(repo, base, { run, label: `${label}-before` });
  const inHead = await filesOf(repo, await treeish(repo, head.commit));
  const warnings = both.map((entry) => {
    const { path, to } = entry;
    if (marked.has(path) || !sameContent(inHead.get(path) ?? NOTHING, to))
      return warnOfBoth(entry, marked.has(path), kept);
    return `${toText(path)} had your uncommitted changes, and the agent undid them: no commit has them. To bring them back: git restore --source=${kept} --worktree -- ${quoteWord(`:(top,literal)${toText(path)}`)}`;
  });
  if (unstaged.length > 0 && index.commit !== undefined)
    warnings.push(
      `changes that you had only staged are not staged any more (${listSome(unstaged)}); each is kept: git show ${index.commit}:${KEPT_STAGED}/PATH`,
    );
  return warnings;
}

/** The changed paths whose content a person's commit holds, on the branch or removed from it. */
async function theirPaths(
  repo: Repository,
  { checkpoint: { recorded } }: SnapshotOrder,
  { move, head, changes }: { move: HeadMove; head: Head; changes: readonly DiffEntry[] },
): Promise<ReadonlySet<string>> {
  const went = head.commit !== undefined && head.commit !== recorded.commit && changes.length > 0;
  const since = went ? await diffTrees(repo, head.commit ?? "", await treeish(repo, recorded.commit)) : [];
  const held = new Map([...(move.theirs?.lostChanges ?? []), ...since].map(({ path, to }) => [path, to]));
  const theirs = changes.filter(({ path, to }) => {
    const version = held.get(path);
    return version !== undefined && sameContent(version, to);
  });
  return new Set(theirs.map(({ path }) => path));
}

/** The deleted paths (bytes) whose removal the person had staged, with the file left in the folder. */
async function findStagedRemovals(
  repo: Repository,
  { commit }: KeptIndex,
  changes: readonly DiffEntry[],
): Promise<ReadonlySet<string>> {
  const deleted = changes.filter(({ from, to }) => exists(from) && !exists(to)).map(({ path }) => path);
  if (commit === undefined || deleted.length === 0) return new Set();
  const [file] = await readObjects(repo, [`${commit}:${KEPT_INDEX}`]);
  const entries = await entriesOf(repo, { bytes: Buffer.from(file?.content ?? "", "latin1") });
  const had = new Set(entries.map(({ path }) => path));
  return new Set(deleted.filter((path) => !had.has(path)));
}

/** The paths whose content existed only in the index, and is not staged any more. */
async function findUnstaged(repo: Repository, kept: KeptIndex): Promise<string[]> {
  if (kept.staged.size === 0) return [];
  const person = await readPersonIndex(repo);
  if (person.checksum !== undefined && person.checksum === kept.checksum) return [];
  const now = byPath(await entriesOf(repo, person));
  return [...kept.staged].flatMap(([path, oid]) => (now.get(path)?.oid === oid ? [] : toText(path)));
}

function warnOfBoth({ path, to }: DiffEntry, isMarked: boolean, kept: string): string {
  const then = isMarked
    ? "was changed by the agent, but git ignores its changes (skip-worktree or assume-unchanged), so they are not committed"
    : `had your uncommitted changes, and the agent ${exists(to) ? "changed it too: the commit contains both" : "deleted it: a commit of the attempt deletes it"}`;
  return `${toText(path)} ${then}. Your version: git show ${kept}`;
}

/** Reverts the changes that came with a switch of HEAD; returns the attempt's own changes. */
async function leaveSwitched(
  repo: Repository,
  order: SnapshotOrder,
  changes: readonly DiffEntry[],
  switched: readonly DiffEntry[],
): Promise<DiffEntry[]> {
  const bySwitch = new Map(switched.map((entry) => [entry.path, entry]));
  const isSwitched = (entry: DiffEntry): boolean => {
    const other = bySwitch.get(entry.path);
    return other !== undefined && sameVersion(other.from, entry.from) && sameVersion(other.to, entry.to);
  };
  const own = changes.filter((entry) => !isSwitched(entry));
  const back = changes.filter(isSwitched);
  const { checkpoint, run, label } = order;
  if (back.length > 0)
    await revertEntries(repo, { base: checkpoint.base, run, label: `${label}-tree`, own, back });
  if (!back.some(isRule)) return own;
  // The rules of the other branch may have ignored less.
  await dropOwnIndex(repo);
  await stageAll(repo);
  return diffOwnIndex(repo, checkpoint.base, repo.excludesSaveTodo);
}

// Work that an agent committed on a branch of its own, with HEAD back where the attempt began: it counts as the
// attempt's. settle-head.ts has the case in which HEAD stays on that branch.

/**
 * Puts what such a branch holds into the tree, three-way where the attempt changed a file there too. Returns a warning for each
 * branch. Contract: the own index was just staged. Starts no process if no branch was made or moved.
 */
async function takeSideBranch(repo: Repository, before: HeadState, now: HeadState): Promise<string[]> {
  const names: string[] = [];
  for (const [ref, tip] of now.refs) {
    const isMoved = tip !== before.refs.get(ref) && tip !== before.commit;
    if (!ref.startsWith("refs/heads/") || ref === now.branch || !isMoved) continue;
    const isAgents = await wasMovedByAgent(repo, ref);
    if (isAgents && (await addsToStart(repo, { before, now }, { branch: ref, commit: tip }))) names.push(ref);
  }
  if (names.length === 0) return [];
  const tips = names.map((ref) => now.refs.get(ref) ?? "");
  const whole = await findWhole(repo, tips);
  const shown = names.map((ref) => toText(ref.slice("refs/heads/".length)));
  if (whole === undefined)
    return shown.map(
      (name) => `the agent committed on ${name}, beside other branches: the commit has nothing of it`,
    );
  const changes = await diffTrees(repo, whole, await treeish(repo, before.commit));
  const tree = byPath(await listEntries(repo, ownIndex(repo)));
  const work = changes.filter(({ path }) => !repo.isOwn(path));
  const plan = await planAll(repo, work, tree);
  const clashes = plan.clashes.map(({ path }) => path);
  if (clashes.length === 0 && plan.set.length > 0) await writeTree(repo, plan.set);
  const how =
    clashes.length === 0
      ? "its work is in the task's commit"
      : `its work does not fit the tree (${listSome(clashes)}), and the commit has nothing of it`;
  return shown.map(
    (name) => `the agent committed on ${name}, which stays: ${how}; to remove it: git branch -D ${name}`,
  );
}

/** The one of these commits that has all others in its history. */
async function findWhole(repo: Repository, tips: readonly string[]): Promise<string | undefined> {
  for (const tip of tips) {
    const held = await Promise.all(tips.map((other) => isAncestor(repo, other, tip)));
    if (held.every((one) => one)) return tip;
  }
  return undefined;
}

// The refs that only the runner moves: the checkpoints and the saved work of one working tree. An attempt that moved, removed or
// made one would change what a later commit holds, so they are put back. Branches and tags stay as they are.

/** The folders of the refs that only the runner moves in this tree. */
export function ownFolders({ tree }: Repository): string[] {
  const beside = [shelvingRef(tree, "x"), shelvedRef(tree, "x")].map((ref) => ref.slice(0, -2));
  return [checkpointFolder(tree), workFolder(tree), ...beside];
}

/** Those of some refs that only the runner moves. Pure. */
export function pickOwnRefs(repo: Repository, refs: Refs): Map<string, string> {
  const folders = ownFolders(repo).map((folder) => `${folder}/`);
  return new Map([...refs].filter(([name]) => folders.some((folder) => name.startsWith(folder))));
}

/** The names of the refs of one task. */
export function ownRefsOf({ tree }: Repository, task: string): string[] {
  const own = [checkpointRef, workRef, shelvingRef, shelvedRef].map((refOf) => refOf(tree, task));
  return [...own, checkpointRef(tree, asideId(task))];
}

/**
 * Puts the refs back as they were before an attempt, and returns a warning for each. A commit that the attempt put in their place is
 * kept as a rescue. Starts no process if nothing has changed.
 */
export async function putOwnRefsBack(
  repo: Repository,
  { before, now }: { before: Refs; now: Refs },
  { run, label }: { run: string; label: string },
): Promise<string[]> {
  const changed = listChanged(before, now);
  const warnings: string[] = [];
  for (const { name, was, is } of changed) {
    const kept = is === undefined ? undefined : await keepForeign(repo, is, { run, label: `${label}-ref` });
    const how = is === undefined ? "removed" : was === undefined ? "made" : "moved";
    const done = was === undefined ? "was removed" : "was put back";
    const where = kept === undefined ? "" : `; what it named is kept: ${kept}`;
    warnings.push(`${name}, which only looper writes, was ${how} during the attempt, and ${done}${where}`);
  }
  await putRefsBack(repo, changed);
  return warnings;
}

/** Keeps a commit that another program put in the place of the runner's own; returns the rescue, `undefined` if it is not a commit. */
export async function keepForeign(
  repo: Repository,
  object: string,
  keep: { run: string; label: string },
): Promise<string | undefined> {
  const { out } = await runGit(repo, ["cat-file", "-t", object], { answers: [128] });
  return out.trimEnd() === "commit" ? keepObject(repo, object, keep) : undefined;
}
