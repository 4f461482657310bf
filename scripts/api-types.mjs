// Makes the declarations of the public API, which need no other package: those of api/types/, and the types of events from the
// published schemas. Leaves writing them to build.mjs.
import { readFile } from "node:fs/promises";
import path from "node:path";

/** The schema of each kind of event: our module that a declaration imports it from, and the name of the type. */
const EVENTS = [
  { from: "../../src/chapo/engine/events.js", name: "ChapoEvent", schema: "schemas/cli/chapo.schema.json" },
  { from: "../../src/logging/events/events.js", name: "Sealed", schema: "schemas/event.schema.json" },
];

/**
 * The files, not written yet.
 * @param {string} root
 * @param {string} folder where they will be
 * @param {readonly import("./schema-list.js").PublishedSchema[]} published
 */
export async function apiTypes(root, folder, published) {
  const events = EVENTS.map(({ name, schema }) => {
    const made = published.find((one) => one.path === schema)?.make();
    return { path: path.join(folder, `${fileOf(name)}.d.ts`), text: declare(name, made) };
  });
  const own = ["looper", "chapo", "shared"].map(async (name) => {
    let text = await readFile(path.join(root, "api", "types", `${name}.ts`), "utf8");
    for (const one of EVENTS) text = text.replaceAll(`"${one.from}"`, `"./${fileOf(one.name)}.js"`);
    if (text.includes("../")) throw new Error(`api/types/${name}.ts imports what is not shipped`);
    return { path: path.join(folder, `${name}.d.ts`), text };
  });
  return [...events, ...(await Promise.all(own))];
}

/** @param {string} name */
function fileOf(name) {
  return `${name.toLowerCase()}-type`;
}

/**
 * The declaration of a schema: its parts under $defs have their names.
 * @param {string} name
 * @param {unknown} schema
 */
function declare(name, schema) {
  const { $defs = {}, ...whole } = /** @type {{ $defs?: Record<string, unknown> }} */ (schema);
  const parts = Object.entries($defs).map(([part, shape]) => `type ${part} = ${toType(shape)};\n`);
  return `// Made from the published schema.\n${parts.join("")}export type ${name} = ${toType(whole)};\nexport {};\n`;
}

/**
 * A JSON schema as a TypeScript type.
 * @param {unknown} schema
 * @returns {string}
 */
function toType(schema) {
  if (typeof schema !== "object" || schema === null) return "unknown";
  const {
    $ref,
    anyOf,
    oneOf,
    allOf,
    const: only,
    enum: some,
    type,
    items,
    ...rest
  } = /** @type {Record<string, unknown>} */ (schema);
  if (typeof $ref === "string") return $ref.replace("#/$defs/", "");
  const several = anyOf ?? oneOf;
  if (Array.isArray(several)) return [...new Set(several.map(toType))].join(" | ");
  if (Array.isArray(allOf)) return allOf.map((one) => `(${toType(one)})`).join(" & ");
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(some)) return some.map((one) => JSON.stringify(one)).join(" | ");
  if (type === "array") return `readonly (${toType(items)})[]`;
  if (type === "object") return toObject(rest);
  const simple = { string: "string", number: "number", integer: "number", boolean: "boolean", null: "null" };
  return typeof type === "string" && type in simple
    ? simple[/** @type {keyof typeof simple} */ (type)]
    : "unknown";
}

/** @param {Record<string, unknown>} schema */
function toObject({ properties = {}, required = [], additionalProperties }) {
  const needed = new Set(/** @type {string[]} */ (required));
  const fields = Object.entries(/** @type {Record<string, unknown>} */ (properties)).map(
    ([name, field]) => `${JSON.stringify(name)}${needed.has(name) ? "" : "?"}: ${toType(field)}`,
  );
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  const isMap = typeof additionalProperties === "object";
  return isMap ? `{ [key: string]: ${toType(additionalProperties)} }` : "{ [key: string]: unknown }";
}
