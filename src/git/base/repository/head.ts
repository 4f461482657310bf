// Reads HEAD, and how commits relate to each other. settle-head.ts and commit.ts move HEAD.
import { runGit, type GitPlace, GitError } from "../git.js";
import { listRefs } from "../list-refs.js";
import { KEPT } from "../names.js";
import type { Repository } from "./repository.js";
import { join } from "node:path";

export interface Head {
  /** `undefined` before the first commit. */
  commit: string | undefined;
  /** The full name of the ref; `undefined` if HEAD is detached. */
  branch: string | undefined;
}

/** For `readHead`: the refs of a person beside branches, and what keeps them reachable. */
export const OTHERS = ["refs/tags", "refs/notes", KEPT];

/** HEAD, and the facts needed to find out later how it was changed. */
export interface HeadState extends Head {
  /** Every branch, local and remote-tracking, and the other requested refs: full name → commit. */
  refs: ReadonlyMap<string, string>;
  /** The git operations in progress. */
  doing: Doing | undefined;
}

const BRANCHES = ["refs/heads", "refs/remotes"];

/** Reads the current HEAD. */
export async function headOf(repo: Repository): Promise<Head> {
  const { commit, branch } = await readHead(repo);
  return { commit, branch };
}

/**
 * Reads HEAD, all branches and the refs that `more` names. Starts one process, or three if HEAD is detached or has
 * no commit.
 */
export async function readHead(repo: Repository, more: readonly string[] = []): Promise<HeadState> {
  const fields = ["refname", "objectname", "HEAD"];
  const refs = new Map<string, string>();
  let head: Head | undefined;
  for (const [branch = "", commit = "", mark] of await listRefs(repo, fields, [...BRANCHES, ...more])) {
    refs.set(branch, commit);
    if (mark === "*") head = { commit, branch };
  }
  return { ...(head ?? (await readUnlistedHead(repo))), refs, doing: await readOperation(repo) };
}

/** The branch that HEAD is on, by git's file; "a detached HEAD" without one. Starts no process. */
export async function readBranchName({ ports, gitDir }: Repository): Promise<string> {
  const text = Buffer.from((await ports.files.read(join(gitDir, "HEAD"))) ?? []).toString("utf8");
  return /^ref: refs\/heads\/(.*)/.exec(text)?.[1] ?? "a detached HEAD";
}

async function readUnlistedHead(repo: GitPlace): Promise<Head> {
  const branch = await runGit(repo, ["symbolic-ref", "-q", "HEAD"], { answers: [1] });
  const commit = await runGit(repo, ["rev-parse", "-q", "--verify", "HEAD^{commit}"], { answers: [1] });
  return {
    branch: branch.code === 0 ? branch.out.trimEnd() : undefined,
    commit: commit.code === 0 ? commit.out.trimEnd() : undefined,
  };
}

/** Whether `ancestor` is `commit` or in its history. */
export async function isAncestor(place: GitPlace, ancestor: string, commit: string): Promise<boolean> {
  if (ancestor === commit) return true;
  const { code } = await runGit(place, ["merge-base", "--is-ancestor", ancestor, commit], { answers: [1] });
  return code === 0;
}

/** The object to compare with: the commit, or the empty tree if there is none. */
export async function treeish(place: GitPlace, commit: string | undefined): Promise<string> {
  if (commit !== undefined) return commit;
  return (await runGit(place, ["hash-object", "-t", "tree", "--stdin"], { input: "" })).out.trimEnd();
}

/** The id that means "no object", in the length of the given id. */
export function zeroLike(oid: string): string {
  return "0".repeat(oid.length);
}

/** A git operation that can be in progress. */
export type Doing = "merge" | "rebase" | "am" | "cherry-pick" | "revert" | "bisect";

/** Lists the operations in progress by git's files. Starts no process. */
export async function readOperation({ ports, gitDir }: Repository): Promise<Doing | undefined> {
  const names = new Set(await ports.files.list(gitDir));
  if (names.has("rebase-merge")) return "rebase";
  if (names.has("rebase-apply")) {
    const mail = await ports.files.stat(join(gitDir, "rebase-apply", "applying"));
    return mail === undefined ? "rebase" : "am";
  }
  if (names.has("CHERRY_PICK_HEAD")) return "cherry-pick";
  if (names.has("REVERT_HEAD")) return "revert";
  // Between two commits of a series this file does not exist.
  if (names.has("sequencer")) return readSequence(ports.files, gitDir);
  if (names.has("MERGE_HEAD")) return "merge";
  return names.has("BISECT_LOG") ? "bisect" : undefined;
}

async function readSequence(files: Repository["ports"]["files"], gitDir: string): Promise<Doing> {
  const todo = Buffer.from((await files.read(join(gitDir, "sequencer", "todo"))) ?? []).toString("latin1");
  return todo.startsWith("revert") ? "revert" : "cherry-pick";
}

/**
 * Makes `name` the current branch (`git.branch`). A new branch starts at HEAD and changes no file. Switching to an
 * existing branch at another commit fails while tracked files have changes.
 */
export async function useBranch(repo: Repository, name: string): Promise<void> {
  const valid = await runGit(repo, ["check-ref-format", "--branch", name], { answers: [1, 128] });
  if (valid.code !== 0) {
    throw new GitError("git check-ref-format", `"${name}" is not a name git takes for a branch`);
  }
  const branch = `refs/heads/${name}`;
  const head = await readHead(repo);
  if (head.branch === branch) return;
  const there = head.refs.get(branch);
  if (there === undefined) {
    await runGit(repo, ["switch", "--quiet", "--no-track", "-c", name]);
    return;
  }
  if (there !== head.commit && (await isDirty(repo, head))) {
    throw new GitError("git switch", `cannot go to the branch "${name}": there are uncommitted changes`);
  }
  await runGit(repo, ["switch", "--quiet", "--no-guess", name]);
}

async function isDirty(repo: Repository, head: HeadState): Promise<boolean> {
  if (head.commit === undefined) return true;
  const args = ["status", "--porcelain", "-z", "--untracked-files=no", "--", ":(top)"];
  return (await runGit(repo, args)).out !== "";
}
