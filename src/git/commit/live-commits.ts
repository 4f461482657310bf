// Lists the commits of tasks that still count: parses their trailers, and leaves out commits that were undone. Pure.
// task-commits.ts reads the history.
import { TRAILER } from "./message.js";

/** A commit of the history. */
export interface LoggedCommit {
  commit: string;
  parents: readonly string[];
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
    else live.push({ commit: one.commit, parent: one.parents[0], task, title: subjectOf(one.message) });
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
