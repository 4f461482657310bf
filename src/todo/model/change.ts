// The changes a backlog can take, as data: step asks for them, update.ts applies them, store.ts writes the result.
import type { PersonChange } from "./person-change.js";
import type { NewTask } from "./summary.js";
import type { IndexRow, Status, TaskId } from "./task.js";

/** One change, with the state it expects. A change that no longer holds is refused, never forced. */
export type Change =
  /** Takes a task in hand: status `doing`, `attempts` + 1; removes the completion marker. Refused unless its status is `expect`. */
  | { op: "claim"; id: TaskId; expect: Status }
  /** Subtracts the attempt of its last claim, because no agent tried it. */
  | { op: "uncount"; id: TaskId }
  /**
   * Marks it done: keeps `result` and `files`, clears `blockers`; sets `meta.verified` if the gate passed, else removes it.
   * Refused unless `doing`.
   */
  | { op: "finish"; id: TaskId; result: string; files: readonly string[]; verified: boolean }
  /** Marks it blocked, with the reasons. Refused when done. */
  | { op: "block"; id: TaskId; blockers: readonly string[] }
  /** Restores an earlier status (of a skipped task). Refused when done. */
  | { op: "return"; id: TaskId; to: Status }
  /**
   * Reopens a done task, with the reasons as its `blockers`; removes `meta.verified` and the completion marker. Refused
   * unless done.
   */
  | { op: "reopen"; id: TaskId; to: "todo" | "doing"; blockers: readonly string[] }
  /** Appends an agent's new tasks as `todo` (contract §4, `new_tasks[]`); removes the completion marker if any was added. */
  | { op: "add"; tasks: readonly NewTask[]; keepVerify: boolean }
  /** Appends the completion marker. Refused unless every task is done. */
  | { op: "mark-complete" };

export interface Refusal {
  change: Change | PersonChange;
  why: string;
}

/** The outcome of a list of changes. Rows are those that differ from before, in file order. */
export interface Applied {
  /** In the order of the changes; `from` is absent for a new task, `to` for a removed one. */
  updated: { id: TaskId; from?: Status; to?: Status }[];
  refused: Refusal[];
  /** For instance, about a dropped edge of a new task. */
  warnings: string[];
}

/** The changes that others saved since the runner last read the file, and their outcome (contract §4, *Edits during a run*). */
export interface Edits {
  /** Ids of tasks that are new. */
  added: TaskId[];
  /** Ids whose texts changed, or (between attempts) anything else. */
  changed: TaskId[];
  /** Ids of tasks that were removed. */
  removed: TaskId[];
  /** Each change that was reverted, in words; empty if all were accepted. */
  putBack: string[];
  /** The path of a copy of the other version, if any change was reverted. */
  copy?: string;
}

/** The backlog as `step` sees it: `rows` in file order and their digest, without times and texts, so that runs can be replayed. */
export interface BacklogIndex {
  rows: readonly IndexRow[];
  digest: string;
}
