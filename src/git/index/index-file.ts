// The two indexes: one of our own, in which the whole working tree is staged without anyone seeing it, and the person's,
// of which only the paths of a commit are ever touched. Leaves what to stage and refresh to the callers.
import { dirname, join } from "node:path";
import { errorCode } from "../../system/errors.js";
import { exists, parseRaw, removalsFirst, sameVersion, type DiffEntry } from "../base/diff.js";
import { toBytes } from "../base/bytes.js";
import { GitError, runGit, type GitAnswer, type GitCall } from "../base/git.js";
import { unmark } from "./marked.js";
import type { Repository } from "../base/repository.js";

const INDEX_LOCK_MS = 5_000;
const INDEX_LOCK_POLL_MS = 200;
const MOST_WARNINGS = 20;

/** The index of our own, one for each working tree. */
export function ownIndex(repo: Repository): string {
  return join(repo.gitDir, "looper", "index");
}

/** Removes the index of our own; the next staging starts from the person's. */
export async function dropOwnIndex(repo: Repository): Promise<void> {
  await repo.ports.files.remove(ownIndex(repo));
}

/** What staging everything says. */
export interface Staged {
  warnings: readonly string[];
  /** Paths (bytes) the person told git not to look at; known only where the index of our own was made anew. */
  marked: readonly string[];
  /** Repositories (paths in bytes) without a commit: git can stage nothing of them, not even where they are. */
  unborn: readonly string[];
}

/** Paths on the command line would have to be text, and few. */
const FROM_STDIN = ["--pathspec-from-file=-", "--pathspec-file-nul"];

const UNBORN = /^error: '(.*?)\/?' does not have a commit checked out$/;

/**
 * Stages the whole working tree, save what is the runner's own, in the index of our own, past the marks by which a person
 * tells git not to look. One process; where that index is gone one more for `base` (a checkpoint's commit), which then says
 * what counts as tracked, and one for marks.
 */
export async function stageAll(repo: Repository, base?: string): Promise<Staged> {
  const index = ownIndex(repo);
  const { files } = repo.ports;
  let marked: readonly string[] = [];
  // Nobody but this program takes this lock: one that is there was left by a git that was killed.
  await files.remove(`${index}.lock`);
  if ((await files.stat(index)) === undefined) {
    await copyIndex(repo, index);
    // Before anything else: git would not put a marked entry to what a tree holds.
    marked = await unmark(repo, index);
    // What an agent staged meanwhile must not count: it may have forced in what git ignores.
    if (base !== undefined) await runGit(repo, ["read-tree", "--reset", base], { index });
  }
  // Files outside a sparse checkout are an attempt's work too.
  const sparse = (await files.stat(join(repo.gitDir, "info", "sparse-checkout"))) !== undefined;
  // A file that cannot be read must not keep all the others out: git then exits with 1.
  const flags = ["--all", "--ignore-errors", ...(sparse ? ["--sparse"] : [])];
  const left = [...repo.leftOut.keys()].map((path) => `:(exclude,top,literal)${path}`);
  const specs = [":(top)", ...repo.excludes.map(toBytes), ...left];
  const { err } = await addAll(repo, ["add", ...flags, ...FROM_STDIN], { index, input: specs.join("\0") });
  const lines = err.split("\n");
  const unborn = lines.flatMap((line) => UNBORN.exec(line)?.[1] ?? []).map(toBytes);
  const told = lines.filter((line) => /^(?:error|warning): /.test(line) && !UNBORN.test(line));
  return { warnings: told.slice(0, MOST_WARNINGS), marked, unborn };
}

/** So often a file may vanish between being listed and being read. */
const MOST_LOOKS = 5;

/** One file that vanishes meanwhile, as a rule what an editor writes before it takes its place, is fatal to git: it looks again. */
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
 * Looks at every file again, as if for the first time, with `base` saying what is tracked: after what is ignored, or how bytes
 * are stored, changed. Two processes; `stageAll` finds what is new.
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
    // A link keeps the time of writing, by which git tells a file changed within the same second; git itself only ever
    // replaces an index, so the two part at the first write.
    await files.link(from, index);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    const content = await files.read(from);
    if (content !== undefined) await files.writeNew(index, content);
  }
}

/** What is staged in the index of our own, against a commit or tree; the runner's own paths as `excludes` says. */
export async function stagedAgainst(
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
  return parseRaw((await runGit(repo, [...args, ...(from === undefined ? [] : [from]), to])).out);
}

/**
 * Sets the `to` side of each entry in the person's index, and nothing else. Waits up to 5 s for an index.lock that
 * another git holds. One process.
 */
export async function refreshIndex(repo: Repository, entries: readonly DiffEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const input = indexInfo(entries);
  const { clock, files } = repo.ports;
  const begun = clock.monotonic();
  for (;;) {
    try {
      await runGit(repo, ["update-index", "-z", "--index-info"], { input });
      return;
    } catch (error) {
      if (!(error instanceof GitError) || !error.failure.message.includes("index.lock")) throw error;
      if (clock.monotonic() - begun >= INDEX_LOCK_MS) throw error;
      if ((await files.stat(join(repo.gitDir, "index.lock"))) !== undefined)
        await clock.sleep(INDEX_LOCK_POLL_MS);
    }
  }
}

/** What `git update-index -z --index-info` reads to set the `to` side of each entry. */
export function indexInfo(entries: readonly DiffEntry[]): string {
  return removalsFirst(entries)
    .map(({ path, to }) => (exists(to) ? `${to.mode} ${to.oid}\t${path}\0` : `0 ${to.oid}\t${path}\0`))
    .join("");
}

/** How the person's index differs from a commit or tree. One process. */
export async function stagedByPerson(repo: Repository, head: string): Promise<DiffEntry[]> {
  const args = ["diff-index", "--cached", "--raw", "-z", "--no-renames", head];
  return parseRaw((await runGit(repo, args)).out);
}

/**
 * Unstages in the person's index what equals the `to` side of an entry, back to what `head` (a commit or tree) holds;
 * so what an agent staged goes, and what the person staged stays. Conflicts in these paths end.
 */
export async function unstage(repo: Repository, head: string, entries: readonly DiffEntry[]): Promise<void> {
  const brought = new Map(entries.map(({ path, to }) => [path, to]));
  const staged = await stagedByPerson(repo, head);
  const undone = staged.filter(({ path, to }) => {
    const version = brought.get(path);
    return version !== undefined && (!exists(to) || sameVersion(version, to));
  });
  await refreshIndex(
    repo,
    undone.map(({ path, from, to }) => ({ path, from: to, to: from })),
  );
}
