// Parts that several events share, or that are long. The events are in events.ts.
import { z } from "zod";
import { RedCheck } from "../../gate/verdict.js";
import { PersonChange } from "../../todo/model/changes/person-change.js";
import { IndexRow, Status, TaskId } from "../../todo/model/task.js";

/** The shape of an event, with a sentence about it. */
export function event<T extends string, S extends z.core.$ZodLooseShape>(type: T, about: string, fields: S) {
  return z.object({ type: z.literal(type), ...fields }).describe(about);
}

/** A problem in the task file. */
export const Problem = z.object({
  rule: z.string(),
  pointer: z.string(),
  line: z.int(),
  column: z.int(),
  message: z.string(),
  suggestion: z.string().optional(),
});

/** The outcome of changes to the backlog; `rows` has the tasks that differ from before. */
export const outcome = {
  updated: z.array(z.object({ id: TaskId, from: Status.optional(), to: Status.optional() })),
  refused: z.array(z.object({ op: z.string(), id: TaskId.optional(), why: z.string() })),
  warnings: z.array(z.string()),
  rows: z.array(IndexRow),
  removed: z.array(TaskId),
  digest: z.string(),
  /** SHA-256 of the task file's bytes afterwards; absent if the file was not read, and in older logs. */
  sha256: z.string().optional(),
  /** Another process saved the task file since it was last read, even if only white space differs. */
  saved: z.literal(true).optional(),
  edits: z
    .object({
      added: z.array(TaskId),
      changed: z.array(TaskId),
      /** Absent in older logs. */
      removed: z.array(TaskId).optional(),
      put_back: z.array(z.string()),
      copy: z.string().optional(),
    })
    .optional(),
  /** Changes by editing commands since the file was last read, in order. */
  heard: z.array(z.object({ at: z.string(), changes: z.array(PersonChange) })).optional(),
};

/** A check of the project that ran before any work. */
export const CheckedCommand = z.object({
  command: z.string(),
  passed: z.boolean(),
  tests: z.int().optional(),
  /** Set if it did not pass; absent in older logs. */
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

/** The last report on the work of an unfinished task. */
export const EarlierResult = z.object({
  task_id: TaskId,
  result: z.string(),
  files: z.array(z.string()),
  /** It is of a stage that changes the tree. */
  work: z.literal(true).optional(),
});

/** An agent that is limited until the time (RFC 3339) that its client named. */
export const ToldPause = z.object({
  agent: z.string(),
  /** The model it was started with, if one was named. */
  model: z.string().optional(),
  reason: z.string(),
  until: z.string(),
});
export type ToldPause = z.infer<typeof ToldPause>;
