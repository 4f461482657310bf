// The result of reading a foreign format: drafts of tasks. plan.ts gives them ids and edges.
import type { Status, Task } from "../../model/task.js";

/** A task as its source has it; absent values become those of a new task. */
export interface TaskDraft {
  /** The source's id; replaced if it is not valid or taken. */
  id?: string;
  /** In one line; an empty title is replaced by another text of the task. */
  title: string;
  status?: Status;
  priority?: number;
  description?: string | undefined;
  reference?: string | undefined;
  details?: string | undefined;
  steps?: readonly string[] | undefined;
  blockers?: readonly string[] | undefined;
  tags?: readonly string[] | undefined;
  files?: readonly string[] | undefined;
  /** Ids of the source. */
  dependsOn?: readonly string[];
  /** Any value; kept if it is a date and time in RFC 3339. */
  createdAt?: unknown;
  updatedAt?: unknown;
  /** Values without a key of their own; written to `meta.imported`. */
  kept?: Readonly<Record<string, unknown>>;
  /** Keys that only Looper's own task files have. */
  own?: Partial<Pick<Task, "verify" | "changes" | "agent" | "result" | "attempts" | "meta">>;
}

/** A source that was read. */
export interface Drafted {
  /** The name of the format in words: `a Markdown checklist`. */
  format: string;
  drafts: readonly TaskDraft[];
  /** Notes on values that were changed or left out. */
  notes: readonly string[];
  /** For a document: the number of its lines that are not in a task. */
  left?: number;
  /** The project's name. */
  name?: string | undefined;
  /** Values that do not belong to a task; written to the backlog's `meta.imported`. */
  kept?: Readonly<Record<string, unknown>>;
}
