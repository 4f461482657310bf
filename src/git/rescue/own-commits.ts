// Sorts the commits made during an attempt by author. A git process that an agent starts marks HEAD's reflog; a
// person's does not. settle-head.ts moves HEAD.
import { z } from "zod";
import { toText } from "../base/bytes.js";
import { exists, sameVersion, type DiffEntry } from "../base/read/diff.js";
import { runGit } from "../base/git.js";
import { isAncestor, type HeadState } from "../base/repository/head.js";
import { diffTrees, indexInfo } from "../index/index-file.js";
import { privateCopy } from "../index/index-person.js";
import { mergeContents } from "./merge-contents.js";
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
  /** The commit that replaces it on the branch if it was made on top of an agent's commit. */
  remade?: string;
}

/** A person's commits among those of an attempt. */
export interface SortedCommits {
  /** The wanted HEAD: every commit of a person that could be kept, and none of the agent's. */
  tip: string | undefined;
  /** Whether all of the commits are a person's. */
  all: boolean;
  kept: readonly TheirCommit[];
  /** Commits that are removed from the branch too, because they change lines of an agent's commit below them. */
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
  const sorted: SortedCommits = { tip, all: firstOwn === -1, kept, lost: [], lostChanges: [] };
  return firstOwn === -1 ? sorted : remakeRest(repo, before.commit, moves.slice(firstOwn), sorted);
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

/** Whether the latest move of HEAD is marked as an agent's. A move without a mark may be anybody's. */
export async function wasMovedByAgent(repo: Repository): Promise<boolean> {
  const args = ["log", "-g", "--max-count=1", "--format=%gs", "HEAD", "--"];
  return (await runGit(repo, args, { answers: [128] })).out.startsWith(AGENT_ACTION);
}

/** Rebuilds the person's later commits without the agent's commits below them. */
async function remakeRest(
  repo: Repository,
  base: string | undefined,
  moves: readonly Move[],
  sorted: SortedCommits,
): Promise<SortedCommits> {
  let { tip } = sorted;
  const kept = [...sorted.kept];
  const lost: TheirCommit[] = [];
  const lostChanges: DiffEntry[] = [];
  const here = new Set(await commitsOf(repo, base, moves.at(-1)?.commit ?? ""));
  for (const { commit } of moves.filter(({ commit, by }) => by === "person" && here.has(commit))) {
    const told = await describe(repo, commit);
    const remade = await remake(repo, commit, tip);
    if (remade !== undefined) {
      tip = remade;
      kept.push({ ...told, remade });
    } else {
      lost.push(told);
      lostChanges.push(...(await onlyIn(repo, commit, base)));
    }
  }
  return { tip, all: false, kept, lost, lostChanges };
}

/** The same changes, message and author on top of another commit; `undefined` for a conflict or a merge commit. */
async function remake(
  repo: Repository,
  commit: string,
  onto: string | undefined,
): Promise<string | undefined> {
  const facts = await readFacts(repo, commit);
  if (facts === undefined || onto === undefined || !/^[0-9a-f]+$/.test(facts.below)) return undefined;
  const changes = await diffTrees(repo, commit, facts.below);
  const here = new Map((await diffTrees(repo, onto, facts.below)).map(({ path, to }) => [path, to]));
  const set: DiffEntry[] = [];
  for (const { path, from, to } of changes) {
    const now = here.get(path);
    if (now === undefined || sameVersion(now, from)) set.push({ path, from, to });
    else if (!sameVersion(now, to)) {
      const files = [now, from, to].every(({ mode }) => mode.startsWith("100"));
      const merged = files ? await mergeContents(repo, { now, from, to }) : undefined;
      if (merged === undefined) return undefined;
      set.push({ path, from: now, to: merged });
    }
  }
  const tree = await treeWith(repo, onto, set);
  const { env, message } = facts;
  const made = await runGit({ ...repo, env: { ...repo.env, ...env } }, ["commit-tree", tree, "-p", onto], {
    input: message,
  });
  return made.out.trimEnd();
}

/** The commits on top, without those that an amended one replaced. */
async function commitsOf(repo: Repository, base: string | undefined, tip: string): Promise<string[]> {
  const range = base === undefined ? tip : `${base}..${tip}`;
  return (await runGit(repo, ["rev-list", range])).out.split("\n");
}

async function treeWith(repo: Repository, commit: string, set: readonly DiffEntry[]): Promise<string> {
  const index = await privateCopy(repo, "remade-index", undefined);
  await runGit(repo, ["read-tree", commit], { index });
  await runGit(repo, ["update-index", "-z", "--index-info"], { input: indexInfo(set), index });
  const tree = (await runGit(repo, ["write-tree"], { index })).out.trimEnd();
  await repo.ports.files.remove(index);
  return tree;
}

const FIELDS = ["%P", "%an", "%ae", "%ad", "%cn", "%ce", "%cd", "%B"];
const Fields = z.tuple([
  z.string(),
  z.string(),
  z.string(),
  z.string(),
  z.string(),
  z.string(),
  z.string(),
  z.string(),
]);

async function readFacts(repo: Repository, commit: string) {
  const args = ["log", "-1", "--date=raw", `--format=${FIELDS.join("%x00")}`, commit];
  const read = Fields.safeParse((await runGit(repo, args)).out.split("\0"));
  if (!read.success) return undefined;
  const [below, author, authorMail, authorDate, committer, mail, date, message] = read.data;
  const env = {
    GIT_AUTHOR_NAME: toText(author),
    GIT_AUTHOR_EMAIL: toText(authorMail),
    GIT_AUTHOR_DATE: authorDate,
    GIT_COMMITTER_NAME: toText(committer),
    GIT_COMMITTER_EMAIL: toText(mail),
    GIT_COMMITTER_DATE: date,
  };
  return { below, env, message: message.replace(/\n$/, "") };
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
    ...kept.map(({ commit, subject, remade }) =>
      remade === undefined
        ? `commit ${shortenId(commit)} "${subject}" was made during the attempt, not by the agent: it stays on ${branch}, and its files are not in the task's commit`
        : `commit ${shortenId(commit)} "${subject}", not made by the agent, was on top of a commit of the agent's: it is on ${branch} as ${shortenId(remade)}, without that one`,
    ),
    ...lost.map(
      ({ commit, subject }) =>
        `commit ${shortenId(commit)} "${subject}", not made by the agent, changes lines that a commit of the agent's below it changed: it was removed from ${branch} and is kept at ${keptAt ?? commit}; its files are in the working tree, uncommitted; get it back: git cherry-pick ${shortenId(commit)}`,
    ),
  ];
}

/** The start of an id, long enough for a person. */
export function shortenId(commit: string): string {
  return commit.slice(0, 12);
}
