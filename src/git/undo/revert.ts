// Computes the changes of an undo by three-way merges that touch no index, tree or ref. revert-tree.ts makes the
// changes, and commit.ts the commit.
import { given } from "../../system/given.js";
import { toText } from "../base/bytes.js";
import type { DiffEntry } from "../base/read/diff.js";
import { GitError, runGit, type GitPlace } from "../base/git.js";
import { treeish } from "../base/repository/head.js";
import { diffTrees } from "../index/index-file.js";
import { subjectOf, taskOf, type TaskCommit } from "../commit/live-commits.js";
import type { Repository } from "../base/repository/repository.js";
import { listTouching } from "../commit/task-commits.js";

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

async function wrap(place: GitPlace, tree: string, parent?: string): Promise<string> {
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
