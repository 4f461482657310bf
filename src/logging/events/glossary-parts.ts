// Parts of the glossary of events: the shape of an entry, and the values that its examples share.
import { TaskId } from "../../todo/model/task.js";
import type { RunEvent, Sealed } from "./events.js";

/** One event as the glossary explains it. */
export interface EventEntry<Type extends RunEvent["type"]> {
  /** When it occurs and what it carries, in one sentence. */
  sentence: string;
  example: Sealed<Extract<RunEvent, { type: Type }>>;
}

/** Tasks of the examples. */
export const T1 = TaskId.parse("T1");
export const T2 = TaskId.parse("T2");

/** The fields that every line of one job shares. */
export const job = {
  job: 1,
  phase: "iteration",
  iteration: 1,
  agent: "claude",
  attempt: 1,
  task_id: T1,
} as const;

export const DIGEST = "02dbaeabe557f482";
export const COMMIT = "9067f8c1d2b34a5e6f708192a3b4c5d6e7f80912";

/** Number and time of a line. */
export function stamp(seq: number): { seq: number; timestamp: string } {
  return { seq, timestamp: `2026-01-31T08:30:${String(seq).padStart(2, "0")}.000Z` };
}
