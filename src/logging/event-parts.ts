// Parts of events that more than one of them has, or that are long. Leaves the events to events.ts.
import { z } from "zod";
import { RedCheck } from "../gate/verdict.js";
import { PersonChange } from "../todo/model/person-change.js";
import { Status, TaskId } from "../todo/model/task.js";

/** A task as `step` knows it. */
export const Row = z.object({
  id: TaskId,
  status: Status,
  priority: z.int(),
  depends_on: z.array(TaskId),
  agent: z.string().optional(),
  marker: z.literal(true).optional(),
});

/** A problem of the task file. */
export const Problem = z.object({
  rule: z.string(),
  pointer: z.string(),
  line: z.int(),
  column: z.int(),
  message: z.string(),
  suggestion: z.string().optional(),
});

/** What became of changes to the backlog; rows are those that differ from before. */
export const outcome = {
  updated: z.array(z.object({ id: TaskId, from: Status.optional(), to: Status.optional() })),
  refused: z.array(z.object({ op: z.string(), id: TaskId.optional(), why: z.string() })),
  warnings: z.array(z.string()),
  rows: z.array(Row),
  removed: z.array(TaskId),
  digest: z.string(),
  /** SHA-256 of the task file's bytes after it; absent where it was not looked at, and in logs before it was kept. */
  sha256: z.string().optional(),
  /** Others saved the task file since the last look at it, if only other white space. */
  saved: z.literal(true).optional(),
  edits: z
    .object({
      added: z.array(TaskId),
      changed: z.array(TaskId),
      /** Absent in logs before it was told. */
      removed: z.array(TaskId).optional(),
      put_back: z.array(z.string()),
      copy: z.string().optional(),
    })
    .optional(),
  /** What editing commands changed since the last look, in order. */
  heard: z.array(z.object({ at: z.string(), changes: z.array(PersonChange) })).optional(),
};

/** A check of the project before any work. */
export const CheckedCommand = z.object({
  command: z.string(),
  passed: z.boolean(),
  tests: z.int().optional(),
  /** Where it did not pass; absent in older logs. */
  red: RedCheck.optional(),
});
export type CheckedCommand = z.infer<typeof CheckedCommand>;

/** How an agent's process ended. */
export const agentEnd = {
  exit_code: z.int().optional(),
  signal: z.string().optional(),
  unknown_events: z.int().optional(),
  duration_ms: z.number(),
};
