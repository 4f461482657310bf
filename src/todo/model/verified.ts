// The runner's marks in a task's `meta`: that its gate passed, and that a person accepted it. Pure.
import { isDeepStrictEqual } from "node:util";
import type { Task } from "./task.js";

/** A person's word that a task counts as verified. `at`: RFC 3339. */
export interface Acceptance {
  at: string;
  by: string;
}

/** The keys of `meta` that only the runner writes. */
export const MARKS = ["verified", "accepted"] as const;
type Marks = Partial<Record<(typeof MARKS)[number], unknown>>;

/** Whether the gate passed when the task became done, or a person accepted it since. */
export function isVerified({ meta }: Pick<Task, "meta">): boolean {
  return isMembers(meta) && meta["verified"] === true;
}

/** The person who accepted the task, and the time; `undefined` if it was not accepted. */
export function acceptanceOf({ meta }: Pick<Task, "meta">): Acceptance | undefined {
  const accepted = isMembers(meta) ? meta["accepted"] : undefined;
  if (!isMembers(accepted)) return undefined;
  const { at, by } = accepted;
  return typeof at === "string" && typeof by === "string" ? { at, by } : undefined;
}

/** The task with the gate's mark set or removed, and not accepted. A `meta` that is not an object has no mark, and stays as it is. */
export function markVerified(task: Task, verified: boolean): Task {
  return putMarks(task, verified ? { verified: true } : {});
}

/** The task as a person accepted it. */
export function markAccepted(task: Task, accepted: Acceptance): Task {
  return putMarks(task, { verified: true, accepted });
}

/** Gives `is` the marks of `was`, so that a save by others neither sets nor removes them. `was` is absent for a new task. */
export function keepMark(was: Task | undefined, is: Task): Task {
  const marks = isMembers(was?.meta) ? marksOf(was.meta) : {};
  const isMarked = Object.keys(marks).length > 0;
  if (isMarked && is.meta !== undefined && !isMembers(is.meta)) return { ...is, meta: was?.meta };
  return putMarks(is, marks);
}

function marksOf(meta: Readonly<Record<string, unknown>>): Marks {
  return Object.fromEntries(MARKS.flatMap((key) => (meta[key] === undefined ? [] : [[key, meta[key]]])));
}

function putMarks(task: Task, marks: Marks): Task {
  const { meta, ...rest } = task;
  if (meta !== undefined && !isMembers(meta)) return task;
  if (MARKS.every((key) => isDeepStrictEqual(marks[key], meta?.[key]))) return task;
  const kept = Object.entries(meta ?? {}).filter(([key]) => !isMark(key) || marks[key] !== undefined);
  const now = { ...Object.fromEntries(kept), ...marks };
  return Object.keys(now).length === 0 ? rest : { ...rest, meta: now };
}

function isMark(key: string): key is keyof Marks {
  return MARKS.some((mark) => mark === key);
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
