import { AGENT_NAME, TREE, type Branch } from "./settings.js";
import { z } from "zod";

/** The JSON Schema (draft 2020-12) of a settings file, from the table. */
export function settingsJsonSchema(): Record<string, unknown> {
  const properties = propertiesOf(TREE);
  // `"schedule": "codex"` is what `--schedule codex` is.
  const word = { type: "string", description: "A strategy, or the name of an agent." };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Settings of looper",
    type: "object",
    additionalProperties: false,
    properties: {
      $schema: { type: "string" },
      ...properties,
      schedule: { anyOf: [properties["schedule"], word] },
    },
  };
}

function propertiesOf({ children }: Branch): Record<string, unknown> {
  return Object.fromEntries([...children].map(([key, branch]) => [key, schemaOf(branch)]));
}

function schemaOf(branch: Branch): unknown {
  if (branch.row !== undefined) {
    const { type, doc, default: standard } = branch.row;
    const { $schema: _draft, ...schema } = z.toJSONSchema(type, { io: "input" });
    return { description: doc, ...schema, default: standard };
  }
  const any = branch.children.get("*");
  if (any === undefined)
    return { type: "object", properties: propertiesOf(branch), additionalProperties: false };
  const names = any.row === undefined ? { propertyNames: { pattern: AGENT_NAME.source } } : {};
  return { type: "object", ...names, additionalProperties: schemaOf(any) };
}
