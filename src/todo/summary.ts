// What an agent reports at the end of a step: the only thing that may change a backlog.
import { z } from "zod";

export const NewTask = z.object({
  id: z.string().optional(),
  title: z.string().min(1),
  description: z.string().optional(),
  reference: z.string().optional(),
  priority: z.int().min(1).max(5).optional(),
  details: z.string().optional(),
  steps: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  files: z.array(z.string()).optional(),
  depends_on: z.array(z.string()).optional(),
  verify: z.array(z.string()).optional(),
  agent: z.string().optional(),
});
export type NewTask = z.infer<typeof NewTask>;

/** Unknown keys are ignored. `task_id: null` means the task that was given. */
export const Summary = z.object({
  task_id: z.string().nullable(),
  status: z.enum(["done", "blocked", "skipped", "reviewed"]),
  summary: z.string().optional(),
  files: z.array(z.string()).optional(),
  blockers: z.array(z.string()).optional(),
  new_tasks: z.array(NewTask).optional(),
});
export type Summary = z.infer<typeof Summary>;
