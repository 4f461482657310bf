// The backlog's shape: one zod schema is the type, the validator and, through z.toJSONSchema, run.schema.json.
// Leaves the rules beyond the shape (unique ids, dependencies) to check.ts.
import { z } from "zod";

/** A task's id: not empty, no white space. */
export const TaskId = z.string().regex(/^\S+$/u, "an id is not empty and has no white space").brand<"TaskId">();
export type TaskId = z.infer<typeof TaskId>;

export const STATUSES = ["todo", "doing", "blocked", "done"] as const;
export const Status = z.enum(STATUSES);
export type Status = z.infer<typeof Status>;

const strings = z.array(z.string());
const dateTime = z.string().meta({ format: "date-time" });

export const Task = z.strictObject({
  id: TaskId,
  title: z.string().min(1),
  description: z.string().optional(),
  reference: z.string().optional(),
  priority: z.int().min(1).max(5),
  status: Status,
  details: z.string().optional(),
  steps: strings.optional(),
  blockers: strings.optional(),
  tags: strings.optional(),
  files: strings.optional(),
  depends_on: z.array(TaskId).optional(),
  verify: strings.optional(),
  agent: z.string().optional(),
  result: z.string().optional(),
  attempts: z.int().min(0).optional(),
  created_at: dateTime.optional(),
  updated_at: dateTime.optional(),
  meta: z.unknown().optional(),
});
export type Task = z.infer<typeof Task>;

export const Backlog = z.strictObject({
  $schema: z.string().optional(),
  schema_version: z.literal(1),
  project: z.strictObject({ name: z.string().optional(), root: z.string().optional() }).optional(),
  source_files: strings,
  tasks: z.array(Task),
  meta: z.unknown().optional(),
});
export type Backlog = z.infer<typeof Backlog>;

/** What `step` knows of a task: never its texts. Also what the log's index files hold. */
export interface IndexRow {
  id: TaskId;
  status: Status;
  priority: number;
  depends_on: readonly TaskId[];
  agent?: string;
  /** It is the completion marker (contract §3.7): known by id or tag, any case. */
  marker?: true;
}
