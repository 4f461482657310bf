// Reads HEAD, and how commits relate to each other. settle-head.ts and publish.ts move HEAD.
import { runGit, type GitPlace } from "../git.js";
import { listRefs } from "../list-refs.js";
import { KEPT } from "../names.js";
import { readOperation, type Doing } from "./operation-files.js";
import type { Repository } from "./repository.js";

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
