// Takes the schema of a task file apart: the progress of tasks in workflows is as long as all the rest, and most files have none.
import type { JsonSchema } from "./schema.js";

/** The schema with any progress allowed. */
export function withoutProgress(schema: JsonSchema): JsonSchema {
  const copy = structuredClone(schema);
  propertiesOfTask(copy)["progress"] = {};
  return copy;
}

/** The schema of a task's progress. */
export function progressPart(schema: JsonSchema): JsonSchema {
  return { ...(propertiesOfTask(schema)["progress"] as JsonSchema), $defs: schema["$defs"] };
}

function propertiesOfTask(schema: JsonSchema): JsonSchema {
  return ["properties", "tasks", "items", "properties"].reduce<JsonSchema>(
    // The path is that of our own schema; a test validates with what is found there.
    (at, key) => at[key] as JsonSchema,
    schema,
  );
}

/** The progress of each task that has one, in a value that meets the rest of the schema. */
export function progressIn(value: unknown): unknown[] {
  const { tasks } = value as { tasks: readonly { progress?: unknown }[] };
  return tasks.flatMap(({ progress }) => (progress === undefined ? [] : [progress]));
}
