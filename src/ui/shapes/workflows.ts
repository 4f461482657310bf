// Schemas of the answers about workflows and questions that are printed with --json, and of what several answers share about a
// task in a workflow: the source of the types and of schemas/cli/.
import { z } from "zod";
import { Workflow } from "../../workflow/workflow.js";
import { Question, SavedWork } from "../../workflow/progress.js";

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

/** Of a task in a workflow; all absent otherwise. */
export const inWorkflow = {
  stage: z.string().optional().describe("The stage of its workflow that it is in; absent outside one"),
  visit: z.int().optional().describe("How many stages it entered so far"),
  question: Question.optional().describe("The open question that it waits for"),
  paused: z.literal(true).optional().describe("A person paused it: no job starts on it"),
};

/** An open question of a task. */
export const OpenQuestionShape = z.object({
  task: z.string(),
  title: z.string(),
  stage: z.string(),
  visit: z.int(),
  question: Question,
  place: z
    .string()
    .optional()
    .describe("Where to read what is decided on: a file, or a command of git's; absent if nothing is shown"),
  paused: z.literal(true).optional(),
});
export type OpenQuestionShape = z.infer<typeof OpenQuestionShape>;

const nullable = z.string().nullable();

/** `looper questions --json`: the open questions, the oldest first. */
export const QuestionsAnswer = z.object({
  file: z.string().describe("Absolute path of the task file"),
  questions: z.array(
    z.object({
      id: z.string().describe("TASK.VISIT, as `looper answer` takes it"),
      task: z.string(),
      title: z.string().describe("Of the task"),
      stage: z.string(),
      visit: z.int(),
      source: Question.shape.source,
      text: z.string(),
      outcomes: z.array(z.string()).describe("The possible answers; empty: any text"),
      asked_at: z.string().describe("RFC 3339"),
      since: z.string().describe("The same as asked_at"),
      deadline: nullable.describe("RFC 3339; null: it waits for ever"),
      on_timeout: nullable.describe("The outcome without an answer by the deadline"),
      edits: nullable.describe("The stage whose output the answer may change"),
      paused: z.boolean().describe("No job starts on the task, whatever the answer"),
      verdict: SavedWork.shape.verdict
        .nullable()
        .describe("The gate's verdict on the work so far; null: there is none, or a stage does not ask"),
      shows: z
        .object({
          what: z.string().describe("A stage, diff or work"),
          sha256: z.string().describe("Of the stage's output; of diff and work the commit"),
          file: nullable.describe("Absolute path of the output, JSON"),
          readable: nullable.describe("Absolute path of the same as Markdown"),
          ref: nullable.describe("The ref of the saved work"),
          commit: nullable,
          base: nullable.describe("The commit that the work is based on"),
        })
        .nullable()
        .describe("The subject of the decision; null: nothing but the text"),
      call: Question.shape.call
        .unwrap()
        .nullable()
        .describe("Of source tool: the call that waits for permission"),
      command: z.string().describe("The command that answers it"),
    }),
  ),
});
export type QuestionsAnswer = z.infer<typeof QuestionsAnswer>;
