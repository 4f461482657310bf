// Generates the published JSON schemas (draft 2020-12) from the zod schemas. shape.ts checks values.
import { z } from "zod";
import { AgentReport, StageReport } from "../model/summary.js";
import { Backlog } from "../model/task.js";
import { isRecord } from "../../system/text/json.js";

export type JsonSchema = Record<string, unknown>;

/** `run.schema.json`: the shape of a task file. */
export function backlogJsonSchema(): JsonSchema {
  return published("run.schema.json", "Looper task file", Backlog);
}

/** `looper/schemas/summary.schema.json`: the shape of an agent's report; unknown keys are ignored. */
export function summaryJsonSchema(): JsonSchema {
  return published("summary.schema.json", "Looper summary", AgentReport);
}

/**
 * For the schema flags of agents' command lines, which demand that every key is required and no other is allowed: an
 * optional key may be null instead. Read each null in the answer as "not given". The schema does not name its draft (claude
 * refuses it), and does not limit texts or numbers (some models' APIs reject that).
 */
export function summaryStrictJsonSchema(): JsonSchema {
  const { $schema: _draft, ...shape } = z.toJSONSchema(AgentReport, { io: "input" });
  return strict(shape);
}

/** The report of a stage of a workflow. `output`: the schema of the stage's output, if it declares one. */
export interface StageShape {
  outcomes: readonly string[];
  output?: JsonSchema;
}

/** The JSON schema of the report of a stage: the summary, the outcome, the output and questions. */
export function stageJsonSchema({ outcomes, output }: StageShape): JsonSchema {
  const { $schema: _draft, ...shape } = z.toJSONSchema(AgentReport, { io: "input" });
  const own = z.toJSONSchema(StageReport, { io: "input" });
  const said = isRecord(own["properties"]) ? own["properties"] : {};
  const summary = isRecord(shape["properties"]) ? shape["properties"] : {};
  const { $schema: _output, $id: _id, ...inner } = output ?? {};
  const properties: JsonSchema = {
    ...summary,
    status: { type: "string", enum: ["done", "blocked", "skipped"] },
    outcome: { ...asSchema(said["outcome"]), type: "string", enum: [...outcomes] },
    ...(output === undefined ? {} : { output: inner }),
    questions: asSchema(said["questions"]),
  };
  return { ...shape, properties };
}

/** The same for schema flags; `undefined` where it cannot be written so: an object of any keys. */
export function stageStrictJsonSchema(shape: StageShape): JsonSchema | undefined {
  const schema = stageJsonSchema(shape);
  return isClosed(schema) ? strict(schema) : undefined;
}

/** Whether every object in it names its keys, and nothing in it refers to a part elsewhere. */
function isClosed(schema: JsonSchema): boolean {
  if ("$ref" in schema || "$defs" in schema || "propertyNames" in schema) return false;
  const { type, properties, items, anyOf } = schema;
  if (type === "object" && !isRecord(properties)) return false;
  if (isRecord(schema["additionalProperties"])) return false;
  const parts = [
    ...(isRecord(properties) ? Object.values(properties) : []),
    ...(isRecord(items) ? [items] : []),
    ...(Array.isArray(anyOf) ? (anyOf as unknown[]) : []),
  ];
  return parts.every((part) => isRecord(part) && Object.keys(part).length > 0 && isClosed(part));
}

function asSchema(value: unknown): JsonSchema {
  return isRecord(value) ? value : {};
}

function published(name: string, title: string, schema: z.ZodType): JsonSchema {
  const { $schema, ...shape } = z.toJSONSchema(schema, { io: "input" });
  return { $schema, $id: `urn:looper:${name}`, title, ...shape };
}

/** Keywords that these clients reject. */
const LIMITS = new Set([
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "pattern",
  "default",
]);

function strict(whole: JsonSchema): JsonSchema {
  const shape: JsonSchema = Object.fromEntries(Object.entries(whole).filter(([key]) => !LIMITS.has(key)));
  const { properties, items, anyOf } = shape;
  if (Array.isArray(anyOf))
    return { ...shape, anyOf: anyOf.map((one: unknown) => (isRecord(one) ? strict(one) : one)) };
  if (isRecord(items)) return { ...shape, items: strict(items) };
  if (!isRecord(properties)) return shape;
  const required: unknown[] = Array.isArray(shape["required"]) ? shape["required"] : [];
  const all: JsonSchema = {};
  for (const [key, property] of Object.entries(properties)) {
    if (!isRecord(property)) continue;
    const inner = strict(property);
    all[key] = required.includes(key) || takesNull(inner) ? inner : { anyOf: [inner, { type: "null" }] };
  }
  return { ...shape, properties: all, required: Object.keys(all), additionalProperties: false };
}

function takesNull({ anyOf }: JsonSchema): boolean {
  return Array.isArray(anyOf) && anyOf.some((one: unknown) => isRecord(one) && one["type"] === "null");
}
