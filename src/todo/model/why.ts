// Explains why a task is or isn't next, for a run that begins now. Pure.
import { closure, comesBefore, heldBy, selectTask, statusesOf, waitsFor } from "./select.js";
import type { IndexRow, TaskId } from "./task.js";

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
