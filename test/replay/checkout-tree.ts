// Makes the working tree of a shared clone equal to a commit or an attempt. Only for trees of this program: replaced
// content is not kept. shared-clone.ts makes the clone.
import { join } from "node:path";
import { toText } from "../../src/git/base/bytes.js";
import type { DiffEntry } from "../../src/git/base/read/diff.js";
import { runGit } from "../../src/git/base/git.js";
import { treeish } from "../../src/git/base/repository/head.js";
import {
  diffTrees,
  dropOwnIndex,
  indexInfo,
  ownIndex,
  stageAll,
  diffOwnIndex,
} from "../../src/git/index/index-file.js";
import type { Repository } from "../../src/git/base/repository/repository.js";

/** The wanted tree: that of a commit or tree, and changes to it. */
export interface TreeTarget {
  base: string;
  /** Only path and `to` matter. */
  changes: readonly DiffEntry[];
}

/**
 * Sets HEAD to a commit (`undefined`: none yet), and the index to the tracked files of that commit and `base`. The
 * working tree stays as it is; `checkOutTree` changes it.
 */
export async function setHead(
  repo: Repository,
  { head, base }: { head: string | undefined; base: string },
): Promise<void> {
  if (head === undefined) await runGit(repo, ["read-tree", "--empty"]);
  else {
    // The reflog entry looks like a person's, so later steps leave the commit where it is.
    await runGit(repo, ["update-ref", "--create-reflog", "-m", "commit: as it was", "HEAD", head]);
    await runGit(repo, ["read-tree", head]);
  }
  // Staged files that are ignored count as tracked there, too.
  const more = await diffTrees(repo, base, await treeish(repo, head));
  const input = indexInfo(more.filter(({ path }) => !repo.isOwn(path)));
  await runGit(repo, ["update-index", "-z", "--index-info"], { input });
  await dropOwnIndex(repo);
}

/**
 * Makes the working tree equal to the target, without the runner's own files; returns the number of changed paths.
 */
export async function checkOutTree(repo: Repository, target: TreeTarget): Promise<number> {
  const wanted = await treeWith(repo, target.base, target.changes);
  await stageAll(repo);
  const back = await diffOwnIndex(repo, wanted, repo.excludes);
  if (back.length === 0) return 0;
  const index = ownIndex(repo);
  const now = (await runGit(repo, ["write-tree"], { index })).out.trimEnd();
  const changes = back.map(({ path, from, to }) => ({ path, from: to, to: from }));
  const next = await treeWith(repo, now, changes);
  await runGit(repo, ["read-tree", "-m", "-u", now, next], { index });
  return back.length;
}

/** The changes of a commit against its first parent. */
export async function diffFromParent(repo: Repository, commit: string): Promise<DiffEntry[]> {
  return diffTrees(repo, commit);
}

/** The id of a tree with these changes made. */
async function treeWith(repo: Repository, base: string, changes: readonly DiffEntry[]): Promise<string> {
  const index = join(repo.gitDir, "looper", "laid-index");
  await repo.ports.files.makeFolder(join(repo.gitDir, "looper"), 0o700);
  await runGit(repo, ["read-tree", base], { index });
  const input = indexInfo(changes);
  if (input !== "") await runGit(repo, ["update-index", "-z", "--index-info"], { index, input });
  return (await runGit(repo, ["write-tree"], { index })).out.trimEnd();
}

/** The id of an object by a name such as a commit's parent; `undefined` if it does not exist. */
export async function resolveObject(repo: Repository, name: string): Promise<string | undefined> {
  const { code, out } = await runGit(repo, ["rev-parse", "-q", "--verify", name], { answers: [1] });
  return code === 0 ? out.trimEnd() : undefined;
}

/** The paths, as text, in which two commits or trees differ. */
export async function listDifferences(repo: Repository, one: string, other: string): Promise<string[]> {
  return (await diffTrees(repo, one, other)).map(({ path }) => toText(path));
}
