// Schemas of the answers that `looper workflows` prints with --json: the source of the types and of schemas/cli/.
import { z } from "zod";
import { Workflow } from "../../workflow/workflow.js";

const origin = z.enum(["project", "user", "shipped"]).describe("Where its file is; the nearest one counts");

const problem = z.object({
  line: z.int(),
  column: z.int(),
  message: z.string(),
  suggestion: z.string().optional().describe("What to do"),
});

/** `looper workflows --json`. */
export const WorkflowsAnswer = z.object({
  workflows: z.array(
    z.object({
      name: z.string(),
      about: z.string().optional(),
      origin,
      file: z.string().describe("Absolute"),
      stages: z.array(z.string()).optional(),
      problems: z.array(problem).optional().describe("Why it cannot be used"),
      in_use: z.literal(true).optional().describe("The setting names it"),
    }),
  ),
});
export type WorkflowsAnswer = z.infer<typeof WorkflowsAnswer>;

/** `looper workflows show NAME --json`. */
export const WorkflowsShowAnswer = z.object({
  name: z.string(),
  origin,
  file: z.string().describe("Absolute"),
  digest: z.string().describe("SHA-256 of its content"),
  workflow: Workflow,
  text: z.array(z.string()).describe("A drawing for a terminal, in lines"),
  mermaid: z.string().describe("A drawing as a mermaid diagram"),
});
export type WorkflowsShowAnswer = z.infer<typeof WorkflowsShowAnswer>;

/** `looper workflows copy NAME --json`. */
export const WorkflowsCopyAnswer = z.object({
  name: z.string(),
  from: z.string().describe("Absolute"),
  file: z.string().describe("Absolute"),
  replaced: z.boolean(),
});
export type WorkflowsCopyAnswer = z.infer<typeof WorkflowsCopyAnswer>;

/** `looper workflows check FILE --json`. */
export const WorkflowsCheckAnswer = z.object({
  file: z.string().describe("Absolute"),
  ok: z.boolean(),
  name: z.string().optional(),
  problems: z.array(problem),
});
export type WorkflowsCheckAnswer = z.infer<typeof WorkflowsCheckAnswer>;
