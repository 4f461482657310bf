// The runner's marks in a task's `meta`: the verdict on its work, and that a person accepted it. Pure.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Task } from "./task.js";
import { isRecord } from "../../system/text/json.js";

/**
 * The verdict on a done task. `verified`: something turned from red to green because of the work, or a person accepted it.
 * `unbroken`: the checks pass, and nothing shows that what the task wants was done. `unverified`: they pass only with changes to
 * what checks, or there are none. `none`: no stage of its workflow changes anything, so there is nothing to check.
 */
export const Verdict = z.enum(["verified", "unbroken", "unverified", "none"]);
export type Verdict = z.infer<typeof Verdict>;

/** A person's word that a task counts as verified. `at`: RFC 3339. */
export interface Acceptance {
  at: string;
  by: string;
}

/** The keys of `meta` that only the runner writes. */
export const MARKS = ["verdict", "accepted"] as const;
type Marks = Partial<Record<(typeof MARKS)[number], unknown>>;

/** The verdict on the task when it became done, or since a person accepted it; `unverified` if there is no mark. */
export function verdictOf({ meta }: Pick<Task, "meta">): Verdict {
  const found = Verdict.safeParse(isRecord(meta) ? meta["verdict"] : undefined);
  return found.success ? found.data : "unverified";
}

/** Whether the verdict is `verified`. */
export function isVerified(task: Pick<Task, "meta">): boolean {
  return verdictOf(task) === "verified";
}

/** The person who accepted the task, and the time; `undefined` if it was not accepted. */
export function acceptanceOf({ meta }: Pick<Task, "meta">): Acceptance | undefined {
  const accepted = isRecord(meta) ? meta["accepted"] : undefined;
  if (!isRecord(accepted)) return undefined;
  const { at, by } = accepted;
  return typeof at === "string" && typeof by === "string" ? { at, by } : undefined;
}

/** The task with the verdict, or none, and not accepted. A `meta` that is not an object has no mark, and stays as it is. */
export function markVerdict(task: Task, verdict: Verdict | undefined): Task {
  return putMarks(task, verdict === undefined ? {} : { verdict });
}

/** The task as a person accepted it. */
export function markAccepted(task: Task, accepted: Acceptance): Task {
  return putMarks(task, { verdict: "verified", accepted });
}

/** Gives `is` the marks of `was`, so that a save by others neither sets nor removes them. `was` is absent for a new task. */
export function keepMark(was: Task | undefined, is: Task): Task {
  const old = isRecord(was?.meta) ? was.meta : {};
  const marks: Marks = Object.fromEntries(
    MARKS.flatMap((key) => (old[key] === undefined ? [] : [[key, old[key]]])),
  );
  const isMarked = Object.keys(marks).length > 0;
  if (isMarked && is.meta !== undefined && !isRecord(is.meta)) return { ...is, meta: was?.meta };
  return putMarks(is, marks);
}

function putMarks(task: Task, marks: Marks): Task {
  const { meta, ...rest } = task;
  if (meta !== undefined && !isRecord(meta)) return task;
  if (MARKS.every((key) => isDeepStrictEqual(marks[key], meta?.[key]))) return task;
  const gone: readonly string[] = MARKS.filter((key) => marks[key] === undefined);
  const kept = Object.entries(meta ?? {}).filter(([key]) => !gone.includes(key));
  const now = { ...Object.fromEntries(kept), ...marks };
  return Object.keys(now).length === 0 ? rest : { ...rest, meta: now };
}
