// The parts of a run's state that belong to the stages of workflows. state.ts has the rest.
import type { ToldEvent } from "../../../logging/events/told-events.js";
import type { Advance, Change } from "../../../todo/model/changes/change.js";
import type { IndexRow, TaskId } from "../../../todo/model/task.js";
import type { SavedWork, Spent } from "../../../workflow/progress.js";

/**
 * The kind of a job, which decides about its activities. `attempt` is the one stage of the workflow `default`, from the claim to
 * the commit; `draft` is a draft or a repair of the backlog, and `rescue` only saves what earlier attempts left in the tree.
 * The others are visits of stages: `deliver` and `give-up` are the two ends, `discard` drops the changes of a stage that a
 * person rejected, and `shelve` takes the work of a paused task out of the tree.
 */
export type Route = "attempt" | "review" | "draft" | "rescue" | VisitRoute;

type VisitRoute = "work" | "analyze" | "check" | "deliver" | "give-up" | "discard" | "shelve";

/** The run's memory of a task's visit; an advance begins it anew. */
export interface VisitMemory {
  /** Failed attempts whose agent failed. */
  errors: number;
  /** The usage of attempts in this visit that did not end it. */
  spent: Spent;
}

/** The text of a task's commit. `work`: it is the report of a stage that changes the tree. */
export interface TaskResult {
  result: string;
  files: readonly string[];
  work?: true | undefined;
}

/** How a visit ends: the changes of the row, and the lines of the log that follow once they are made. */
export interface VisitEnd {
  outcome: string;
  /** The first of them gets the output, the work and the usage of the visit. */
  advances: readonly Advance[];
  /** Changes that come with them, such as new tasks of the agent. */
  more: readonly Change[];
  notes: readonly ToldEvent[];
  /** The gate's verdict on the saved work. */
  verdict?: SavedWork["verdict"];
  /** The count of attempts continues: the agent skipped the task, or it was paused. */
  keepsCount?: true;
  /** For the next attempt's prompt, where the task is sent back. */
  evidence?: { reason: string; evidence: string };
}

/** A row that is moved without a job. */
export interface PlannedMove {
  id: TaskId;
  notes: readonly ToldEvent[];
  /** As it was when the move was decided. */
  row: IndexRow;
}
