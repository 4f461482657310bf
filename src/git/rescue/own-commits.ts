// Sorts the commits made during an attempt by author. A git process that an agent starts marks HEAD's reflog; a
// person's does not. settle-head.ts moves HEAD.
import { toText } from "../base/bytes.js";
import { exists, type DiffEntry } from "../base/read/diff.js";
import { runGit } from "../base/git.js";
import { isAncestor, type HeadState } from "../base/repository/head.js";
import { diffTrees } from "../index/index-file.js";
import type { Repository } from "../base/repository/repository.js";

/** The prefix that marks reflog entries of an agent's git; agents get it in `GIT_REFLOG_ACTION`. */
export const AGENT_ACTION = "looper-agent";

/** With more moves of HEAD than this in one attempt, commits are not sorted. */
const MOST_MOVES = 1000;

/** The reflog entries of a person's commit, merge, pull, cherry-pick or revert. Other moves cannot be told apart. */
const BY_HAND = /^(?:commit|merge|pull|cherry-pick|revert|am|rebase)\b/;

/** A person's commit, for messages. */
export interface TheirCommit {
  commit: string;
  subject: string;
}

/** A person's commits among those of an attempt. */
export interface SortedCommits {
  /** The wanted HEAD: the last commit of a person below the agent's first. */
  tip: string | undefined;
  /** Whether all of the commits are a person's. */
  all: boolean;
  kept: readonly TheirCommit[];
  /** Commits that are removed from the branch too, because they are on top of one of the agent's. */
  lost: readonly TheirCommit[];
  /** Paths (bytes) that only lost commits changed, with their versions. */
  lostChanges: readonly DiffEntry[];
}

interface Move {
  commit: string;
  by: "agent" | "person";
}

/**
 * Sorts the commits from `before` to `now`, where `now` is on top of `before`. `undefined` if the reflog does not
 * show the authors, or if all commits are the agent's. Starts two processes if none is a person's.
 */
export async function sortCommits(
  repo: Repository,
  before: HeadState,
  now: HeadState,
): Promise<SortedCommits | undefined> {
  if (now.commit === undefined) return undefined;
  const moves = await readMoves(repo, before.commit, now.commit);
  if (moves === undefined || moves.every(({ by }) => by === "agent")) return undefined;
  const firstOwn = moves.findIndex(({ by }) => by === "agent");
  const leading = firstOwn === -1 ? moves : moves.slice(0, firstOwn);
  const tip = leading.at(-1)?.commit ?? before.commit;
  if (tip !== undefined && before.commit !== undefined && !(await isAncestor(repo, before.commit, tip)))
    return undefined;
  const here = new Set(await commitsOf(repo, before.commit, tip ?? ""));
  const stays = new Set(leading.map(({ commit }) => commit).filter((commit) => here.has(commit)));
  const kept = await Promise.all([...stays].map((commit) => describe(repo, commit)));
  if (firstOwn === -1) return { tip, all: true, kept, lost: [], lostChanges: [] };
  const onTop = new Set(await commitsOf(repo, tip, now.commit));
  const theirs = moves.slice(firstOwn).filter(({ commit, by }) => by === "person" && onTop.has(commit));
  const lost: TheirCommit[] = [];
  const lostChanges: DiffEntry[] = [];
  for (const { commit } of theirs) {
    lost.push(await describe(repo, commit));
    lostChanges.push(...(await onlyIn(repo, commit, before.commit)));
  }
  return { tip, all: false, kept, lost, lostChanges };
}

/** The moves of HEAD, oldest first. */
async function readMoves(
  repo: Repository,
  from: string | undefined,
  to: string,
): Promise<Move[] | undefined> {
  const args = ["log", "-g", "-z", `--max-count=${String(MOST_MOVES)}`, "--format=%H%x00%gs", "HEAD", "--"];
  const { out, code } = await runGit(repo, args, { answers: [128] });
  if (code !== 0) return undefined;
  const fields = out.split("\0");
  const moves: Move[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [commit = "", action = ""] = fields.slice(at, at + 2);
    if (at === 0 && commit !== to) return undefined;
    if (commit === from) return moves.reverse();
    const isAgents = action.startsWith(AGENT_ACTION);
    if (!isAgents && !BY_HAND.test(action)) return undefined;
    moves.push({ commit, by: isAgents ? "agent" : "person" });
    if (from === undefined && action.includes("(initial)")) return moves.reverse();
  }
  return undefined;
}

/** Whether the latest move of HEAD, or of a branch, is marked as an agent's. A move without a mark may be anybody's. */
export async function wasMovedByAgent(repo: Repository, ref = "HEAD"): Promise<boolean> {
  const args = ["log", "-g", "--max-count=1", "--format=%gs", ref, "--"];
  return (await runGit(repo, args, { answers: [128] })).out.startsWith(AGENT_ACTION);
}

/** The commits on top, without those that an amended one replaced. */
async function commitsOf(repo: Repository, base: string | undefined, tip: string): Promise<string[]> {
  const range = base === undefined ? tip : `${base}..${tip}`;
  return (await runGit(repo, ["rev-list", range])).out.split("\n");
}

async function describe(repo: Repository, commit: string): Promise<TheirCommit> {
  const { out } = await runGit(repo, ["log", "-1", "--format=%s", commit]);
  return { commit, subject: toText(out.trimEnd()) };
}

/** The changes of a commit in paths whose version before it equals that of `base`. */
async function onlyIn(repo: Repository, commit: string, base: string | undefined): Promise<DiffEntry[]> {
  const changes = await diffTrees(repo, commit);
  if (base === undefined) return changes;
  const other = new Set((await diffTrees(repo, `${commit}^1`, base)).map(({ path }) => path));
  return changes.filter(({ path, to }) => exists(to) && !other.has(path));
}

/** The warnings about these commits. */
export function warnOfTheirs(
  { kept, lost }: SortedCommits,
  branch: string,
  keptAt: string | undefined,
): string[] {
  return [
    ...kept.map(
      ({ commit, subject }) =>
        `commit ${shortenId(commit)} "${subject}" was made during the attempt, not by the agent: it stays on ${branch}, and its files are not in the task's commit; to commit beside a run, use another worktree: git worktree add ../NAME`,
    ),
    ...lost.map(
      ({ commit, subject }) =>
        `commit ${shortenId(commit)} "${subject}", not made by the agent, was on top of a commit of the agent's: it was removed from ${branch} with that one and is kept at ${keptAt ?? commit}; its files are in the working tree, uncommitted; get it back: git cherry-pick ${shortenId(commit)}`,
    ),
  ];
}

/** The start of an id, long enough for a person. */
export function shortenId(commit: string): string {
  return commit.slice(0, 12);
}
