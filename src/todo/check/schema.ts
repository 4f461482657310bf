// Generates the published JSON schemas (draft 2020-12) from the zod schemas. shape.ts checks values.
import { z } from "zod";
import { AgentReport } from "../model/summary.js";
import { Backlog } from "../model/task.js";

export type JsonSchema = Record<string, unknown>;

/** `run.schema.json`: the shape of a task file. */
export function backlogJsonSchema(): JsonSchema {
  return published("run.schema.json", "Looper task file", Backlog);
}

/** `schemas/summary.schema.json`: the shape of an agent's report; unknown keys are ignored. */
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

function published(name: string, title: string, schema: z.ZodType): JsonSchema {
  const { $schema, ...shape } = z.toJSONSchema(schema, { io: "input" });
  return { $schema, $id: `urn:looper:${name}`, title, ...shape };
}

/** Keywords that these clients reject. */
const LIMITS = new Set(["minLength", "minimum", "maximum", "default"]);

function strict(whole: JsonSchema): JsonSchema {
  const shape: JsonSchema = Object.fromEntries(Object.entries(whole).filter(([key]) => !LIMITS.has(key)));
  const { properties, items } = shape;
  if (isSchema(items)) return { ...shape, items: strict(items) };
  if (!isSchema(properties)) return shape;
  const required: unknown[] = Array.isArray(shape["required"]) ? shape["required"] : [];
  const all: JsonSchema = {};
  for (const [key, property] of Object.entries(properties)) {
    if (!isSchema(property)) continue;
    const inner = strict(property);
    all[key] = required.includes(key) || takesNull(inner) ? inner : { anyOf: [inner, { type: "null" }] };
  }
  return { ...shape, properties: all, required: Object.keys(all), additionalProperties: false };
}

function takesNull({ anyOf }: JsonSchema): boolean {
  return Array.isArray(anyOf) && anyOf.some((one: unknown) => isSchema(one) && one["type"] === "null");
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
