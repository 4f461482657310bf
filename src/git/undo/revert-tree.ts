// Undoes commits: computes the changes by three-way merges that touch no index, tree or ref, finds what is in their way, and
// changes the working tree to the built commit before HEAD moves, so that no difference is left that would look like unfinished
// work. The last may be repeated after a kill at any point. commit.ts updates index and HEAD.
import { join } from "node:path";
import { readObjects } from "../base/objects.js";
import { toBytes, toText, foldersAbove } from "../base/bytes.js";
import {
  exists,
  NOTHING,
  sameVersion,
  type DiffEntry,
  type Version,
  sameContent,
  isModule,
} from "../base/read/diff.js";
import { GitError, runGit, type GitPlace } from "../base/git.js";
import { readHead, treeish } from "../base/repository/head.js";
import {
  diffTrees,
  dropOwnIndex,
  indexInfo,
  ownIndex,
  stageAll,
  diffOwnIndex,
  diffPersonIndex,
  hasPatterns,
} from "../index/index-file.js";
import { type Prepared, publish, type Published } from "../commit/commit.js";
import type { Repository } from "../base/repository/repository.js";
import { given } from "../../system/given.js";
import { subjectOf, taskOf, type TaskCommit, listTouching } from "../commit/live-commits.js";
import { findHidden, writeTree } from "../bring-back/bring-back.js";
import { byPath, listEntries } from "../index/index-person.js";
import { leaveOutLarge } from "../checkpoint/large.js";

/** The commit to publish, and the result for the tree. */
interface Settled {
  prepared: Prepared;
  warnings: readonly string[];
  /** Paths (bytes) outside a sparse checkout. */
  outside: readonly string[];
}

/**
 * Changes the working tree to the commit, without the backlog, then publishes it. A path that was changed since the
 * commit was built stays as it is, with a warning. Starts nine processes.
 */
export async function publishWithTree(repo: Repository, prepared: Prepared): Promise<Published> {
  const settled = await settleTree(repo, prepared);
  const published = await publish(repo, settled.prepared);
  await keepOutside(repo, settled.outside);
  return { ...published, warnings: [...settled.warnings, ...published.warnings] };
}

async function settleTree(repo: Repository, prepared: Prepared): Promise<Settled> {
  if (prepared.published) return { prepared, warnings: [], outside: [] };
  const { commit: head } = await readHead(repo);
  if (head === undefined) throw new GitError("git read-tree", "HEAD has no commit any more");
  const moved = head === prepared.parent ? [] : await diffTrees(repo, head, prepared.parent);
  const { stay, go } = splitMoved(prepared.changes, moved);
  const changes = go.filter(({ path }) => path !== repo.todo?.path);
  const left = changes.length === 0 ? [] : await bring(repo, head, changes);
  const warnings = [
    ...stay.map(({ path }) => `${toText(path)} was committed anew meanwhile: it stays as it is`),
    ...left.map(
      (path) =>
        `${path} was changed meanwhile: the file stays as it is, the commit holds it without the work`,
    ),
    ...changes
      .filter(isModule)
      .map(({ path }) => `${toText(path)} is a repository of its own: git submodule update brings it along`),
  ];
  return { prepared: { ...prepared, changes: go }, warnings, outside: await listOutside(repo, changes) };
}

/** Setting an entry of the person's index cleared git's note that the file is outside the sparse checkout. */
async function keepOutside(repo: Repository, outside: readonly string[]): Promise<void> {
  const input = outside.map((path) => `${path}\0`).join("");
  const args = ["update-index", "--skip-worktree", "-z", "--stdin"];
  if (outside.length > 0) await runGit(repo, args, { input });
}

/** The changed paths that git did not write, because they are outside the person's sparse checkout. */
async function listOutside(repo: Repository, changes: readonly DiffEntry[]): Promise<string[]> {
  if (changes.length === 0 || !(await hasPatterns(repo))) return [];
  const { out } = await runGit(repo, ["ls-files", "-t", "-z"], { index: ownIndex(repo) });
  const changed = new Set(changes.map(({ path }) => path));
  return out.split("\0").flatMap((line) => {
    const path = line.slice(2);
    return line.startsWith("S ") && changed.has(path) ? [path] : [];
  });
}

/** Changes made to HEAD since the commit was built are not overwritten. */
function splitMoved(
  changes: readonly DiffEntry[],
  moved: readonly DiffEntry[],
): { stay: DiffEntry[]; go: DiffEntry[] } {
  const now = new Map(moved.map(({ path, to }) => [path, to]));
  const clashes = ({ path, to }: DiffEntry): boolean => {
    const version = now.get(path);
    return version !== undefined && !sameContent(version, to);
  };
  return { stay: changes.filter(clashes), go: changes.filter((entry) => !clashes(entry)) };
}

/** Returns the paths that were left alone. */
async function bring(repo: Repository, head: string, changes: readonly DiffEntry[]): Promise<string[]> {
  await dropOwnIndex(repo);
  await stageAll(repo);
  const staged = new Map(
    (await diffOwnIndex(repo, head, repo.excludes)).map((entry) => [entry.path, entry.to]),
  );
  const looks: Look[] = [];
  for (const entry of changes) looks.push(await lookAt(repo, entry, staged.get(entry.path)));
  const those = (look: Look): DiffEntry[] => changes.filter((_, at) => looks[at] === look);
  const torn = those("torn");
  await mend(repo, torn, staged);
  const set = [...torn, ...those("next")];
  if (set.length > 0) await writeTree(repo, set);
  return those("left").map(({ path }) => toText(path));
}

type Look = "left" | "brought" | "torn" | "next";

/** `now`: the content of the tree if it differs from HEAD. */
async function lookAt(repo: Repository, { to }: DiffEntry, now: Version | undefined): Promise<Look> {
  if (now === undefined) return "next";
  if (sameVersion(now, to)) return "brought";
  return exists(now) && !(await isHalf(repo, now, to)) ? "left" : "torn";
}

/** Whether a file is a proper beginning of another: a killed git left it incomplete. */
async function isHalf(repo: Repository, now: Version, whole: Version): Promise<boolean> {
  if (![now, whole].every(({ mode }) => mode.startsWith("100"))) return false;
  const [half, all] = await readObjects(repo, [now.oid, whole.oid]);
  return half !== undefined && all?.content.startsWith(half.content) === true;
}

/** Treats a half-written or missing file as unchanged, so that git writes it whole. */
async function mend(
  repo: Repository,
  torn: readonly DiffEntry[],
  staged: ReadonlyMap<string, Version>,
): Promise<void> {
  for (const { path } of torn) {
    const text = toText(path);
    const half = exists(staged.get(path) ?? NOTHING);
    if (half && toBytes(text) === path) await repo.ports.files.remove(join(repo.cwd, text));
  }
  if (torn.length === 0) return;
  const input = indexInfo(torn.map(({ path, from, to }) => ({ path, from: to, to: from })));
  await runGit(repo, ["update-index", "-z", "--index-info"], { index: ownIndex(repo), input });
}

/** The most paths that are explained, and the most commits for each. */
const MOST_EXPLAINED = 50;
const MOST_LATER = 20;

/** A path that cannot be undone automatically, and the later commits that changed it. */
export interface Conflict {
  /** As text, from the top of the repository. */
  path: string;
  /** Newest first. `task`: the task of the commit, if any. */
  later: readonly { commit: string; title: string; task?: string }[];
}

/** `changes`: from HEAD to HEAD without the commits; without the runner's own files. */
export type RevertPlan =
  | { kind: "clean"; changes: readonly DiffEntry[] }
  | { kind: "conflicts"; conflicts: readonly Conflict[] };

/**
 * Removes the commits, newest first, from the tree of `head`, one after the other. Touches nothing, but leaves
 * objects. Needs git 2.38. Starts six processes, and five for each commit.
 */
export async function planRevert(
  repo: Repository,
  head: string,
  commits: readonly TaskCommit[],
): Promise<RevertPlan> {
  let tree = await treeOf(repo, head);
  for (const commit of commits) {
    const merged = await takeOut(repo, commit, tree);
    const conflicts = merged.conflicts.filter((path) => !repo.isOwn(path));
    if (conflicts.length > 0) {
      const paths = new Set(conflicts);
      return { kind: "conflicts", conflicts: await explain(repo, { paths, commit, head, commits }) };
    }
    tree = merged.tree;
  }
  const changes = await diffTrees(repo, tree, head);
  return { kind: "clean", changes: changes.filter(({ path }) => !repo.isOwn(path)) };
}

interface Merged {
  tree: string;
  /** Paths, in bytes. */
  conflicts: readonly string[];
}

/** Merges the change from the commit to its parent with the change from the commit to `tree`. */
async function takeOut(repo: Repository, commit: TaskCommit, tree: string): Promise<Merged> {
  const base = await wrap(repo, await treeOf(repo, commit.commit));
  const before =
    commit.parent === undefined ? await treeish(repo, undefined) : await treeOf(repo, commit.parent);
  // Older versions of git accept no trees and no base here: commits with the base as parent have the same effect.
  const ours = await wrap(repo, tree, base);
  const theirs = await wrap(repo, before, base);
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", ours, theirs];
  const { code, out } = await runGit(repo, args, { answers: [1, 129] });
  if (code === 129) throw new GitError("git merge-tree", "undoing needs git 2.38 or newer");
  const [merged = "", ...rest] = out.split("\0");
  return { tree: merged, conflicts: code === 0 ? [] : rest.slice(0, rest.indexOf("")) };
}

async function treeOf(place: GitPlace, commit: string): Promise<string> {
  return (await runGit(place, ["rev-parse", "--verify", `${commit}^{tree}`])).out.trimEnd();
}

/** A commit of a tree, on no ref. */
export async function wrap(place: GitPlace, tree: string, parent?: string): Promise<string> {
  const who = ["-c", "user.name=Looper", "-c", "user.email=looper@localhost"];
  const parents = parent === undefined ? [] : ["-p", parent];
  return (await runGit(place, [...who, "commit-tree", tree, "-m", "looper: undo", ...parents])).out.trimEnd();
}

async function explain(
  repo: Repository,
  found: {
    paths: ReadonlySet<string>;
    commit: TaskCommit;
    head: string;
    commits: readonly TaskCommit[];
  },
): Promise<Conflict[]> {
  const { paths, commit, head, commits } = found;
  const goesToo = new Set(commits.map((one) => one.commit));
  const conflicts: Conflict[] = [];
  for (const path of paths) {
    const range = { after: commit.commit, to: head, path };
    const later = conflicts.length < MOST_EXPLAINED ? await listTouching(repo, range, MOST_LATER) : [];
    conflicts.push({
      path: toText(path),
      later: later
        .filter((one) => !goesToo.has(one.commit))
        .map((one) => {
          const task = taskOf(one);
          const title = subjectOf(one.message);
          return { commit: one.commit, title, ...given({ task }) };
        }),
    });
  }
  return conflicts;
}

// Finds a person's files that a change of the working tree would overwrite.

/**
 * The paths (as text, sorted) at which `changes` to `head` would overwrite changed, staged, untracked or ignored
 * files of a person. Starts four processes.
 */
export async function findInTheWay(
  repo: Repository,
  head: string,
  changes: readonly DiffEntry[],
): Promise<string[]> {
  if (changes.length === 0) return [];
  await dropOwnIndex(repo);
  await leaveOutLarge(repo);
  await stageAll(repo);
  const inTree = await diffOwnIndex(repo, head, repo.excludes);
  const inIndex = await diffPersonIndex(repo, head);
  const tree = byPath(await listEntries(repo, ownIndex(repo)));
  await dropOwnIndex(repo);
  const touched = touchedBy(changes);
  const found = [...inTree, ...inIndex].map(({ path }) => path).filter(touched);
  const hidden = (await findHidden(repo, changes, tree)).filter(({ why }) => why === "ignored");
  return [...new Set([...found.map(toText), ...hidden.map(({ by }) => by)])].sort();
}

/** A function that matches the changed paths, paths below one that becomes a file, and files that become folders. */
function touchedBy(changes: readonly DiffEntry[]): (path: string) => boolean {
  const paths = new Set(changes.map(({ path }) => path));
  const folders = foldersAbove(changes.filter(({ to }) => exists(to)).map(({ path }) => path));
  return (path) =>
    paths.has(path) || folders.has(path) || [...foldersAbove([path])].some((folder) => paths.has(folder));
}
