// Whether a JSON Schema is the one that the Go program writes into each project: it is built in here. Pure.
import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../system/text/json.js";

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const TIME = { type: "string", format: "date-time" };

/** Of a task; later versions of the Go program know more keys. */
const TASK_KEYS: Readonly<Record<string, unknown>> = {
  id: TEXT,
  title: { type: "string", minLength: 1 },
  description: TEXT,
  reference: TEXT,
  priority: { type: "integer", minimum: 1, maximum: 5 },
  status: { type: "string", enum: ["todo", "doing", "blocked", "done"] },
  details: TEXT,
  steps: TEXTS,
  blockers: TEXTS,
  tags: TEXTS,
  files: TEXTS,
  depends_on: TEXTS,
  created_at: TIME,
  updated_at: TIME,
};

const ROOT_KEYS: Readonly<Record<string, unknown>> = {
  schema_version: { type: "integer", const: 1 },
  source_files: TEXTS,
};

/** One that asks for more than that, or for anything else, is the user's own. */
export function isGoSchema(bytes: Uint8Array | undefined): boolean {
  const schema = parseJson(bytes);
  const { properties, ...root } = shape(schema, ["schema_version", "source_files", "tasks"]);
  if (root.isStrange || !isFields(properties)) return false;
  const { project, tasks, ...rest } = properties;
  if (!isFields(tasks) || tasks["type"] !== "array" || Object.keys(tasks).length !== 2) return false;
  const task = shape(tasks["items"], ["id", "title", "priority", "status"]);
  return (
    !task.isStrange &&
    known(task.properties, TASK_KEYS) &&
    known(rest, ROOT_KEYS) &&
    (project === undefined || known(shape(project, []).properties, { name: TEXT, root: TEXT }))
  );
}

/** Reads an object's schema; `isStrange`: it differs from the Go program's. */
function shape(schema: unknown, required: readonly string[]): { properties: unknown; isStrange: boolean } {
  if (!isFields(schema)) return { properties: undefined, isStrange: true };
  const { properties, $schema: _draft, $id: _id, title: _title, ...rest } = schema;
  const { type, additionalProperties, required: needs, ...more } = rest;
  const isStrange =
    type !== "object" ||
    additionalProperties !== false ||
    !isDeepStrictEqual(needs ?? [], required) ||
    Object.keys(more).length > 0;
  return { properties, isStrange };
}

function known(properties: unknown, table: Readonly<Record<string, unknown>>): boolean {
  return (
    isFields(properties) &&
    Object.entries(properties).every(([key, value]) => isDeepStrictEqual(value, table[key]))
  );
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
