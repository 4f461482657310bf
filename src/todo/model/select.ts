// Selects the next task, and answers questions about the backlog's order: ready, waiting, closure, marker, index.
// Pure, and linear except for sorting a listing. update.ts makes changes.
import { digest } from "../../system/text/digest.js";
import type { Progress } from "../../workflow/progress.js";
import { toProgressRow } from "../../workflow/to-progress-row.js";
import { compareIds } from "./order.js";
import type { BacklogIndex } from "./changes/change.js";
import { type Backlog, type IndexRow, type Status, type Task, TaskId } from "./task.js";

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
  /** Only these tasks may be selected (`--task`: its closure). */
  only?: ReadonlySet<TaskId>;
}

/** The next task, the reason, the number of candidates and the task after it; or the reason why there is none. */
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
    if (!mayBeTried(row.id, tried) || waits(row, statusOf) || heldBy(row) !== undefined) continue;
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

/** The way in which a task waits for a person (L22): an open question, unless the workflow was ended, or a pause. */
export function heldBy({ progress }: Pick<IndexRow, "progress">): "asked" | "paused" | undefined {
  if (progress === undefined) return undefined;
  const { asked, answered, complete, paused } = progress;
  if (asked !== undefined && answered === undefined && complete === undefined) return "asked";
  return paused === undefined ? undefined : "paused";
}

/** Negative if `a` is selected before `b`: `doing`, `todo`, `blocked`; doing by id, the others by priority, then id. */
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

/** Looks up the status of every task that one of the rows depends on; `undefined` for other tasks. */
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
/** More than the number of priorities. */
const ROOM = 10;

/** Sorts into todo, doing, blocked, done; each in the order of selection (doing by id, the others by priority, then id). */
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

/** A task and everything it depends on, directly or not; `undefined` if the task does not exist. */
export function closure(
  id: TaskId,
  rows: readonly { id: TaskId; depends_on?: readonly TaskId[] | undefined }[],
): ReadonlySet<TaskId> | undefined {
  const byId = new Map(rows.map((row) => [row.id, row]));
  if (!byId.has(id)) return undefined;
  const found = new Set<TaskId>([id]);
  // The loop also visits ids added during it, so that no recursion is needed.
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
    ...(task.workflow === undefined ? {} : { workflow: task.workflow }),
    ...(task.progress === undefined ? {} : { progress: toProgressRow(task.progress) }),
  };
}

/** Whether a task is the completion marker as the runner sets it; an unfinished task of that name is not. */
export function isSetMarker(task: Pick<Task, "id" | "status" | "tags">): boolean {
  return task.status === "done" && isMarker(task);
}

/** The tasks without the completion marker, for counting them or listing them for people. */
export function withoutMarker<T extends Pick<Task, "id" | "status" | "tags">>(tasks: readonly T[]): T[] {
  return tasks.filter((task) => !isSetMarker(task));
}

/** With the digests of all rows in one block of memory, because 10,000 separate texts would be slow to read. */
interface Index extends BacklogIndex {
  prints: Buffer;
  places: Places;
}

/** The position of each task, computed on demand and shared by backlogs with the same ids in the same order. */
interface Places {
  known?: ReadonlyMap<string, number>;
}

/** The length of a digest in letters. */
const PRINT_LENGTH = 16;

/** Cached for the lifetime of a backlog, which is usually asked for more than once. */
const known = new WeakMap<Backlog, Index>();

/** The index of a backlog for `step`. With `like`, the backlog it was made from, only changed rows are digested again. */
export function indexOf(backlog: Backlog, like?: Backlog): BacklogIndex {
  const made = known.get(backlog) ?? makeIndex(backlog.tasks, like);
  known.set(backlog, made);
  return made;
}

/** The position of a task in a backlog whose index was made. */
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

/** A task without a workflow of its own and without progress has the same digest as before there were any. */
function printOf({ id, status, priority, depends_on, agent, marker, workflow, progress }: IndexRow): string {
  const fields: unknown[] = [id, status, priority, depends_on, agent ?? null, marker ?? false];
  if (workflow !== undefined || progress !== undefined) fields.push(workflow ?? null, progress ?? null);
  return digest([JSON.stringify(fields)]);
}

/** Whether `step` sees the same of both. */
function sameProgress(a: Progress | undefined, b: Progress | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return JSON.stringify(toProgressRow(a)) === JSON.stringify(toProgressRow(b));
}

/** Whether two tasks have the same row. */
export function sameRow(a: Task, b: Task): boolean {
  if (a === b) return true;
  if (a.id !== b.id || a.status !== b.status || a.priority !== b.priority || a.agent !== b.agent)
    return false;
  if (a.workflow !== b.workflow || !sameProgress(a.progress, b.progress)) return false;
  const [left, right] = [a.depends_on ?? [], b.depends_on ?? []];
  const sameEdges = left.length === right.length && left.every((id, at) => id === right[at]);
  return sameEdges && isSetMarker(a) === isSetMarker(b);
}

/** The completion marker (contract §3.7). */
export const MARKER: Task = {
  id: TaskId.parse("PROJECT-DONE"),
  title: "Project done: no new tasks",
  priority: 5,
  status: "done",
  tags: ["project-done"],
};

// Why a task is or isn't next, for a run that begins now.

export type Why =
  | { answer: "done" }
  /** `of`: the number of candidates. */
  | { answer: "next"; of: number }
  /** Ready; these ready tasks come before it, in their order. */
  | { answer: "behind"; before: IndexRow[] }
  /**
   * Not ready. `waitsFor`: its own dependencies; `first`: the candidates that all of these wait for in the end; `held`: those that
   * wait for a person.
   */
  | { answer: "waits"; waitsFor: IndexRow[]; first: IndexRow[]; held: IndexRow[] }
  /** Its question waits for an answer. */
  | { answer: "asked" }
  /** A person paused it. */
  | { answer: "paused" };

/** Explains a task. Contract: `row` is one of `rows`. */
export function explainTask(row: IndexRow, rows: readonly IndexRow[]): Why {
  if (row.status === "done") return { answer: "done" };
  const statuses = statusesOf(rows);
  const isFree = (one: IndexRow): boolean => one.status !== "done" && waitsFor(one, statuses).length === 0;
  const isReady = (one: IndexRow): boolean => isFree(one) && heldBy(one) === undefined;
  if (!isFree(row)) {
    const [own, all] = [new Set(waitsFor(row, statuses)), closure(row.id, rows)];
    const free = rows.filter((one) => all?.has(one.id) === true && isFree(one));
    return {
      answer: "waits",
      waitsFor: rows.filter((one) => own.has(one.id)),
      first: inOrder(free.filter(isReady)),
      held: inOrder(free.filter((one) => !isReady(one))),
    };
  }
  const held = heldBy(row);
  if (held !== undefined) return { answer: held };
  const selection = selectTask(rows, NOTHING_TRIED);
  if ("picked" in selection && selection.picked.id === row.id)
    return { answer: "next", of: selection.candidates };
  return {
    answer: "behind",
    before: inOrder(rows.filter((one) => isReady(one) && comesBefore(one, row) < 0)),
  };
}

const NOTHING_TRIED = {
  attempts: new Map<TaskId, number>(),
  maxAttempts: 1,
  blockedAtStart: new Set<TaskId>(),
  finalForRun: new Set<TaskId>(),
};

function inOrder(rows: readonly IndexRow[]): IndexRow[] {
  return [...rows].sort(comesBefore);
}
