// The shapes of what commands print with --json, as schemas: the type, and what lies in schemas/cli/.
// The events of `run --json` and `tail --json` have their own: schemas/event.schema.json.
import { z } from "zod";
import { Task } from "../todo/task.js";

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

/** `schemas/cli/ls.schema.json`. */
export function listJsonSchema(): unknown {
  return published("looper ls --json", ListAnswer);
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

/** `schemas/cli/doctor.schema.json`. */
export function doctorJsonSchema(): unknown {
  return published("looper doctor --json", DoctorAnswer);
}

/** `schemas/cli/plan.schema.json`. */
export function planJsonSchema(): unknown {
  return published("looper run --dry-run --json", PlanAnswer);
}

function published(title: string, schema: z.ZodType): unknown {
  const { $schema, ...shape } = z.toJSONSchema(schema, { io: "input" });
  return { $schema, title, ...shape };
}
