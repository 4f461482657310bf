// The result of reading a foreign format: drafts of tasks, whose ids and edges are not settled yet. Leaves that to plan.ts.
import type { Status, Task } from "../../model/task.js";

/** A task as its source has it; what is left out gets the value a new task has. */
export interface TaskDraft {
  /** As the source calls it; one that is not valid, or taken, is replaced. */
  id?: string;
  /** In one line; an empty one is replaced by what else says something. */
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
  /** Ids, as the source calls them. */
  dependsOn?: readonly string[];
  /** Anything; kept where it is a date and time as RFC 3339 writes it. */
  createdAt?: unknown;
  updatedAt?: unknown;
  /** Values that no key of a task is for: written to `meta.imported`. */
  kept?: Readonly<Record<string, unknown>>;
  /** Of a task file of our own: keys no other format has. */
  own?: Partial<Pick<Task, "verify" | "agent" | "result" | "attempts" | "meta">>;
}

/** A source that was read. */
export interface Drafted {
  /** The name of the format in words: `a Markdown checklist`. */
  format: string;
  drafts: readonly TaskDraft[];
  /** Sentences about what was not taken over as it stood. */
  notes: readonly string[];
  /** Of a document: how many of its lines no task holds. */
  left?: number;
  /** The project's name. */
  name?: string | undefined;
  /** Values that belong to no task: written to the backlog's `meta.imported`. */
  kept?: Readonly<Record<string, unknown>>;
}
