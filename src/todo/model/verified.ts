// The runner's mark in a task's `meta` that its gate passed. Pure.
import type { Task } from "./task.js";

/** Whether the gate passed when the task became done. */
export function isVerified({ meta }: Pick<Task, "meta">): boolean {
  return isMembers(meta) && meta["verified"] === true;
}

/** The task with the mark set or removed. A `meta` that is not an object has no mark, and stays as it is. */
export function markVerified(task: Task, verified: boolean): Task {
  return putMark(task, verified ? true : undefined);
}

/** Gives `is` the mark of `was`, so that a save by others neither sets nor removes it. `was` is absent for a new task. */
export function keepMark(was: Task | undefined, is: Task): Task {
  const mark = isMembers(was?.meta) ? was.meta["verified"] : undefined;
  if (mark !== undefined && is.meta !== undefined && !isMembers(is.meta)) return { ...is, meta: was?.meta };
  return putMark(is, mark);
}

function putMark(task: Task, mark: unknown): Task {
  const { meta, ...rest } = task;
  if (meta !== undefined && !isMembers(meta)) return task;
  if (mark === meta?.["verified"]) return task;
  if (mark !== undefined) return { ...task, meta: { ...meta, verified: mark } };
  const { verified, ...others } = meta ?? {};
  if (verified === undefined) return task;
  return Object.keys(others).length === 0 ? rest : { ...rest, meta: others };
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
