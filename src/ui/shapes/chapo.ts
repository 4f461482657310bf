// Schemas of the lists that `looper chapo` prints with --json: the source of the types and of schemas/cli/.
import { z } from "zod";

/** `looper chapo prompts --json`: each prompt's text by its name. */
export const ChapoPromptsAnswer = z.record(z.string(), z.string());
export type ChapoPromptsAnswer = z.infer<typeof ChapoPromptsAnswer>;

const Pending = z.object({
  call: z.string(),
  tool: z.string().describe("The canonical name"),
  agent: z.string(),
  args: z.unknown().describe("The exact arguments"),
  preview: z.string().describe("The diff or the exact command"),
  because: z.string().describe("Why a person is asked; the end of a sentence"),
  asked_at: z.string().describe("RFC 3339"),
  again: z.enum(["changed", "may_have_run"]).nullable().describe("Why it is asked again"),
});
export type PendingShape = z.infer<typeof Pending>;

/** `looper chapo pending --json`: the calls that wait for an answer, those of the newest session first. */
export const ChapoPendingAnswer = z.object({
  pending: z.array(Pending.extend({ session: z.string() })),
});
export type ChapoPendingAnswer = z.infer<typeof ChapoPendingAnswer>;

/** `looper chapo undo SESSION --json` */
export const ChapoUndoAnswer = z.object({
  session: z.string(),
  message: z.string().describe("The first line of the message whose changes were taken back"),
  paths: z.array(z.string()).describe("The files that went back"),
  rescue: z.string().nullable().describe("The rescue that holds what was replaced"),
});
export type ChapoUndoAnswer = z.infer<typeof ChapoUndoAnswer>;

/** `looper chapo sessions --json`. The newest first. */
export const ChapoSessionsAnswer = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      created: z.string().describe("RFC 3339"),
      changed: z.string().describe("RFC 3339"),
      state: z
        .enum(["idle", "running", "waiting_for_user", "completed", "error", "interrupted"])
        .describe("interrupted: its process was killed while it ran"),
      question: z.string().nullable().describe("The question that the conversation waits for"),
      pending: Pending.nullable().describe("The call that waits for an answer"),
      title: z.string().describe("The first words of the user"),
      messages: z.int(),
      iterations: z.int().describe("Turns of the model"),
      tokens: z.int().describe("Input, cached input and output together"),
      cost_usd: z.number().nullable().describe("Null where it is not known"),
      children: z.array(z.string()).describe("Conversations of its sub-agents, in its folder's children/"),
    }),
  ),
  broken: z.array(z.object({ id: z.string(), why: z.string() })).describe("Those that cannot be read"),
});
export type ChapoSessionsAnswer = z.infer<typeof ChapoSessionsAnswer>;

/** `looper chapo tools --json`. */
export const ChapoToolsAnswer = z.object({
  tools: z.array(
    z.object({
      name: z.string().describe("The canonical name"),
      offered_as: z
        .array(z.string())
        .describe("The names that the model is shown, in the vocabulary that is set"),
      agent: z.string().describe("The agent that makes the call unless the model names one"),
      description: z.string(),
      parameters: z.record(z.string(), z.unknown()).describe("A JSON schema"),
      asks_first: z.boolean().describe("In the trust mode that is set, without a rule that says otherwise"),
    }),
  ),
});
export type ChapoToolsAnswer = z.infer<typeof ChapoToolsAnswer>;
