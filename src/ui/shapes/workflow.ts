// Shapes that several answers share about a task in a workflow: where it is, and the question it waits for.
import { z } from "zod";
import { Question } from "../../workflow/progress.js";

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
