// Changes the working tree to a built commit before HEAD moves, so that no difference is left that would look like
// unfinished work. May be repeated after a kill at any point. publish.ts updates index and HEAD.
import { join } from "node:path";
import { parseBatch } from "../base/batch.js";
import { toBytes, toText } from "../base/bytes.js";
import { exists, NOTHING, sameVersion, type DiffEntry, type Version } from "../base/read/diff.js";
import { GitError, runGit } from "../base/git.js";
import { readHead } from "../base/repository/head.js";
import { diffTrees, dropOwnIndex, indexInfo, ownIndex, stageAll, diffOwnIndex } from "../index/index-file.js";
import type { Prepared } from "../commit/pending.js";
import { publish, type Published } from "../commit/publish.js";
import type { Repository } from "../base/repository/repository.js";

/** The commit to publish, and the result for the tree. */
interface Settled {
  prepared: Prepared;
  warnings: readonly string[];
  /** Paths (bytes) outside a sparse checkout. */
  outside: readonly string[];
}

/**
 * Changes the working tree to the commit, without the backlog, then publishes it. A path that was changed since the
 * commit was built stays as it is, with a warning. Starts eleven processes.
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
      .filter(isRepository)
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
  const patterns = await repo.ports.files.stat(join(repo.gitDir, "info", "sparse-checkout"));
  if (patterns === undefined || changes.length === 0) return [];
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
    return version !== undefined && !sameVersion(version, to) && (exists(version) || exists(to));
  };
  return { stay: changes.filter(clashes), go: changes.filter((entry) => !clashes(entry)) };
}

function isRepository({ from, to }: DiffEntry): boolean {
  return from.mode === "160000" || to.mode === "160000";
}

/** Returns the paths that were left alone. */
async function bring(repo: Repository, head: string, changes: readonly DiffEntry[]): Promise<string[]> {
  await dropOwnIndex(repo);
  await stageAll(repo);
  const staged = new Map(
    (await diffOwnIndex(repo, head, repo.excludes)).map((entry) => [entry.path, entry.to]),
  );
  const found: Record<"left" | "brought" | "torn" | "next", DiffEntry[]> = {
    left: [],
    brought: [],
    torn: [],
    next: [],
  };
  for (const entry of changes) found[await lookAt(repo, entry, staged.get(entry.path))].push(entry);
  const { left, brought, torn, next } = found;
  await mend(repo, torn, staged);
  if (torn.length + next.length > 0) {
    const [before, after] = await treesWith(repo, head, [brought, [...torn, ...next]]);
    // Two trees, so that only their differences are touched.
    await runGit(repo, ["read-tree", "-m", "-u", before, after], { index: ownIndex(repo) });
  }
  return left.map(({ path }) => toText(path));
}

/** `now`: the content of the tree if it differs from HEAD. */
async function lookAt(
  repo: Repository,
  { to }: DiffEntry,
  now: Version | undefined,
): Promise<"left" | "brought" | "torn" | "next"> {
  if (now === undefined) return "next";
  if (sameVersion(now, to)) return "brought";
  return exists(now) && !(await isHalf(repo, now, to)) ? "left" : "torn";
}

/** Whether a file is a proper beginning of another: a killed git left it incomplete. */
async function isHalf(repo: Repository, now: Version, whole: Version): Promise<boolean> {
  if (!isFile(now) || !isFile(whole)) return false;
  const { out } = await runGit(repo, ["cat-file", "--batch"], { input: `${now.oid}\n${whole.oid}\n` });
  const [half, all] = parseBatch(out);
  return half !== undefined && all?.content.startsWith(half.content) === true;
}

function isFile({ mode }: Version): boolean {
  return mode.startsWith("100");
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

/** The tree of a commit with the first changes, and with both, made in another own index. */
async function treesWith(
  repo: Repository,
  commit: string,
  [first, second]: readonly [readonly DiffEntry[], readonly DiffEntry[]],
): Promise<[string, string]> {
  const index = `${ownIndex(repo)}-undo`;
  const { files } = repo.ports;
  await files.remove(`${index}.lock`);
  await runGit(repo, ["read-tree", commit], { index });
  const write = async (changes: readonly DiffEntry[]): Promise<string> => {
    await runGit(repo, ["update-index", "-z", "--index-info"], { index, input: indexInfo(changes) });
    return (await runGit(repo, ["write-tree"], { index })).out.trimEnd();
  };
  const trees: [string, string] = [await write(first), await write(second)];
  await files.remove(index);
  return trees;
}
