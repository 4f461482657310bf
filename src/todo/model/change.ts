// The changes a backlog can take, as data: step asks for them, update.ts applies them, store.ts writes the result.
import type { PersonChange } from "./person-change.js";
import type { NewTask } from "./summary.js";
import type { IndexRow, Status, TaskId } from "./task.js";

/** One change, with the state it expects. A change that no longer holds is refused, never forced. */
export type Change =
  /** Takes a task in hand: status `doing`, `attempts` + 1; removes the completion marker. Refused unless its status is `expect`. */
  | { op: "claim"; id: TaskId; expect: Status }
  /** Takes back the count of its last claim: no agent tried it. */
  | { op: "uncount"; id: TaskId }
  /**
   * Done: keeps `result` and `files`, clears `blockers`; `meta.verified` is true when the gate passed, else it goes. Refused
   * unless `doing`.
   */
  | { op: "finish"; id: TaskId; result: string; files: readonly string[]; verified: boolean }
  /** Gives it up, with the reasons. Refused when done. */
  | { op: "block"; id: TaskId; blockers: readonly string[] }
  /** Puts a status back (a skipped task). Refused when done. */
  | { op: "return"; id: TaskId; to: Status }
  /**
   * A done task is to be done again, with the reasons (none: no `blockers`); `meta.verified` goes, and the completion
   * marker. Refused unless done.
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
  /** E.g. a dropped edge of a new task. */
  warnings: string[];
}

/** The changes that others saved since the runner's last look, and how they were handled (contract §4, *Edits during a run*). */
export interface Edits {
  /** Ids of tasks that are new. */
  added: TaskId[];
  /** Ids whose texts changed, or (between attempts) anything else. */
  changed: TaskId[];
  /** Ids of tasks that are gone. */
  removed: TaskId[];
  /** Each part that was put back, in words; empty when every change was accepted. */
  putBack: string[];
  /** Where the other version was copied to, when something was put back. */
  copy?: string;
}

/** A picture of the backlog for step: `rows` in file order, and a digest over them (no times, no texts: the same run gives the same). */
export interface BacklogIndex {
  rows: readonly IndexRow[];
  digest: string;
}
