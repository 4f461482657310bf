import { AGENT_NAME, SETTINGS } from "./settings.js";
import { z } from "zod";

interface ObjectSchema {
  type: "object";
  properties?: Record<string, unknown>;
  propertyNames?: unknown;
  additionalProperties: unknown;
}

/** The JSON Schema (draft 2020-12) of a settings file, from the table. */
export function settingsJsonSchema(): Record<string, unknown> {
  const rows = new Map(
    Object.entries(SETTINGS).map(([key, row]) => [key.split("."), leafSchema(row)] as const),
  );
  const { properties, ...rest } = objectSchema(rows);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Settings of looper",
    ...rest,
    properties: { $schema: { type: "string" }, ...properties, schedule: orWord(properties?.["schedule"]) },
  };
}

/** `"schedule": "codex"` is what `--schedule codex` is. */
function orWord(schedule: unknown): unknown {
  return { anyOf: [schedule, { type: "string", description: "A strategy, or the name of an agent." }] };
}

function leafSchema(row: { type: z.ZodType; doc: string; default?: unknown }): unknown {
  const { $schema: _draft, ...schema } = z.toJSONSchema(row.type, { io: "input" });
  return { description: row.doc, ...schema, ...(row.default === undefined ? {} : { default: row.default }) };
}

function objectSchema(rows: ReadonlyMap<readonly string[], unknown>): ObjectSchema {
  const below = new Map<string, Map<readonly string[], unknown>>();
  for (const [[head = "", ...rest], leaf] of rows) {
    below.set(head, (below.get(head) ?? new Map<readonly string[], unknown>()).set(rest, leaf));
  }
  const children = new Map([...below].map(([key, inner]) => [key, childSchema(inner)]));
  const any = children.get("*");
  if (any === undefined) {
    return { type: "object", properties: Object.fromEntries(children), additionalProperties: false };
  }
  const isLeaf = [...(below.get("*")?.keys() ?? [])].some((path) => path.length === 0);
  const names = isLeaf ? {} : { propertyNames: { pattern: AGENT_NAME.source } };
  return { type: "object", ...names, additionalProperties: any };
}

function childSchema(inner: ReadonlyMap<readonly string[], unknown>): unknown {
  const leaf = [...inner].find(([path]) => path.length === 0);
  return leaf === undefined ? objectSchema(inner) : leaf[1];
}
