// The report of an agent at the end of a step: the only thing that may change a backlog.
import { z } from "zod";

export const NewTask = z.object({
  id: z.string().optional().describe("Taken if it is valid and free"),
  title: z.string().min(1).describe("The task in one line"),
  description: z.string().optional(),
  reference: z.string().optional(),
  priority: z.int().min(1).max(5).optional().describe("1 comes first; 3 unless given"),
  details: z.string().optional(),
  steps: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  files: z.array(z.string()).optional(),
  depends_on: z
    .array(z.string())
    .optional()
    .describe("Ids of tasks that must be done first, new ones among them"),
  verify: z.array(z.string()).optional(),
  agent: z.string().optional(),
});
export type NewTask = z.infer<typeof NewTask>;

/** Unknown keys are ignored. A `task_id` that is null or absent means the task that the agent was given. */
export const Summary = z.object({
  task_id: z
    .string()
    .nullable()
    .default(null)
    .describe("The id of the task that was given; null, empty or left out means that task"),
  status: z.enum(["done", "blocked", "skipped", "reviewed"]),
  summary: z.string().optional().describe("The work that was done, or why none was"),
  files: z.array(z.string()).optional().describe("Files that were changed"),
  blockers: z.array(z.string()).optional().describe("When blocked: what is in the way"),
  new_tasks: z.array(NewTask).optional().describe("Tasks that turned out to be needed"),
});
export type Summary = z.infer<typeof Summary>;

/** The fields that a report of a workflow's stage has besides. */
export const StageReport = z.object({
  outcome: z.string().optional().describe("The stage's outcome"),
  output: z.unknown().optional().describe("The stage's output, by its schema"),
  questions: z
    .array(z.string())
    .optional()
    .describe("Questions to a person; the stage is done again with the answers"),
});
export type StageReport = z.infer<typeof StageReport>;

/** A report as agents write it: the summary, and what the runner keeps apart from it. */
export const AgentReport = Summary.extend({
  changes_checks: z
    .string()
    .optional()
    .describe("Why the task needs a change to existing tests or configuration; empty if it does not"),
});
export type AgentReport = z.infer<typeof AgentReport>;

/** A report as agents write it in a stage of a workflow. */
export const StageAgentReport = AgentReport.extend(StageReport.shape);
export type StageAgentReport = z.infer<typeof StageAgentReport>;
