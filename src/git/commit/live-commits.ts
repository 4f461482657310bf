// Lists the commits of tasks that still count: reads the history, parses their trailers, and leaves out commits that were undone.
import { TRAILER } from "./message.js";
import { toText } from "../base/bytes.js";
import { runGit, type GitPlace } from "../base/git.js";
import type { Repository } from "../base/repository/repository.js";

/** A commit of the history. */
export interface LoggedCommit {
  commit: string;
  parents: readonly string[];
  /** When it was made, seconds since the epoch. */
  at: number;
  /** Text. */
  message: string;
}

/** A task's own commit. */
export interface TaskCommit {
  commit: string;
  /** `undefined` for the root commit. */
  parent: string | undefined;
  /** As the trailer spells it. */
  task: string;
  /** The first line of its message. */
  title: string;
  /** When it was made, seconds since the epoch. */
  at: number;
}

interface Undone {
  task: string;
  commit: string;
}

/**
 * The commits of tasks that were not undone since. `log` is newest first, with no commit before its children; so is
 * the result.
 */
export function findLiveCommits(log: readonly LoggedCommit[]): TaskCommit[] {
  const known = new Set(log.map(({ commit }) => commit));
  const dead = new Set<string>();
  // A rebased commit has another id than the undoing names: then the next older commit of the task is the one that
  // was undone.
  const owed = new Map<string, number>();
  const live: TaskCommit[] = [];
  for (const one of log) {
    // An undo that was itself undone has no effect.
    if (dead.has(one.commit)) continue;
    const task = taskOf(one);
    if (task === undefined) {
      for (const undone of undoneBy(one.message)) {
        if (undone.task === undefined || known.has(undone.commit)) dead.add(undone.commit);
        else owed.set(undone.task, (owed.get(undone.task) ?? 0) + 1);
      }
      continue;
    }
    const debt = owed.get(task) ?? 0;
    if (debt > 0) owed.set(task, debt - 1);
    else {
      const { commit, parents, at, message } = one;
      live.push({ commit, parent: parents[0], task, title: subjectOf(message), at });
    }
  }
  return live;
}

/** The first line of a message. */
export function subjectOf(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}

/**
 * The task of a commit, as its trailer spells it; `undefined` without a task, or if commits of several tasks were
 * squashed.
 */
export function taskOf({ parents, message }: Pick<LoggedCommit, "parents" | "message">): string | undefined {
  if (parents.length > 1) return undefined;
  const trailers = trailersOf(message);
  const [task, ...more] = valuesOf(TRAILER.task, message.split("\n"));
  if (more.length > 0 || valuesOf(TRAILER.run, trailers).length !== 1) return undefined;
  return valuesOf(TRAILER.task, trailers).length === 1 ? task : undefined;
}

/** The commits that an undo reverts, by this program or by `git revert`; the latter names no tasks. */
function undoneBy(message: string): (Undone | { task: undefined; commit: string })[] {
  const trailers = trailersOf(message);
  const commits = valuesOf(TRAILER.undoCommit, trailers);
  const ours = valuesOf(TRAILER.undo, trailers).flatMap((task, at): Undone[] => {
    const commit = commits[at];
    return commit === undefined ? [] : [{ task, commit }];
  });
  if (ours.length > 0) return ours;
  return [...message.matchAll(/^This reverts commit ([0-9a-f]{40,64})\b/gm)].map(([, commit = ""]) => ({
    task: undefined,
    commit,
  }));
}

/** The lines of the last paragraph if all of them are trailers. */
function trailersOf(message: string): string[] {
  const last =
    message
      .trimEnd()
      .split(/\n[ \t]*\n/)
      .at(-1) ?? "";
  const lines = last.split("\n");
  return lines.every((line) => /^[A-Za-z0-9-]+: |^\(cherry picked from commit /.test(line)) ? lines : [];
}

function valuesOf(key: string, lines: readonly string[]): string[] {
  return lines.flatMap((line) => (line.startsWith(`${key}: `) ? [line.slice(key.length + 2).trimEnd()] : []));
}

/** Matches every message that could be of a task, an undo or `git revert`. */
const OF_INTEREST = "^(Looper-Task: |Looper-Undo: |This reverts commit )";

/** The commits of tasks in a commit's history that were not undone since, newest first. Starts one process. */
export async function listTaskCommits(repo: Repository, head: string): Promise<TaskCommit[]> {
  return findLiveCommits(await readLog(repo, ["--topo-order", "-E", `--grep=${OF_INTEREST}`, head]));
}

/** The commits between two that changed a path (bytes), newest first, at most `most`. Starts one process. */
export function listTouching(
  repo: Repository,
  range: { after: string; to: string; path: string },
  most: number,
): Promise<LoggedCommit[]> {
  const { after, to, path } = range;
  const revisions = [`--max-count=${String(most)}`, "--full-history", "--no-merges", `${after}..${to}`];
  return readLog(repo, [...revisions, "--", `:(top,literal)${toText(path)}`]);
}

async function readLog(place: GitPlace, args: readonly string[]): Promise<LoggedCommit[]> {
  const format = [
    "log",
    "-z",
    "--format=%H %at %P%n%B",
    "--encoding=UTF-8",
    "--no-show-signature",
    "--no-color",
  ];
  const { out } = await runGit(place, [...format, ...args]);
  return out.split("\0").flatMap((text) => {
    const end = text.indexOf("\n");
    const [commit, at, ...parents] = text
      .slice(0, end)
      .split(" ")
      .filter((oid) => oid !== "");
    const message = toText(text.slice(end + 1)).trimEnd();
    return commit === undefined ? [] : [{ commit, parents, at: Number(at), message }];
  });
}
