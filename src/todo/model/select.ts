// Which task comes next, and what the order of the backlog says about it: ready, waiting, closure, marker, index.
// Pure and linear (sorting for a listing aside). Leaves changing anything to update.ts.
import { digest } from "../../system/text/digest.js";
import { compareIds } from "./order.js";
import type { BacklogIndex } from "./change.js";
import type { Backlog, IndexRow, Status, Task, TaskId } from "./task.js";

/** The tasks that this run has already tried, for selection. */
export interface Tried {
  /** Attempts of this run. */
  attempts: Pick<ReadonlyMap<TaskId, number>, "get">;
  /** `loop.max_attempts`. */
  maxAttempts: number;
  /** Tasks that were blocked when the run began: tried once. */
  blockedAtStart: ReadonlySet<TaskId>;
  /** Tasks whose agent reported `blocked` in this run: not tried again. */
  finalForRun: Pick<ReadonlySet<TaskId>, "has">;
  /** Only these count (`--task`: the closure). */
  only?: ReadonlySet<TaskId>;
}

/** The next task, why it, out of how many that could have been taken, and which comes after it; or why there is none. */
export type Selection =
  | { picked: IndexRow; reason: "doing" | "todo" | "blocked"; candidates: number; next?: TaskId }
  | { none: "all-done" | "nothing-ready" };

const RANK: Readonly<Record<Status, number>> = { doing: 0, todo: 1, blocked: 2, done: 3 };

/** The status of a task, by its id. */
export type StatusOf = (id: TaskId) => Status | undefined;

/** Picks the next task (contract §3.4). Rows in any order; the answer depends on the set alone. */
export function selectTask(
  rows: readonly IndexRow[],
  tried: Tried,
  statusOf: StatusOf = statusesOf(rows),
): Selection {
  let allDone = true;
  let candidates = 0;
  let best: IndexRow | undefined;
  let second: IndexRow | undefined;
  for (const row of rows) {
    if (row.status === "done" || tried.only?.has(row.id) === false) continue;
    allDone = false;
    if (!mayBeTried(row.id, tried) || waits(row, statusOf)) continue;
    candidates++;
    if (best === undefined || comesBefore(row, best) < 0) {
      second = best;
      best = row;
    } else if (second === undefined || comesBefore(row, second) < 0) second = row;
  }
  if (allDone) return { none: "all-done" };
  if (best === undefined || best.status === "done") return { none: "nothing-ready" };
  const runnerUp = second === undefined ? {} : { next: second.id };
  return { picked: best, reason: best.status, candidates, ...runnerUp };
}

function mayBeTried(id: TaskId, tried: Tried): boolean {
  if (tried.finalForRun.has(id)) return false;
  return (tried.attempts.get(id) ?? 0) < (tried.blockedAtStart.has(id) ? 1 : tried.maxAttempts);
}

/** Below 0 where `a` is taken before `b`: `doing` before `todo` before `blocked`; doing by id, the others by priority, then id. */
export function comesBefore(a: IndexRow, b: IndexRow): number {
  return RANK[a.status] - RANK[b.status] || compareWithin(a, b);
}

function compareWithin(a: Pick<IndexRow, "id" | "status" | "priority">, b: typeof a): number {
  return (a.status === "doing" ? 0 : a.priority - b.priority) || compareIds(a.id, b.id);
}

interface Waiting {
  id: TaskId;
  status: Status;
  depends_on?: readonly TaskId[] | undefined;
}

/** The status of every task that one of them waits for; of the others it knows nothing. */
export function statusesOf(rows: readonly Waiting[]): StatusOf {
  const statuses = new Map<TaskId, Status | undefined>();
  for (const { depends_on: edges = [] } of rows) for (const id of edges) statuses.set(id, undefined);
  for (const { id, status } of rows) if (statuses.has(id)) statuses.set(id, status);
  return (id) => statuses.get(id);
}

function waits({ depends_on: edges }: IndexRow, statusOf: StatusOf): boolean {
  return edges.some((id) => statusOf(id) !== "done");
}

/** The dependencies of a task that are not done, in its own order. A task without any is ready. */
export function waitsFor(task: Pick<Waiting, "depends_on">, statusOf: StatusOf): TaskId[] {
  const { depends_on: edges } = task;
  return edges === undefined || edges.length === 0 ? [] : edges.filter((id) => statusOf(id) !== "done");
}

const PLACE: Readonly<Record<Status, number>> = { todo: 0, doing: 1, blocked: 2, done: 3 };
/** More than there are priorities. */
const ROOM = 10;

/** Grouped todo, doing, blocked, done; each group in the order of selection (doing by id, the others by priority, then id). */
export function orderForListing<T extends Pick<Task, "id" | "status" | "priority">>(rows: readonly T[]): T[] {
  const groups: T[][] = [];
  for (const row of inOrderOfIds(rows)) {
    const at = PLACE[row.status] * ROOM + (row.status === "doing" ? 0 : row.priority);
    const group = groups[at];
    if (group === undefined) groups[at] = [row];
    else group.push(row);
  }
  return groups.flat();
}

/** Most files are in this order already. */
function inOrderOfIds<T extends Pick<Task, "id">>(rows: readonly T[]): readonly T[] {
  let last: T | undefined;
  for (const row of rows) {
    if (last !== undefined && compareIds(last.id, row.id) > 0)
      return rows.toSorted((a, b) => compareIds(a.id, b.id));
    last = row;
  }
  return rows;
}

/** A task and everything it depends on, directly or not; `undefined` when there is no such task. */
export function closure(
  id: TaskId,
  rows: readonly { id: TaskId; depends_on?: readonly TaskId[] | undefined }[],
): ReadonlySet<TaskId> | undefined {
  const byId = new Map(rows.map((row) => [row.id, row]));
  if (!byId.has(id)) return undefined;
  const found = new Set<TaskId>([id]);
  // A set hands out what is added while it is walked: no recursion.
  for (const next of found) for (const other of byId.get(next)?.depends_on ?? []) found.add(other);
  return found;
}

/** Whether a task is the completion marker (contract §3.7): known by id or tag, any case. */
export function isMarker(task: { id: string; tags?: readonly string[] | undefined }): boolean {
  if (task.id.length === 12 && task.id.toLowerCase() === "project-done") return true;
  return task.tags?.some((tag) => tag.toLowerCase() === "project-done") ?? false;
}

/** The row of a task in the index. */
export function rowOf(task: Task): IndexRow {
  return {
    id: task.id,
    status: task.status,
    priority: task.priority,
    depends_on: task.depends_on ?? [],
    ...(task.agent === undefined ? {} : { agent: task.agent }),
    ...(isSetMarker(task) ? { marker: true } : {}),
  };
}

/** The completion marker as the runner sets it: a task of that name that is still to be done is none. */
export function isSetMarker(task: Pick<Task, "id" | "status" | "tags">): boolean {
  return task.status === "done" && isMarker(task);
}

/** The tasks alone: wherever they are counted or listed for people the completion marker is left out. */
export function withoutMarker<T extends Pick<Task, "id" | "status" | "tags">>(tasks: readonly T[]): T[] {
  return tasks.filter((task) => !isSetMarker(task));
}

/** With the digest of each row, one after the other in one piece of memory: 10,000 texts lie wherever there was room. */
interface Index extends BacklogIndex {
  prints: Buffer;
  places: Places;
}

/** Where each task stands; found out when it is asked for, and shared by backlogs with the same ids in the same places. */
interface Places {
  known?: ReadonlyMap<string, number>;
}

/** In letters, as `digest` makes it. */
const PRINT_LENGTH = 16;

/** Kept for as long as the backlog: most looks at it find it as it was. */
const known = new WeakMap<Backlog, Index>();

/** The picture of a backlog that `step` works with. `like`: the one it was made from; of 100,000 tasks a change makes one anew. */
export function indexOf(backlog: Backlog, like?: Backlog): BacklogIndex {
  const made = known.get(backlog) ?? makeIndex(backlog.tasks, like);
  known.set(backlog, made);
  return made;
}

/** The index of a task in a backlog whose picture was made. */
export function placeIn(backlog: Backlog, id: TaskId): number | undefined {
  const places = known.get(backlog)?.places;
  if (places === undefined) return undefined;
  places.known ??= new Map(backlog.tasks.map((task, at) => [task.id, at]));
  return places.known.get(id);
}

function makeIndex(tasks: readonly Task[], like: Backlog | undefined): Index {
  const before = like === undefined ? undefined : known.get(like);
  const rows = before?.rows.slice(0, tasks.length) ?? [];
  const prints = Buffer.alloc(tasks.length * PRINT_LENGTH);
  before?.prints.copy(prints);
  let isInPlace = before?.rows.length === tasks.length;
  for (const [at, task] of tasks.entries()) {
    const was = before === undefined ? undefined : like?.tasks[at];
    if (was !== undefined && sameRow(was, task)) continue;
    const row = rowOf(task);
    rows[at] = row;
    prints.write(printOf(row), at * PRINT_LENGTH, "latin1");
    isInPlace &&= was?.id === task.id;
  }
  const places = (isInPlace ? before?.places : undefined) ?? {};
  return { rows, prints, places, digest: digest([prints]) };
}

function printOf({ id, status, priority, depends_on, agent, marker }: IndexRow): string {
  return digest([JSON.stringify([id, status, priority, depends_on, agent ?? null, marker ?? false])]);
}

/** Whether two tasks have the same row. */
export function sameRow(a: Task, b: Task): boolean {
  if (a === b) return true;
  if (a.id !== b.id || a.status !== b.status || a.priority !== b.priority || a.agent !== b.agent)
    return false;
  const [left, right] = [a.depends_on ?? [], b.depends_on ?? []];
  const sameEdges = left.length === right.length && left.every((id, at) => id === right[at]);
  return sameEdges && isSetMarker(a) === isSetMarker(b);
}
