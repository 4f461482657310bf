// Schemas of the answers that commands about the project, releases and `looper chapo` print with --json: the source of the types
// and of schemas/cli/.
import { z } from "zod";

/** `looper config --json`; with `get` one setting, with `path` the files alone. */
export const ConfigAnswer = z.object({
  project: z.string().describe("Absolute path of the project's folder"),
  files: z.array(z.object({ owner: z.enum(["user", "project"]), path: z.string(), exists: z.boolean() })),
  settings: z.array(
    z.object({
      key: z.string(),
      value: z.unknown().describe("As a file would spell it; secrets are replaced"),
      layer: z.enum(["default", "user", "project", "env", "flag"]),
      where: z.string().describe("A file and line, a variable, or empty for a default"),
    }),
  ),
});
export type ConfigAnswer = z.infer<typeof ConfigAnswer>;

/** `looper doctor --json`. */
export const DoctorAnswer = z.object({
  ok: z.boolean().describe("Nothing is an error"),
  checks: z.array(
    z.object({
      name: z.string(),
      status: z.enum(["ok", "warning", "error"]),
      message: z.string(),
      remedy: z.string().optional(),
    }),
  ),
});
export type DoctorAnswer = z.infer<typeof DoctorAnswer>;

/** `looper init --json`. */
export const InitAnswer = z.object({
  project: z.string().describe("Absolute path of the project's folder"),
  files: z.array(
    z.object({
      path: z.string().describe("Absolute"),
      did: z.enum(["written", "replaced", "extended", "kept"]),
      copy: z.string().optional().describe("Where what was there was copied to"),
    }),
  ),
  tasks: z.int().describe("In the task file now"),
  imported: z
    .object({
      from: z.string(),
      format: z.string(),
      left: z.int().optional().describe("Lines of a document that no task holds"),
    })
    .nullable(),
  notes: z.array(z.string()).describe("Differences from what was intended, one sentence each"),
  next: z.array(z.string()).describe("Commands to type next"),
});
export type InitAnswer = z.infer<typeof InitAnswer>;

/** `looper completion SHELL --json`. */
export const CompletionAnswer = z.object({
  shell: z.enum(["bash", "zsh", "fish"]),
  script: z.string().describe("The script for the shell to read"),
});
export type CompletionAnswer = z.infer<typeof CompletionAnswer>;

const wanted = z.string().nullable().describe("patch, minor, major or a version; null: the agent chooses");

/** `looper push --json`. */
export const PushAnswer = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z
      .enum(["released", "made", "not-released"])
      .describe("made: commit and tag are here, and not pushed; not-released: the tree is as before"),
    from: z.string().nullable(),
    version: z.string().nullable(),
    tag: z.string().nullable(),
    commit: z.string().nullable(),
    pushed: z.boolean(),
    published: z.string().nullable().describe("The address of the release on GitHub"),
    problems: z.array(z.string()).describe("Why it went no further"),
    rescue: z.string().nullable().describe("The ref that keeps what was put back"),
    warnings: z.array(z.string()),
    run: z.string(),
  }),
  z.object({
    outcome: z.literal("planned"),
    from: z.string().nullable(),
    wanted,
    last_tag: z.string().nullable(),
    commits: z.int().describe("Since the last tag"),
    version_file: z.string().nullable().describe("The file whose version is read"),
    changelog: z.string().nullable(),
    branch: z.string(),
    remote: z.string().nullable().describe("The name of the remote that it is pushed to"),
    checks: z.array(z.string()),
    agent: z.string(),
    prompt: z.string(),
  }),
]);
export type PushAnswer = z.infer<typeof PushAnswer>;

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
