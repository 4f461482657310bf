// The backlog's shape: one zod schema is the type, the validator and, through z.toJSONSchema, run.schema.json.
// check.ts has the rules beyond the shape (unique ids, dependencies).
import { z } from "zod";
import { Progress, ProgressRow } from "../../workflow/progress.js";
import { Name } from "../../workflow/workflow.js";
import { isDateTime } from "./date-time.js";
import { STATUSES } from "./status.js";

/** A task's id: not empty, no white space, nothing that is not seen. */
export const TaskId = z
  .string()
  .regex(/^[^\s\p{Cc}\p{Cf}]+$/u, "an id is not empty and has no white space or control characters")
  .brand<"TaskId">();
export type TaskId = z.infer<typeof TaskId>;

export const Status = z.enum(STATUSES);
export type Status = z.infer<typeof Status>;

const strings = z.array(z.string());

// The JSON schema cannot express a refinement; its `format` stands for the same function.
const dateTime = z
  .string()
  .refine(isDateTime, "must be a date and time such as 2026-11-20T21:46:01Z")
  .meta({ format: "date-time" });

export const Task = z.strictObject({
  id: TaskId.describe("Not empty, no white space or control characters, unique"),
  title: z.string().min(1).describe("The task in one line"),
  description: z.string().optional().describe("Why, and what it is about"),
  reference: z.string().optional().describe("Where it comes from: a file, a link, a section"),
  priority: z.int().min(1).max(5).describe("1 comes first"),
  status: Status.describe("Only the runner sets it while it runs"),
  details: z.string().optional().describe("Everything an agent must know to do it"),
  steps: strings.optional().describe("How to do it, one after the other"),
  blockers: strings.optional().describe("Why it is blocked"),
  tags: strings.optional(),
  files: strings.optional().describe("Files it touches; when done: those it changed"),
  depends_on: z.array(TaskId).optional().describe("Ids of tasks that must be done first"),
  verify: strings.optional().describe("Commands that must pass before it counts as done"),
  changes: strings
    .optional()
    .describe("Patterns of tests and configuration that it may change; only people write them"),
  agent: z.string().optional().describe("The agent that is to do it"),
  workflow: Name.optional().describe("The workflow it goes through; otherwise the setting"),
  parent: TaskId.optional().describe("The task that it is a part of; only the runner sets it"),
  progress: Progress.optional().describe(
    "Where it is in its workflow; only the runner and its commands write it",
  ),
  result: z.string().optional().describe("The last agent's report"),
  attempts: z.int().min(0).optional().describe("How often it was tried, over all runs"),
  created_at: dateTime.optional(),
  updated_at: dateTime.optional(),
  meta: z
    .unknown()
    .optional()
    .describe(
      "Anything: kept, never read, save `verdict` (`verified`, `unbroken` or `unverified`) and `accepted`, which are the runner's: what its gate found, and who accepted it",
    ),
});
export type Task = z.infer<typeof Task>;

/** When a task was added, epoch ms; 0 where the file does not say. */
export function bornAt({ created_at: at }: Pick<Task, "created_at">): number {
  return at === undefined ? 0 : Date.parse(at);
}

export const Backlog = z.strictObject({
  $schema: z.string().optional(),
  schema_version: z.literal(1),
  project: z
    .strictObject({
      name: z.string().optional(),
      root: z.string().optional().describe("The folder agents work in, relative to this file"),
    })
    .optional(),
  source_files: strings.describe("Documents the tasks were made from"),
  tasks: z.array(Task),
  meta: z.unknown().optional().describe("Anything: kept, never read"),
});
export type Backlog = z.infer<typeof Backlog>;

/** The fields of a task that `step` sees: never its texts. The log and its index files hold the same fields. */
export const IndexRow = z
  .object({
    id: TaskId,
    status: Status,
    priority: z.int(),
    depends_on: z.array(TaskId),
    agent: z.string().optional(),
    /** It is the completion marker (contract §3.7): known by id or tag, any case. */
    marker: z.literal(true).optional(),
    /** The workflow that the task names itself. */
    workflow: Name.optional(),
    progress: ProgressRow.optional(),
  })
  .meta({ id: "Row" });
export type IndexRow = z.infer<typeof IndexRow>;
