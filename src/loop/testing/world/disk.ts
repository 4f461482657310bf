// The disk of the simulation: the backlog's rows, HEAD, the pending commit and checkpoints, as plain values. It follows the
// rules of the store (contract §3.6, §4 *Edits during a run*), without texts.
import { given } from "../../../system/given.js";
import { isMarker } from "../../../todo/model/select.js";
import { never } from "../../../system/never.js";
import type { Change } from "../../../todo/model/changes/change.js";
import type { PersonChange } from "../../../todo/model/changes/person-change.js";
import { TaskId, type IndexRow, type Status } from "../../../todo/model/task.js";
import type { ChangeResult } from "../../step/jobs.js";
import { changeStage, giveUp, whyNotClaimed, type StageChange } from "./disk-stages.js";

export interface Disk {
  rows: readonly IndexRow[];
  /** The commits in HEAD's history, oldest first. */
  commits: readonly Commit[];
  /** Tasks whose claim has a checkpoint. */
  checkpoints: readonly TaskId[];
  /** Tasks whose status a person set by a command, now and at any time. */
  byHand?: readonly TaskId[];
  edited?: readonly TaskId[];
  /** The saved work of tasks in workflows, by task: the visits whose work it has. */
  works?: Readonly<Record<string, readonly string[]>>;
  /** Changes that commands made since the run last read the file; the run knows them as a person's. */
  heard?: readonly PersonChange[];
  /** The pending commit, with the rows the backlog must get. */
  pending?: { commit: Commit; changes: readonly Change[] } | undefined;
}

/** A task's commit; `made` identifies it among commits of the same task. */
export interface Commit {
  task: TaskId;
  made: string;
}

/** The state that a store remembers between two reads. */
export interface SeenRows {
  rows: readonly IndexRow[];
  /** Tasks this run finished, which stay done. */
  finished: ReadonlySet<TaskId>;
}

export interface WrittenRows {
  rows: readonly IndexRow[];
  seen: SeenRows;
  outcome: ChangeResult;
  byHand: readonly TaskId[];
}

const MARKER = TaskId.parse("PROJECT-DONE");

/** Merges what others saved, applies the changes, and reports both against the last read. */
export function writeBacklog(
  disk: Disk,
  seen: SeenRows,
  { changes, during, inHand }: { changes: readonly Change[]; during: "agent" | "idle"; inHand?: TaskId },
): WrittenRows {
  const heard: ChangeResult = { updated: [], refused: [], warnings: [], rows: [], removed: [], digest: "" };
  const told = disk.heard ?? [];
  const known = told.reduce((all, change) => applyChange(all, change, heard), seen.rows);
  const merged = takeEdits(disk.rows, { ...seen, rows: known }, during);
  const edits = told.length === 0 ? merged.edits : joinHeard(heard.updated, merged.edits);
  const outcome: ChangeResult = { updated: [], refused: [], warnings: [], rows: [], removed: [], digest: "" };
  let rows = merged.rows;
  const held = rows.find(({ id }) => id === inHand)?.status;
  for (const change of changes) {
    const isTaken = inHand !== undefined && held !== "doing" && "id" in change && change.id === inHand;
    if (isTaken)
      outcome.refused.push({ op: change.op, id: inHand, why: `it is ${held ?? "removed"}, not doing` });
    else rows = applyChange(rows, change, outcome);
  }
  const hands = new Set(outcome.updated.map(({ id }) => id));
  const { byHand = [] } = disk;
  const before = new Map(seen.rows.map((row) => [row.id, JSON.stringify(row)]));
  const left = new Set(rows.map((row) => row.id));
  const done = outcome.updated.filter(({ to }) => to === "done").map(({ id }) => id);
  return {
    rows,
    byHand: byHand.filter((id) => !hands.has(id)),
    seen: { rows, finished: new Set([...seen.finished, ...done]) },
    outcome: {
      ...outcome,
      rows: rows.filter((row) => before.get(row.id) !== JSON.stringify(row)).map(toEventRow),
      removed: seen.rows.filter((row) => !left.has(row.id)).map((row) => row.id),
      digest: computeDigest(rows),
      ...given({ edits }),
      ...(told.length === 0 ? {} : { heard: [{ at: "1970-01-01T00:00:00.000Z", changes: [...told] }] }),
    },
  };
}

/** Converts rows to the form of events. */
export function toEventRow(row: IndexRow): ChangeResult["rows"][number] {
  return { ...row, depends_on: [...row.depends_on] };
}

/** Ids and statuses, in file order. */
export function computeDigest(rows: readonly IndexRow[]): string {
  return rows.map((row) => `${row.id}:${row.status}`).join(" ");
}

type Edits = NonNullable<ChangeResult["edits"]>;

/** The edits that others saved, with those of a person's commands. */
function joinHeard(
  updated: ChangeResult["updated"],
  saved: Edits = { added: [], changed: [], put_back: [] },
): Edits {
  const idsOf = (which: (one: ChangeResult["updated"][number]) => boolean) =>
    updated.filter(which).map(({ id }) => id);
  return {
    ...saved,
    added: [...idsOf(({ from }) => from === undefined), ...saved.added],
    changed: [...idsOf(({ from, to }) => from !== undefined && to !== undefined), ...saved.changed],
    removed: [...idsOf(({ to }) => to === undefined), ...(saved.removed ?? [])],
  };
}

function takeEdits(
  now: readonly IndexRow[],
  seen: SeenRows,
  during: "agent" | "idle",
): { rows: readonly IndexRow[]; edits?: Edits } {
  const known = new Map(seen.rows.map((row) => [row.id, row]));
  const edits: Edits = { added: [], changed: [], put_back: [] };
  const rows = now.map((row): IndexRow => {
    const old = known.get(row.id);
    if (old === undefined) edits.added.push(row.id);
    if (old === undefined || JSON.stringify(old) === JSON.stringify(row)) return row;
    const undone = seen.finished.has(row.id) && row.status !== "done";
    if (during === "agent" || undone) edits.put_back.push(`${row.id} is ${old.status} again`);
    else edits.changed.push(row.id);
    return during === "agent" ? old : undone ? { ...row, status: "done" } : row;
  });
  const left = new Set(now.map((row) => row.id));
  const gone = seen.rows.filter((row) => !left.has(row.id));
  if (during === "agent") for (const { id } of gone) edits.put_back.push(`${id} is there again`);
  else edits.changed.push(...gone.map(({ id }) => id));
  const all = during === "agent" ? [...rows, ...gone] : rows;
  const edited = edits.added.length + edits.changed.length + edits.put_back.length > 0;
  return { rows: all, ...(edited ? { edits } : {}) };
}

function applyChange(
  rows: readonly IndexRow[],
  change: Change | PersonChange,
  outcome: ChangeResult,
): readonly IndexRow[] {
  switch (change.op) {
    case "claim":
      return move(rows, change, outcome, {
        to: "doing",
        fits: (row) => row.status === change.expect && whyNotClaimed(row) === undefined,
      });
    case "uncount":
      // Rows do not count.
      return rows;
    case "finish":
      return withoutProgress(
        move(rows, change, outcome, { to: "done", fits: (row) => row.status === "doing" }),
        change.id,
      );
    case "block":
      return move(rows, change, outcome, { to: "blocked", fits: (row) => row.status !== "done" }).map((row) =>
        row.id === change.id && row.status === "blocked" ? giveUp(row) : row,
      );
    case "return":
      return move(rows, change, outcome, { to: change.to, fits: (row) => row.status !== "done" });
    case "reopen":
      return move(rows, change, outcome, { to: change.to, fits: (row) => row.status === "done" });
    case "edit":
      return move(rows, change, outcome, { to: change.set.status ?? "todo", fits: () => true });
    case "remove":
      return remove(rows, change.id, outcome);
    case "insert":
    case "accept":
      throw new Error(`${change.op} is not asked for here`);
    case "add":
      return addTasks(rows, change, outcome);
    case "mark-complete": {
      if (rows.some((row) => row.status !== "done")) {
        outcome.refused.push({ op: change.op, why: "not every task is done" });
        return rows;
      }
      outcome.updated.push({ id: MARKER, to: "done" });
      return [...rows, { id: MARKER, status: "done", priority: 5, depends_on: [], marker: true }];
    }
    case "enter":
    case "advance":
    case "answer":
    case "pause":
    case "resume":
    case "note":
    case "complete":
    case "restart":
    case "adopt":
      return moveStage(rows, change, outcome);
    default:
      return never(change);
  }
}

function move(
  rows: readonly IndexRow[],
  change: { op: string; id: TaskId },
  outcome: ChangeResult,
  { to, fits }: { to: Status; fits: (row: IndexRow) => boolean },
): readonly IndexRow[] {
  const row = rows.find(({ id }) => id === change.id);
  if (row === undefined || !fits(row)) {
    const why = row === undefined ? "it is not there" : `it is ${row.status}`;
    outcome.refused.push({ op: change.op, id: change.id, why });
    return rows;
  }
  outcome.updated.push({ id: row.id, from: row.status, to });
  return rows.map((one) => (one === row ? { ...row, status: to } : one));
}

function moveStage(
  rows: readonly IndexRow[],
  change: StageChange,
  outcome: ChangeResult,
): readonly IndexRow[] {
  const row = rows.find(({ id }) => id === change.id);
  const changed = row === undefined ? "it is not there" : changeStage(row, change);
  if (row === undefined || typeof changed === "string") {
    outcome.refused.push({ op: change.op, id: change.id, why: typeof changed === "string" ? changed : "" });
    return rows;
  }
  outcome.updated.push({ id: row.id, from: row.status, to: changed.status });
  return rows.map((one) => (one === row ? changed : one));
}

/** A task that is done is in no stage. */
function withoutProgress(rows: readonly IndexRow[], id: TaskId): readonly IndexRow[] {
  return rows.map((row) => {
    if (row.id !== id || row.status !== "done" || row.progress === undefined) return row;
    const { progress: _progress, ...rest } = row;
    return rest;
  });
}

/** The disk after a person's command, which the run hears of. */
export function changeByPerson(disk: Disk, change: PersonChange): Disk | undefined {
  const outcome: ChangeResult = { updated: [], refused: [], warnings: [], rows: [], removed: [], digest: "" };
  const rows = applyChange(disk.rows, change, outcome);
  if (outcome.refused.length > 0) return undefined;
  const { heard = [], byHand = [], edited = [] } = disk;
  const made = { ...disk, rows, heard: [...heard, change] };
  if (change.op !== "edit" && change.op !== "remove" && change.op !== "restart") return made;
  return {
    ...made,
    byHand: [...new Set([...byHand, change.id])],
    edited: [...new Set([...edited, change.id])],
  };
}

function remove(rows: readonly IndexRow[], id: TaskId, outcome: ChangeResult): readonly IndexRow[] {
  const gone = rows.find((row) => row.id === id);
  if (gone === undefined) {
    outcome.refused.push({ op: "remove", id, why: "it is not there" });
    return rows;
  }
  outcome.updated.push({ id, from: gone.status });
  return rows
    .filter((row) => row !== gone)
    .map((row) => ({ ...row, depends_on: row.depends_on.filter((other) => other !== id) }));
}

function addTasks(
  rows: readonly IndexRow[],
  { tasks }: Extract<Change, { op: "add" }>,
  outcome: ChangeResult,
): readonly IndexRow[] {
  const taken = new Set<string>(rows.map(({ id }) => id));
  const added = tasks.map((task): IndexRow => {
    let n = taken.size + 1;
    while (taken.has(`N${n}`)) n++;
    const wanted = task.id === undefined || taken.has(task.id) ? `N${n}` : task.id;
    const id = TaskId.parse(wanted);
    taken.add(id);
    outcome.updated.push({ id, to: "todo" });
    const known = (task.depends_on ?? []).filter((other) => taken.has(other) && other !== id);
    return {
      id,
      status: "todo",
      priority: task.priority ?? 3,
      depends_on: known.map((to) => TaskId.parse(to)),
    };
  });
  const marker = rows.find(isMarker);
  if (marker === undefined) return [...rows, ...added];
  outcome.updated.push({ id: marker.id, from: marker.status });
  return [...rows.filter((row) => row !== marker), ...added];
}
