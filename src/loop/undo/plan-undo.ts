// Plans an undo: the named task, the done tasks that depend on it, the commits of each, and the paths that they changed. Pure.
import type { TaskCommit } from "../../git/commit/live-commits.js";
import { trailerId } from "../../git/commit/message.js";
import type { Change } from "../../todo/model/changes/change.js";
import { isMarker } from "../../todo/model/select.js";
import { bornAt, type Status, type Task, type TaskId } from "../../todo/model/task.js";
import { toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry } from "../../git/base/read/diff.js";

/** The task to undo, and the reason. */
export interface UndoWish {
  id: string;
  /** Whether done tasks that depend on it are undone too. */
  cascade: boolean;
  /** May be empty. */
  reason: string;
}

/** A task to undo, with its commit, if it has one. */
export interface UndoneTask {
  task: string;
  title: string;
  commit?: string | undefined;
}

export type UndoPlan =
  /** Neither the backlog nor the history has the task. */
  | { kind: "unknown" }
  | { kind: "marker" }
  /** It is not done, and has no commit. */
  | { kind: "nothing"; status: Status }
  /** Done tasks depend on it, and `cascade` is not set. */
  | { kind: "dependents"; dependents: readonly UndoneTask[] }
  | {
      kind: "ready";
      /** The named task, then those that depend on it, newest first. */
      undone: readonly UndoneTask[];
      /** Newest first. */
      commits: readonly TaskCommit[];
      changes: readonly Change[];
    };

/** Plans the undo of a task. `all`: the tasks' commits that are not undone yet, newest first. */
export function planUndo(wish: UndoWish, tasks: readonly Task[], all: readonly TaskCommit[]): UndoPlan {
  // An id that is free is given again: what is older than the task was another task's.
  const born = new Map(tasks.map((one) => [trailerId(one.id), bornAt(one)]));
  const live = all.filter((one) => one.at >= Math.floor((born.get(one.task) ?? 0) / 1000));
  const task = tasks.find(({ id }) => id === wish.id);
  const own = findNewestCommits(live).get(trailerId(wish.id));
  if (task === undefined && own === undefined) return { kind: "unknown" };
  if (task !== undefined && isMarker(task)) return { kind: "marker" };
  if (task !== undefined && task.status !== "done" && own === undefined)
    return { kind: "nothing", status: task.status };
  const dependents = sortByCommit(findDependents(wish.id, tasks), live);
  if (dependents.length > 0 && !wish.cascade)
    return { kind: "dependents", dependents: dependents.map((one) => toUndoneTask(one, live)) };
  const named: UndoneTask = { task: wish.id, title: task?.title ?? own?.title ?? "", commit: own?.commit };
  const undone = [named, ...dependents.map((one) => toUndoneTask(one, live))];
  const chosen = new Set(undone.map(({ commit }) => commit));
  return {
    kind: "ready",
    undone,
    commits: live.filter(({ commit }) => chosen.has(commit)),
    changes: [...(task?.status === "done" ? [task] : []), ...dependents].map(({ id }) => reopen(id, wish)),
  };
}

/** Done tasks that depend on it, directly or through tasks of any status. */
function findDependents(id: string, tasks: readonly Task[]): Task[] {
  const waiting = new Map<string, Task[]>();
  for (const task of tasks) {
    for (const other of task.depends_on ?? []) {
      const known = waiting.get(other);
      if (known === undefined) waiting.set(other, [task]);
      else known.push(task);
    }
  }
  const found = new Set<Task>(waiting.get(id));
  // A set is read in the order in which it grows.
  for (const { id: next } of found) for (const task of waiting.get(next) ?? []) found.add(task);
  return [...found].filter((task) => task.status === "done" && !isMarker(task));
}

/** Sorts tasks by commit, newest first; tasks without one come last. */
function sortByCommit(tasks: readonly Task[], live: readonly TaskCommit[]): Task[] {
  const places = new Map([...findNewestCommits(live).keys()].map((task, at) => [task, at]));
  const placeOf = ({ id }: Task): number => places.get(trailerId(id)) ?? places.size;
  return tasks.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function toUndoneTask({ id, title }: Task, live: readonly TaskCommit[]): UndoneTask {
  return { task: id, title, commit: findNewestCommits(live).get(trailerId(id))?.commit };
}

function findNewestCommits(live: readonly TaskCommit[]): Map<string, TaskCommit> {
  const newest = new Map<string, TaskCommit>();
  for (const one of live) if (!newest.has(one.task)) newest.set(one.task, one);
  return newest;
}

function reopen(id: TaskId, { id: named, reason }: UndoWish): Change {
  const what = id === named ? "undone" : `undone with ${named}`;
  return { op: "reopen", id, to: "todo", blockers: [reason === "" ? what : `${what}: ${reason}`] };
}

/** Paths as text, from the top of the repository, sorted. */
export interface ChangeCounts {
  created: readonly string[];
  modified: readonly string[];
  deleted: readonly string[];
}

/** The changes of a task. */
export function countChanges(changes: readonly DiffEntry[]): ChangeCounts {
  const paths = (some: readonly DiffEntry[]): string[] => some.map(({ path }) => toText(path)).sort();
  return {
    created: paths(changes.filter(({ from }) => !exists(from))),
    modified: paths(changes.filter(({ from, to }) => exists(from) && exists(to))),
    deleted: paths(changes.filter(({ to }) => !exists(to))),
  };
}

/** The changes of the tasks that these revert: a path that goes was created. */
export function countReverted(changes: readonly DiffEntry[]): ChangeCounts {
  return countChanges(changes.map((change) => ({ ...change, from: change.to, to: change.from })));
}
