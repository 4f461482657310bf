// Works with two indexes: the own index, in which the whole working tree is staged invisibly, and the person's, of
// which only the paths of a commit are changed. The callers decide what to stage and refresh.
import { dirname, join } from "node:path";
import { errorCode } from "../../system/errors.js";
import {
  exists,
  parseRaw,
  sortRemovalsFirst,
  sameVersion,
  type DiffEntry,
  turnBack,
} from "../base/read/diff.js";
import { toBytes } from "../base/bytes.js";
import { GitError, runGit, type GitAnswer, type GitCall } from "../base/git.js";
import { type IndexEntry, listEntries, outwaitLock } from "./index-person.js";
import type { Repository } from "../base/repository/repository.js";

const MOST_WARNINGS = 20;

/** The own index, one for each working tree. */
export function ownIndex(repo: Repository): string {
  return join(repo.gitDir, "looper", repo.ownIndexName ?? "index");
}

/** Removes the own index; the next staging starts from the person's. */
export async function dropOwnIndex(repo: Repository): Promise<void> {
  await repo.ports.files.remove(ownIndex(repo));
}

/** The result of staging everything. */
export interface Staged {
  warnings: readonly string[];
  /** Paths (bytes) that the person told git not to look at; only known if the own index was made anew. */
  marked: readonly string[];
  /** Repositories (paths in bytes) without a commit: git cannot stage anything of them, not even their path. */
  unborn: readonly string[];
}

/** Paths on the command line would have to be text, and few. */
const FROM_STDIN = ["--pathspec-from-file=-", "--pathspec-file-nul"];

const UNBORN = /^error: '(.*?)\/?' does not have a commit checked out$/;

/**
 * Stages the whole working tree, without the runner's own files, in the own index, including paths that the person
 * told git not to look at. Starts one process. If the own index does not exist, starts one more for `base` (a
 * checkpoint's commit, which then defines the tracked files), and one or two for marked paths. `person`: the entries of
 * the person's index, if they are known.
 */
export async function stageAll(
  repo: Repository,
  base?: string,
  person?: readonly IndexEntry[],
): Promise<Staged> {
  const index = ownIndex(repo);
  const { files } = repo.ports;
  let marked: readonly string[] = [];
  // Only this program takes this lock, so an existing one was left by a killed git.
  await files.remove(`${index}.lock`);
  if ((await files.stat(index)) === undefined) {
    await copyIndex(repo, index);
    // First of all: git would not reset a marked entry to the content of a tree.
    marked = await clearMarks(repo, index, person);
    // Files that an agent staged must not count as tracked: it may have forced ignored files in.
    if (base !== undefined) await runGit(repo, ["read-tree", "--reset", base], { index });
  }
  // Files outside a sparse checkout are work of an attempt too.
  const sparse = await hasPatterns(repo);
  // One unreadable file must not exclude all others: git then exits with 1.
  const flags = ["--all", "--ignore-errors", ...(sparse ? ["--sparse"] : [])];
  const left = [...repo.leftOut.keys(), ...repo.unwanted].map((path) => `:(exclude,top,literal)${path}`);
  const specs = [":(top)", ...repo.excludes.map(toBytes), ...left];
  const { err } = await addAll(repo, ["add", ...flags, ...FROM_STDIN], { index, input: specs.join("\0") });
  const lines = err.split("\n");
  const unborn = lines.flatMap((line) => UNBORN.exec(line)?.[1] ?? []).map(toBytes);
  const told = lines.filter((line) => /^(?:error|warning): /.test(line) && !UNBORN.test(line));
  return { warnings: told.slice(0, MOST_WARNINGS), marked, unborn };
}

/** How often a file may vanish between being listed and being read. */
const MOST_LOOKS = 5;

/** Retries if a file vanished, which is fatal to git. Usually it is a temporary file of an editor. */
async function addAll(repo: Repository, args: readonly string[], call: GitCall): Promise<GitAnswer> {
  for (let looks = 1; ; looks++) {
    try {
      return await runGit(repo, args, { ...call, answers: [1] });
    } catch (error) {
      const vanished =
        error instanceof GitError && /unable to stat '.*': No such file/.test(error.failure.message);
      if (!vanished || looks === MOST_LOOKS) throw error;
    }
  }
}

/**
 * Reads every file again, with `base` defining the tracked files, after ignore rules or conversions changed. Starts
 * two processes; `stageAll` then finds new files.
 */
export async function stageAgain(repo: Repository, base: string): Promise<void> {
  const index = ownIndex(repo);
  await runGit(repo, ["read-tree", "--reset", base], { index });
  const args = ["add", "--renormalize", "--ignore-errors", "--", ":(top)", ...repo.excludes];
  await runGit(repo, args, { index, answers: [1, 128] });
}

async function copyIndex(repo: Repository, index: string): Promise<void> {
  const { files } = repo.ports;
  const from = join(repo.gitDir, "index");
  await files.makeFolder(dirname(index), 0o700);
  try {
    // A hard link keeps the modification time, by which git detects files changed within the same second. Git only
    // ever replaces an index, so the two files separate at the first write.
    await files.link(from, index);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    const content = await files.read(from);
    if (content !== undefined) await files.writeNew(index, content);
  }
}

/** The differences between the own index and a commit or tree; `excludes` decides about the runner's own paths. */
export async function diffOwnIndex(
  repo: Repository,
  base: string,
  excludes: readonly string[],
): Promise<DiffEntry[]> {
  const args = ["diff-index", "--cached", "--raw", "-z", "--no-renames", base, "--", ":(top)", ...excludes];
  return parseRaw((await runGit(repo, args, { index: ownIndex(repo) })).out);
}

/** The differences between two commits or trees; without `from`, between `to` and its parent. */
export async function diffTrees(repo: Repository, to: string, from?: string): Promise<DiffEntry[]> {
  const args = ["diff-tree", "-r", "--root", "--no-commit-id", "--raw", "-z", "--no-renames"];
  const question = [...args, ...(from === undefined ? [] : [from]), to];
  const isFixed = [to, ...(from === undefined ? [] : [from])].every(isFullId);
  return parseRaw(isFixed ? await askFixed(repo, question) : (await runGit(repo, question)).out);
}

/**
 * Sets the `to` side of each entry in the person's index, and changes nothing else. Waits up to 5 s for an
 * index.lock of another git. Starts one process.
 */
export async function refreshIndex(repo: Repository, entries: readonly DiffEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const input = indexInfo(entries);
  await outwaitLock(repo, () => runGit(repo, ["update-index", "-z", "--index-info"], { input }));
}

/** The input of `git update-index -z --index-info` that sets the `to` side of each entry. */
export function indexInfo(entries: readonly DiffEntry[]): string {
  return sortRemovalsFirst(entries)
    .map(({ path, to }) => (exists(to) ? `${to.mode} ${to.oid}\t${path}\0` : `0 ${to.oid}\t${path}\0`))
    .join("");
}

/** The differences between the person's index and a commit or tree. Starts one process. */
export async function diffPersonIndex(repo: Repository, head: string): Promise<DiffEntry[]> {
  const args = ["diff-index", "--cached", "--raw", "-z", "--no-renames", head];
  return parseRaw((await runGit(repo, args)).out);
}

/**
 * Unstages entries of the person's index that equal the `to` side, back to `head` (a commit or tree). So an agent's
 * staging is removed, and the person's stays. Ends conflicts in these paths.
 */
export async function unstage(repo: Repository, head: string, entries: readonly DiffEntry[]): Promise<void> {
  const brought = new Map(entries.map(({ path, to }) => [path, to]));
  await unstageWhere(repo, head, ({ path, to }) => {
    const version = brought.get(path);
    return version !== undefined && (!exists(to) || sameVersion(version, to));
  });
}

/** Unstages the entries of the person's index that differ from `head` and are picked. */
export async function unstageWhere(
  repo: Repository,
  head: string,
  isPicked: (entry: DiffEntry) => boolean,
): Promise<void> {
  await refreshIndex(repo, turnBack((await diffPersonIndex(repo, head)).filter(isPicked)));
}

// Handles paths that the person told git not to look at, with the bits skip-worktree and assume-unchanged: usually
// settings of their own. The own index includes them; the person's index keeps its bits. Paths outside a sparse
// checkout stay outside.

/**
 * Clears the bits in an own index, whose entries may be `known`, and returns the paths (bytes) that had them. Starts one process, one more for
 * marked paths, and one for patterns of a sparse checkout.
 */
async function clearMarks(repo: Repository, index: string, known?: readonly IndexEntry[]): Promise<string[]> {
  if ((await repo.ports.files.stat(index)) === undefined) return [];
  const entries = known ?? (await listEntries(repo, index));
  const ordinary = entries.filter(({ stage, intended }) => stage === 0 && !intended);
  const skipped = ordinary.some((entry) => entry.skipped);
  const sparse = skipped && (await isSparse(repo));
  // In a sparse checkout git itself clears the bit of paths that are in the tree.
  const marked = ordinary.filter(({ assumed, skipped }) => (skipped ? !sparse : assumed));
  if (marked.length > 0)
    await runGit(repo, ["update-index", "-z", "--index-info"], { index, input: anew(marked) });
  return marked.map(({ path }) => path);
}

/** The input that sets the entries to their own values, which clears bits and times. */
function anew(entries: readonly IndexEntry[]): string {
  return entries.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`).join("");
}

/** Whether there are patterns of a sparse checkout, in use or not. */
export async function hasPatterns({ ports, gitDir }: Repository): Promise<boolean> {
  return (await ports.files.stat(join(gitDir, "info", "sparse-checkout"))) !== undefined;
}

async function isSparse(repo: Repository): Promise<boolean> {
  if (!(await hasPatterns(repo))) return false;
  const args = ["config", "--type=bool", "--get", "core.sparseCheckout"];
  return (await runGit(repo, args, { answers: [1] })).out === "true\n";
}

/** Whether one commit's tree equals another's with exactly these changes. Starts at most one process. */
export async function isTreeAfter(
  repo: Repository,
  order: { base: string; changes: readonly DiffEntry[]; commit: string },
): Promise<boolean> {
  const { base, changes, commit } = order;

  if (base === commit) return changes.length === 0;
  const found = await diffTrees(repo, commit, base);
  const wanted = new Map(changes.map(({ path, to }) => [path, to]));
  return (
    found.length === wanted.size &&
    found.every(({ path, to }) => {
      const version = wanted.get(path);
      return version !== undefined && sameVersion(version, to);
    })
  );
}

// Answers of git that never change, because the ids of objects in the question are all they depend on. A visit of a stage asks the
// same of the task's checkpoint and of its saved work again and again.

const MOST_ANSWERS = 16;
const MOST_CHARACTERS = 1 << 20;

/** Runs git unless the same question was answered lately. Contract: `args` name objects by their full ids, and no ref. */
export async function askFixed(repo: Repository, args: readonly string[]): Promise<string> {
  const { fixedAnswers } = repo;
  const question = args.join("\0");
  const known = fixedAnswers.get(question);
  if (known !== undefined) return known;
  const { out } = await runGit(repo, args);
  if (out.length > MOST_CHARACTERS) return out;
  const oldest = fixedAnswers.size < MOST_ANSWERS ? undefined : fixedAnswers.keys().next().value;
  if (oldest !== undefined) fixedAnswers.delete(oldest);
  fixedAnswers.set(question, out);
  return out;
}

/** Whether a revision is the full id of an object. */
export function isFullId(revision: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(revision);
}
