// The shapes of what commands print with --json, as schemas: the type, and what lies in schemas/cli/.
// The events of `run --json` and `tail --json` have their own: schemas/event.schema.json.
import { z } from "zod";
import { Ending } from "../logging/events.js";
import { Status, Task } from "../todo/task.js";

/** `looper ls --json`. Tasks in the order they will be taken, grouped todo, doing, blocked, done. */
export const ListAnswer = z.object({
  file: z.string().describe("Absolute path of the task file"),
  tasks: z.array(
    Task.extend({
      ready: z.boolean().describe("Not done, and nothing it waits for"),
      waits_for: z.array(z.string()).describe("Those of depends_on that are not done"),
      verified: z.boolean().describe("It is done, and the gate proved it"),
    }),
  ),
});
export type ListAnswer = z.infer<typeof ListAnswer>;

/** `--json` of `add`, `set`, `block`, `todo`, `done` and `rm`. */
export const EditAnswer = z.object({
  file: z.string().describe("Absolute path of the task file"),
  changed: z.array(
    z.object({
      id: z.string(),
      from: Status.nullable().describe("Its status before; null for a new task"),
      to: Status.nullable().describe("Its status now; null for one that is removed"),
    }),
  ),
  tasks: z.array(Task).describe("Those that changed, as they are now"),
  run: z.string().nullable().describe("The run that goes on, and was told"),
});
export type EditAnswer = z.infer<typeof EditAnswer>;

/** `looper why ID --json`: of a run that begins now. Lists are in the order of selection, and empty where they say nothing. */
export const WhyAnswer = z.object({
  task: z.string(),
  status: Status,
  answer: z.enum(["done", "next", "behind", "waits"]),
  before: z.array(z.string()).describe("Tasks that are ready and come before it"),
  waits_for: z.array(z.string()).describe("Its own dependencies that are not done"),
  first: z.array(z.string()).describe("What all of this waits for in the end, and could be taken"),
});
export type WhyAnswer = z.infer<typeof WhyAnswer>;

/** `looper runs --json`. The newest first. */
export const RunsAnswer = z.object({
  runs: z.array(
    z.object({
      run: z.string(),
      folder: z.string().describe("Absolute path of its log's folder"),
      started: z.string().nullable().describe("RFC 3339; null where it was killed before its first line"),
      state: z.enum(["running", "ended", "killed"]),
      ending: Ending.nullable().describe("Null unless it ended"),
      done: z.int().nullable().describe("Tasks it did; null unless it ended, as all that follow"),
      tasks: z.int().nullable(),
      iterations: z.int().nullable(),
      duration_ms: z.number().nullable().describe("Until its last line, of one that did not end"),
      tokens: z.int().nullable().describe("Input, cached input and output together"),
      cost_usd: z.number().nullable().describe("Null where it is not known"),
    }),
  ),
});
export type RunsAnswer = z.infer<typeof RunsAnswer>;

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

/** `looper fmt --json`. */
export const FmtAnswer = z.object({
  file: z.string().describe("Absolute path of the task file"),
  canonical: z.boolean().describe("It was in canonical form"),
  written: z.boolean().describe("It is now"),
  text: z.string().describe("The canonical form"),
});
export type FmtAnswer = z.infer<typeof FmtAnswer>;

/** `looper validate --json`. */
export const ValidateAnswer = z.object({
  ok: z.boolean(),
  problems: z.array(
    z.object({
      rule: z.string(),
      pointer: z.string().describe("JSON pointer; empty for the whole file"),
      line: z.int().describe("From 1"),
      column: z.int().describe("From 1, in UTF-16 code units"),
      message: z.string(),
      suggestion: z.string().nullable(),
    }),
  ),
});
export type ValidateAnswer = z.infer<typeof ValidateAnswer>;

/** `looper replay --json`. */
export const ReplayAnswer = z.discriminatedUnion("same", [
  z.object({ same: z.literal(true), run: z.string(), decisions: z.int() }),
  z.object({
    same: z.literal(false),
    run: z.string(),
    seq: z.int().describe("The first line of the log that differs"),
    difference: z.string(),
  }),
]);
export type ReplayAnswer = z.infer<typeof ReplayAnswer>;

/** `looper replay --tree --json`. */
export const ReplayTreeAnswer = z.object({
  same: z.boolean().describe("Nothing differs, and all of it was replayed"),
  run: z.string(),
  decisions: z.int().optional().describe("How many are the same; absent where something differs"),
  commits: z.int().describe("Commits whose trees are the same"),
  backlogs: z.int().describe("Changes after which the task file held the same bytes"),
  gates: z.int().optional().describe("Verdicts that are the same; only with --gate"),
  notes: z.array(z.string()).describe("What others did meanwhile, taken over from the repository"),
  seq: z.int().optional().describe("The first line of the log that differs"),
  difference: z.string().optional(),
  stopped: z
    .object({ seq: z.int(), why: z.string() })
    .optional()
    .describe("The line from which on only decisions could be compared"),
});
export type ReplayTreeAnswer = z.infer<typeof ReplayTreeAnswer>;

/** `looper capsule --json`. */
export const CapsuleAnswer = z.object({
  file: z.string().describe("Absolute path of what was written"),
  run: z.string(),
  bytes: z.int(),
  lines: z.int().describe("Lines of the log in it"),
  indexes: z.int().describe("Index files in it"),
  decisions: z.int().optional().describe("How many replay the same from it; absent where one differs"),
  difference: z.string().optional(),
  names_left: z
    .boolean()
    .describe("The user's name was replaced in paths only: it means something else there as well"),
});
export type CapsuleAnswer = z.infer<typeof CapsuleAnswer>;

/** `looper replay --at SEQ --json`. */
export const ReplayAtAnswer = z.object({
  run: z.string(),
  seq: z.int().describe("The event that was decided on: this line, or the last one before it that decides"),
  event: z.string().describe("Its type"),
  because: z.looseObject({ rule: z.string() }),
  effects: z.array(z.looseObject({ kind: z.string() })),
  state: z.looseObject({ phase: z.string() }).describe("The state after it"),
});
export type ReplayAtAnswer = z.infer<typeof ReplayAtAnswer>;

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

/** Something that was put aside. */
export const RescueFactsAnswer = z.object({
  id: z.string().describe("The run's id, a slash, and the label"),
  at: z.string().describe("RFC 3339, UTC"),
  task: z.string().optional(),
  why: z.enum(["given-up", "review", "put-back", "commits", "before"]),
  files: z.int(),
  commit: z.string(),
  ref: z.string(),
});
export type RescueFactsAnswer = z.infer<typeof RescueFactsAnswer>;

/** `looper rescue --json`, newest first. */
export const RescueListAnswer = z.object({ rescues: z.array(RescueFactsAnswer) });
export type RescueListAnswer = z.infer<typeof RescueListAnswer>;

/** `looper rescue show ID --json`. */
export const RescueShowAnswer = RescueFactsAnswer.extend({
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
    left: z.array(z.string()).describe("Other repositories: only their commit is kept"),
  }),
  z.object({
    ok: z.literal(false),
    id: z.string(),
    clashes: z
      .array(z.object({ path: z.string(), why: z.enum(["differs", "ignored", "folder"]) }))
      .describe("What is in the way; nothing was changed"),
  }),
]);
export type RescueRestoreAnswer = z.infer<typeof RescueRestoreAnswer>;

/** `looper rescue drop ID… --json`. */
export const RescueDropAnswer = z.object({
  dropped: z.array(z.object({ id: z.string(), commit: z.string() })),
});
export type RescueDropAnswer = z.infer<typeof RescueDropAnswer>;

/** `looper run --dry-run --json`. */
export const PlanAnswer = z.union([
  z.object({
    task: z.string(),
    title: z.string(),
    agent: z.string(),
    prompt: z.string(),
    steps: z
      .array(z.object({ task: z.string(), title: z.string(), agent: z.string() }))
      .describe("All that would follow if every attempt succeeded, this one first"),
  }),
  z.object({ nothing: z.string().describe("Why nothing would be started") }),
]);
export type PlanAnswer = z.infer<typeof PlanAnswer>;

const UndoneTask = z.object({
  task: z.string(),
  title: z.string(),
  commit: z.string().nullable().describe("The commit that is taken back; null: the task has none"),
});

const undoing = {
  task: z.string().describe("The task that was named"),
  undone: z.array(UndoneTask).describe("That task first, then those that depend on it, newest first"),
  paths: z.array(z.string()).describe("What is changed back, from the top of the repository"),
  reopened: z.array(z.string()).describe("Tasks that are to do again"),
  warnings: z.array(z.string()),
};

/** `looper undo --json`. */
export const UndoAnswer = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z.literal("undone"),
    ...undoing,
    commit: z.string().nullable().describe("The commit on top; null: there was nothing to commit"),
    gate: z.object({
      verdict: z
        .enum(["passed", "failed", "none", "untrusted", "interrupted"])
        .describe("Of verify.commands, run afterwards; none: there are none"),
      commands: z.array(
        z.object({
          command: z.string(),
          passed: z.boolean(),
          end: z.enum(["exited", "killed", "timed-out", "not-found"]),
          exit_code: z.int().optional(),
          duration_ms: z.number(),
          tail: z.string().describe("The end of what it printed"),
        }),
      ),
    }),
  }),
  z.object({ outcome: z.literal("planned"), ...undoing }),
  z.object({
    outcome: z.literal("refused"),
    task: z.string(),
    why: z.enum(["dependents", "conflicts", "changes", "in-hand", "interrupted"]),
    tasks: z
      .array(z.object({ task: z.string(), title: z.string() }))
      .describe("Done tasks that depend on it, or tasks in hand"),
    paths: z.array(z.string()).describe("Paths in conflict, or with changes that no commit holds"),
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

/** `schemas/cli/ls.schema.json`. */
export function listJsonSchema(): unknown {
  return published("looper ls --json", ListAnswer);
}

/** `schemas/cli/edit.schema.json`. */
export function editJsonSchema(): unknown {
  return published("looper add, set, block, todo, done, rm --json", EditAnswer);
}

/** `schemas/cli/why.schema.json`. */
export function whyJsonSchema(): unknown {
  return published("looper why --json", WhyAnswer);
}

/** `schemas/cli/runs.schema.json`. */
export function runsJsonSchema(): unknown {
  return published("looper runs --json", RunsAnswer);
}

/** `schemas/cli/config.schema.json`. */
export function configJsonSchema(): unknown {
  return published("looper config --json", ConfigAnswer);
}

/** `schemas/cli/fmt.schema.json`. */
export function fmtJsonSchema(): unknown {
  return published("looper fmt --json", FmtAnswer);
}

/** `schemas/cli/validate.schema.json`. */
export function validateJsonSchema(): unknown {
  return published("looper validate --json", ValidateAnswer);
}

/** `schemas/cli/replay.schema.json`. */
export function replayJsonSchema(): unknown {
  return published("looper replay --json", ReplayAnswer);
}

/** `schemas/cli/replay-at.schema.json`. */
export function replayAtJsonSchema(): unknown {
  return published("looper replay --at SEQ --json", ReplayAtAnswer);
}

/** `schemas/cli/replay-tree.schema.json`. */
export function replayTreeJsonSchema(): unknown {
  return published("looper replay --tree --json", ReplayTreeAnswer);
}

/** `schemas/cli/capsule.schema.json`. */
export function capsuleJsonSchema(): unknown {
  return published("looper capsule --json", CapsuleAnswer);
}

/** `schemas/cli/doctor.schema.json`. */
export function doctorJsonSchema(): unknown {
  return published("looper doctor --json", DoctorAnswer);
}

/** `schemas/cli/plan.schema.json`. */
export function planJsonSchema(): unknown {
  return published("looper run --dry-run --json", PlanAnswer);
}

/** `schemas/cli/undo.schema.json`. */
export function undoJsonSchema(): unknown {
  return published("looper undo --json", UndoAnswer);
}

/** `schemas/cli/rescue-list.schema.json`. */
export function rescueListJsonSchema(): unknown {
  return published("looper rescue --json", RescueListAnswer);
}

/** `schemas/cli/rescue-show.schema.json`. */
export function rescueShowJsonSchema(): unknown {
  return published("looper rescue show ID --json", RescueShowAnswer);
}

/** `schemas/cli/rescue-restore.schema.json`. */
export function rescueRestoreJsonSchema(): unknown {
  return published("looper rescue restore ID --json", RescueRestoreAnswer);
}

/** `schemas/cli/rescue-drop.schema.json`. */
export function rescueDropJsonSchema(): unknown {
  return published("looper rescue drop ID --json", RescueDropAnswer);
}

function published(title: string, schema: z.ZodType): unknown {
  const { $schema, ...shape } = z.toJSONSchema(schema, { io: "input" });
  return { $schema, title, ...shape };
}
