// Restores HEAD to where an attempt found it, and keeps the agent's commits under a rescue ref. Does not touch
// files: snapshot.ts handles them first.
import { type DiffEntry, exists } from "../base/read/diff.js";
import { runGit } from "../base/git.js";
import {
  isAncestor,
  treeish,
  zeroLike,
  type Head,
  type HeadState,
  type Doing,
} from "../base/repository/head.js";
import { diffTrees, unstage } from "../index/index-file.js";
import { freeRescueRef } from "../rescue/rescue.js";
import { toText } from "../base/bytes.js";
import type { Repository } from "../base/repository/repository.js";

/** The setting `git.commit`: under "agent", commits on top of the same branch are expected. */
export type CommitPolicy = "runner" | "agent" | "none";

/** The change of HEAD during an attempt. `moved`: why the attempt has failed, for a person to read. */
export type HeadVerdict = "same" | "put-back" | { moved: string };

/** The position of HEAD relative to its earlier one. */
export interface HeadMove {
  verdict: HeadVerdict;
  /** The changes that came with HEAD and are not the work of the attempt: what is not on top of the old one, and work of others. */
  switched: readonly DiffEntry[];
  /** The wanted HEAD: the one the attempt found, with a person's commits on top. */
  target: HeadState;
  /** A person's commits among the new ones; `undefined` if there are none or the reflog does not show it. */
  theirs: SortedCommits | undefined;
}

/** Compares HEAD with its position before the attempt; changes nothing. Starts no process if HEAD was not moved. */
export async function judgeHead(
  repo: Repository,
  before: HeadState,
  now: HeadState,
  policy: CommitPolicy,
): Promise<HeadMove> {
  const startedRebase = isRebase(now) && !isRebase(before);
  if (now.branch === before.branch && now.commit === before.commit && !startedRebase) {
    return { verdict: "same", switched: [], target: before, theirs: undefined };
  }
  const onTop =
    before.commit === undefined ||
    (now.commit !== undefined && (await isAncestor(repo, before.commit, now.commit)));
  const isAway = now.branch !== before.branch;
  const isSide =
    isAway && onTop && (await wasMovedByAgent(repo)) && (await addsToStart(repo, { before, now }, now));
  const switched = onTop && (!isAway || isSide) ? [] : await brought(repo, before, now);
  const rest = { switched, target: before, theirs: undefined };
  const isKept = isSide && (await holdsBranch(repo, before, now));
  if (startedRebase || (isAway && !isKept) || !onTop) {
    const moved = describeMove(before, now, startedRebase, await wasMovedByAgent(repo));
    return { ...rest, verdict: { moved } };
  }
  // The runner commits what is on another branch.
  if (policy === "agent" && !isAway) return { ...rest, verdict: "same" };
  const theirs = await sortCommits(repo, before, now);
  if (theirs?.all === true) return { ...rest, verdict: "same", theirs };
  const pushed = await findPush(repo, before, now);
  const verdict = pushed === undefined ? "put-back" : { moved: `the agent pushed to ${pushed}` };
  return { ...rest, verdict, target: { ...before, commit: theirs?.tip ?? before.commit }, theirs };
}

/**
 * Whether a commit is on top of the attempt's start, with no commit between them that another ref had before: a branch may begin at
 * work of others.
 */
export async function addsToStart(
  repo: Repository,
  { before, now }: { before: HeadState; now: HeadState },
  { branch, commit }: Head,
): Promise<boolean> {
  if (before.commit === undefined || commit === undefined) return false;
  const was = branch === undefined ? undefined : before.refs.get(branch);
  if (was !== undefined && !(await isAncestor(repo, was, before.commit))) return false;
  if (!(await isAncestor(repo, before.commit, commit))) return false;
  const fetched = [...now.refs].filter(([ref]) => ref.startsWith("refs/remotes/"));
  const known = [...before.refs, ...fetched].map(([, object]) => `^${object}`);
  const count = async (...without: readonly string[]): Promise<string> => {
    const input = `${[commit, `^${before.commit}`, ...without].join("\n")}\n`;
    return (await runGit(repo, ["rev-list", "--count", "--stdin"], { input })).out;
  };
  return (await count()) === (await count(...known));
}

/** Whether HEAD, which is elsewhere, holds what was committed on its branch before. */
async function holdsBranch(repo: Repository, before: HeadState, now: HeadState): Promise<boolean> {
  const left = before.branch === undefined ? undefined : now.refs.get(before.branch);
  return left === undefined || (now.commit !== undefined && (await isAncestor(repo, left, now.commit)));
}

/** Blames the agent only for what its git did: a person may have amended or switched beside it. */
function describeMove(before: Head, now: Head, startedRebase: boolean, byAgent: boolean): string {
  const branch = nameOf(before);
  if (startedRebase) return byAgent ? "the agent began a rebase" : "a rebase was begun during the attempt";
  if (now.branch === before.branch)
    return byAgent ? `the agent rewrote ${branch}` : `${branch} was rewritten during the attempt`;
  const way = `from ${branch} to ${nameOf(now)}`;
  return byAgent ? `the agent went ${way}` : `HEAD went ${way} during the attempt`;
}

/** The warnings about commits of an attempt: where they are, and how to get removed ones back. */
export async function warnOfCommits(
  repo: Repository,
  { verdict, target, theirs }: HeadMove,
  { now, kept }: { now: HeadState; kept: string | undefined },
): Promise<string[]> {
  const branch = nameOf(target);
  const told = theirs === undefined ? [] : warnOfTheirs(theirs, branch, kept);
  if (verdict === "put-back" && now.branch !== undefined && now.branch !== target.branch) {
    const name = nameOf(now);
    return [
      ...told,
      `the agent committed on ${name}, which stays: its work is in the task's commit, and HEAD is back on ${branch}; to remove it: git branch -D ${name}`,
    ];
  }
  if (verdict === "same" || now.commit === undefined) return told;
  const isAway = now.branch !== target.branch;
  if (isAway && now.branch !== undefined)
    told.push(
      `HEAD was on ${nameOf(now)} after the attempt and is back on ${branch}; ${nameOf(now)} stays; to work on it beside a run: git worktree add ../NAME ${nameOf(now)}`,
    );
  if (kept === undefined) return told;
  const known = new Set([...(theirs?.kept ?? []), ...(theirs?.lost ?? [])].map(({ commit }) => commit));
  const left = isAway && target.branch !== undefined ? (now.refs.get(target.branch) ?? []) : [];
  const range = [now.commit, left, target.commit === undefined ? [] : `^${target.commit}`].flat();
  // Elsewhere HEAD may have been at commits of others.
  const held = isAway ? ["--not", "--branches", "--tags", "--remotes"] : [];
  const args = ["log", `--max-count=${String(MOST_TOLD)}`, "--format=%H%x00%s", ...range, ...held];
  const commits = (await runGit(repo, args)).out.split("\n").slice(0, -1);
  const off = commits.flatMap((line) => {
    const [commit = "", subject = ""] = line.split("\0");
    const [id, what] = [shortenId(commit), toText(subject)];
    const warning = `commit ${id} "${what}" was removed from ${branch} and is kept at ${kept}; get it back: git cherry-pick ${id}`;
    return known.has(commit) ? [] : [warning];
  });
  return [...told, ...off];
}

/** The most commits named in a warning. */
const MOST_TOLD = 5;

/** A git operation that the attempt left unfinished. */
export function findBegun(before: HeadState, now: HeadState): Doing | undefined {
  return now.doing === before.doing ? undefined : now.doing;
}

function isRebase({ doing }: HeadState): boolean {
  return doing === "rebase" || doing === "am";
}

/**
 * Restores HEAD and its branch, keeps the agent's commits, and unstages their changes. Deletes no branch of the
 * agent. Returns the ref that keeps HEAD's commits.
 */
export async function putHeadBack(
  repo: Repository,
  before: HeadState,
  now: HeadState,
  keep: { run: string; label: string },
): Promise<string | undefined> {
  const { moves, ref } = await keepCommits(repo, before, now, keep);
  if (before.branch === undefined) {
    moves.push("option no-deref", `update HEAD ${before.commit ?? ""}`);
  } else {
    moves.push(...moveBranch(before.branch, before.commit, now.refs.get(before.branch)));
  }
  if (moves.length > 0) {
    const input = `${moves.join("\n")}\n`;
    await runGit(repo, ["update-ref", "-m", "looper: put back", "--stdin"], { input });
  }
  if (before.branch !== undefined && now.branch !== before.branch) {
    await runGit(repo, ["symbolic-ref", "-m", "looper: put back", "HEAD", before.branch]);
  }
  const head = await treeish(repo, before.commit);
  await unstage(repo, head, await brought(repo, before, now));
  return ref;
}

function nameOf(head: Head): string {
  return head.branch?.replace(/^refs\/heads\//, "") ?? "a detached HEAD";
}

async function brought(repo: Repository, before: Head, now: Head): Promise<DiffEntry[]> {
  if (before.commit === now.commit) return [];
  return diffTrees(repo, await treeish(repo, now.commit), await treeish(repo, before.commit));
}

/** The remote-tracking ref that was moved to a commit of the agent, if any. */
async function findPush(repo: Repository, before: HeadState, now: HeadState): Promise<string | undefined> {
  if (now.commit === undefined) return undefined;
  for (const [ref, commit] of now.refs) {
    if (!ref.startsWith("refs/remotes/") || before.refs.get(ref) === commit) continue;
    const old = before.commit !== undefined && (await isAncestor(repo, commit, before.commit));
    if (!old && (await isAncestor(repo, commit, now.commit))) return ref.slice("refs/remotes/".length);
  }
  return undefined;
}

/** The ref updates that keep the tip of HEAD, and of the old branch if that was moved elsewhere. */
async function keepCommits(
  repo: Repository,
  before: HeadState,
  now: HeadState,
  keep: { run: string; label: string },
): Promise<{ moves: string[]; ref: string | undefined }> {
  const tips = new Map<string, string>();
  if (now.commit !== undefined && now.commit !== before.commit) tips.set(now.commit, keep.label);
  const branch = before.branch === undefined ? undefined : now.refs.get(before.branch);
  if (branch !== undefined && branch !== before.commit && !tips.has(branch)) {
    tips.set(branch, `${keep.label}-branch`);
  }
  const moves: string[] = [];
  let ref: string | undefined;
  for (const [commit, label] of tips) {
    const free = await freeRescueRef(repo, keep.run, label);
    // A warning names the commits that only the old branch had.
    if (commit === now.commit || now.branch !== undefined) ref = free;
    moves.push(`create ${free} ${commit}`);
  }
  return { moves, ref };
}

function moveBranch(branch: string, to: string | undefined, from: string | undefined): string[] {
  if (to === from) return [];
  if (to === undefined) return [`delete ${branch} ${from ?? ""}`];
  return [`update ${branch} ${to} ${from ?? zeroLike(to)}`];
}

// Sorts the commits made during an attempt by author. A git process that an agent starts marks HEAD's reflog; a person's does not.

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
