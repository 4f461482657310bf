// The changes a backlog can take, as data: step asks for them, update.ts applies them, store.ts writes the result.
import type { Answer, Question, SavedWork, Spent, StageOutput } from "../../../workflow/progress.js";
import type { PersonChange } from "./person-change.js";
import type { NewTask } from "../summary.js";
import type { IndexRow, Status, TaskId } from "../task.js";
import type { Verdict } from "../verified.js";

/** One change, with the state it expects. A change that no longer holds is refused, never forced. */
export type Change =
  /**
   * Takes a task in hand: status `doing`, `attempts` + 1; removes the completion marker. Refused unless its status is `expect`, and
   * while it is paused or has a question (L22).
   */
  | { op: "claim"; id: TaskId; expect: Status }
  /** Subtracts the attempt of its last claim, because no agent tried it. */
  | { op: "uncount"; id: TaskId }
  /**
   * Begins the task's workflow at its first stage (or the row's `restart`), visit 1; outputs, answers and notes of an earlier
   * pass stay, its work only for a `restart`. Refused while the task is in a stage, unless that is `to` and its question is missing.
   */
  | { op: "enter"; id: TaskId; workflow: string; digest: string; to: string; ask?: AskedQuestion }
  /** Moves the task from the stage and visit it is in to another. Refused if it is elsewhere (L19). */
  | Advance
  /**
   * Marks it done: keeps `result` and `files`, clears `blockers`; `meta.verdict` becomes the verdict on its work.
   * Refused unless `doing`.
   */
  | { op: "finish"; id: TaskId; result: string; files: readonly string[]; verdict: Verdict }
  /** Marks it blocked, with the reasons. Refused when done. */
  | { op: "block"; id: TaskId; blockers: readonly string[] }
  /** Restores an earlier status (of a skipped task). Refused when done. */
  | { op: "return"; id: TaskId; to: Status }
  /**
   * Reopens a done task, with the reasons as its `blockers`; removes `meta.verdict` and the completion marker. Refused
   * unless done.
   */
  | { op: "reopen"; id: TaskId; to: "todo" | "doing"; blockers: readonly string[] }
  /** Appends an agent's new tasks as `todo` (contract §4, `new_tasks[]`); removes the completion marker if any was added. */
  | { op: "add"; tasks: readonly NewTask[]; keepVerify: boolean }
  /** Appends the completion marker. Refused unless every task is done. */
  | { op: "mark-complete" };

/** A question as `step` asks it; the store adds its id, its time and the digest of what it shows. */
export type AskedQuestion = Omit<Question, "id" | "asked_at" | "shows"> & { shows?: string };

/** The end of a visit, as one change of the row. */
export interface Advance {
  op: "advance";
  id: TaskId;
  expect: { stage: string; visit: number };
  outcome: string;
  /** The next stage, `finish` or `block`; the same stage again is a new visit too. */
  to: string;
  /** `todo` where the work was shelved or the task waits for no one; `blocked` with a question; else `doing`. */
  status: Status;
  /** The question of the ask stage that is entered, or of an agent. */
  ask?: AskedQuestion;
  /** The open question is taken: its answer becomes one of `answers`. `automatic`: it is answered here, by a setting or a timeout. */
  takes?: { automatic?: Omit<Answer, "question"> };
  output?: StageOutput;
  /** `null`: the saved work is dropped. */
  work?: SavedWork | null;
  /** Added to what the stage and the task used. */
  spent?: Spent;
  /** The answer holds for the rest of the task. */
  grant?: true;
  /** Why the task is given up. */
  reasons?: readonly string[];
}

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
