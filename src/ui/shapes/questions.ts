// The schema of the answer that `looper questions` prints with --json.
import { z } from "zod";
import { Question, SavedWork } from "../../workflow/progress.js";

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
