// Schemas of the answers that `undo` and `rescue` print with --json: the source of the types and of schemas/cli/.
import { z } from "zod";

/** Something that was put aside. */
export const RescueShape = z.object({
  id: z.string().describe("The run's id, a slash, and the label"),
  at: z.string().describe("RFC 3339, UTC"),
  task: z.string().optional(),
  why: z.enum(["given-up", "dropped", "review", "draft", "put-back", "commits", "before"]),
  files: z.int(),
  commit: z.string(),
  ref: z.string(),
});
export type RescueShape = z.infer<typeof RescueShape>;

/** `looper rescue --json`, newest first. */
export const RescueListAnswer = z.object({
  rescues: z.array(RescueShape),
  saved: z
    .array(
      z.object({
        task: z.string(),
        stage: z.string(),
        visit: z.int(),
        at: z.string().describe("RFC 3339"),
        commit: z.string(),
        ref: z.string(),
      }),
    )
    .optional()
    .describe("The saved work of tasks in workflows, which their next stage continues from"),
});
export type RescueListAnswer = z.infer<typeof RescueListAnswer>;

/** `looper rescue show ID --json`. */
export const RescueShowAnswer = RescueShape.extend({
  paths: z.array(z.string()),
  staged: z.array(z.string()).describe("Paths whose bytes were staged and in no file"),
  diff: z.string().describe("As git prints it"),
});
export type RescueShowAnswer = z.infer<typeof RescueShowAnswer>;

/** `looper rescue restore ID --json`. */
export const RescueRestoreAnswer = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    id: z.string(),
    restored: z.array(z.string()),
    already: z.array(z.string()).describe("Paths that were as the rescue has them"),
    left: z.array(z.string()).describe("Other repositories: the rescue does not hold their files"),
    task: z.string().nullable().describe("The task that is in hand again with this work; null: files alone"),
  }),
  z.object({
    ok: z.literal(false),
    id: z.string(),
    clashes: z
      .array(z.object({ path: z.string(), why: z.enum(["differs", "ignored", "folder"]) }))
      .describe("Paths that prevent it; nothing was changed"),
  }),
]);
export type RescueRestoreAnswer = z.infer<typeof RescueRestoreAnswer>;

/** `looper rescue drop ID… --json`. */
export const RescueDropAnswer = z.object({
  dropped: z.array(z.object({ id: z.string(), commit: z.string() })),
});
export type RescueDropAnswer = z.infer<typeof RescueDropAnswer>;

const UndoneTask = z.object({
  task: z.string(),
  title: z.string(),
  commit: z.string().nullable().describe("The commit that is taken back; null: the task has none"),
});

const undoing = {
  task: z.string().describe("The task that was named"),
  undone: z.array(UndoneTask).describe("That task first, then those that depend on it, newest first"),
  paths: z.array(z.string()).describe("Paths that are changed back, from the top of the repository"),
  created: z.array(z.string()).describe("Of these paths, those that the tasks created"),
  modified: z.array(z.string()),
  deleted: z.array(z.string()),
  reopened: z.array(z.string()).describe("Tasks that are to do again"),
  warnings: z.array(z.string()),
};

/** `looper undo --json`. */
export const UndoAnswer = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z.literal("undone"),
    ...undoing,
    commit: z.string().nullable().describe("The commit on top; null: there was nothing to commit"),
  }),
  z.object({ outcome: z.literal("planned"), ...undoing }),
  z.object({
    outcome: z
      .enum(["would-take-back", "declined", "taken-back"])
      .describe("Of the work of a task that is not done; would-take-back: --dry-run"),
    ...undoing,
    rescue: z.string().optional().describe("The id under which its work is kept"),
  }),
  z.object({
    outcome: z.literal("refused"),
    task: z.string(),
    why: z.enum(["dependents", "conflicts", "changes", "foreign", "in-hand", "interrupted"]),
    tasks: z
      .array(z.object({ task: z.string(), title: z.string() }))
      .describe("Done tasks that depend on it, or tasks in hand"),
    paths: z
      .array(z.string())
      .describe("Paths in conflict, with changes that no commit holds, or that others changed too"),
    conflicts: z.array(
      z.object({
        path: z.string(),
        later: z
          .array(z.object({ commit: z.string(), title: z.string(), task: z.string().optional() }))
          .describe("Commits that changed it since, newest first"),
      }),
    ),
  }),
]);
export type UndoAnswer = z.infer<typeof UndoAnswer>;
