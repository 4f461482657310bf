// The shape of what `looper logs` prints with --json, as a schema: the type, and what is in schemas/cli/.
import { z } from "zod";

/** `looper logs ID --json`. */
export const LogsAnswer = z.object({
  task: z.string(),
  run: z
    .string()
    .nullable()
    .describe("The newest run that worked on the task, or the one that was named; null: none"),
  attempts: z
    .array(
      z.object({
        attempt: z.int().describe("From 1, in that run"),
        agent: z.string(),
        started: z.string().describe("RFC 3339, of the first event of the attempt"),
        stage: z.string().optional().describe("In a workflow: the stage"),
        visit: z.int().optional().describe("How many stages the task had entered"),
        messages: z
          .array(z.object({ at: z.string().describe("RFC 3339"), text: z.string() }))
          .describe("The agent's messages, whole and in order"),
      }),
    )
    .describe("In the order they were made"),
});
export type LogsAnswer = z.infer<typeof LogsAnswer>;
