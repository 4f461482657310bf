// Makes the declarations of the public API, which need no other package: those of api/types/, and the types of events from the
// published schemas. Leaves writing them to build.mjs.
import { readFile } from "node:fs/promises";
import path from "node:path";

/** The schema of each kind of event: our module that a declaration imports it from, and the name of the type. */
const EVENTS = [
  { from: "../../src/chapo/engine/events.js", name: "ChapoEvent", schema: "schemas/cli/chapo.schema.json" },
  { from: "../../src/logging/events/events.js", name: "Sealed", schema: "schemas/event.schema.json" },
];

/** A type longer than this that is used again gets a name of its own. */
const SHORT = 80;

/**
 * The files, not written yet.
 * @param {string} root
 * @param {string} folder where they will be
 */
export async function apiTypes(root, folder) {
  const events = EVENTS.map(async ({ name, schema }) => {
    /** @type {unknown} */
    const parsed = JSON.parse(await readFile(path.join(root, schema), "utf8"));
    return { path: path.join(folder, `${fileOf(name)}.d.ts`), text: declare(name, parsed) };
  });
  const own = ["looper", "chapo", "shared"].map(async (name) => {
    let text = await readFile(path.join(root, "api", "types", `${name}.ts`), "utf8");
    for (const one of EVENTS) text = text.replaceAll(`"${one.from}"`, `"./${fileOf(one.name)}.js"`);
    if (text.includes("../")) throw new Error(`api/types/${name}.ts imports what is not shipped`);
    return { path: path.join(folder, `${name}.d.ts`), text };
  });
  return Promise.all([...events, ...own]);
}

/** @param {string} name */
function fileOf(name) {
  return `${name.toLowerCase()}-type`;
}

/**
 * The declaration of a schema.
 * @param {string} name
 * @param {unknown} schema
 */
export function declare(name, schema) {
  /** @type {Map<string, string>} */
  const named = new Map();
  /** @type {Map<string, number>} */
  const uses = new Map();
  toType(schema, (text) => {
    uses.set(text, (uses.get(text) ?? 0) + 1);
    return text;
  });
  const whole = toType(schema, (text) => {
    if (text.length <= SHORT || (uses.get(plainOf(text, named)) ?? 0) < 2) return text;
    const known = named.get(text) ?? `Shape${String(named.size + 1)}`;
    named.set(text, known);
    return known;
  });
  const shapes = [...named].map(([text, shape]) => `type ${shape} = ${text};\n`);
  return `// Made from the published schema.\n${shapes.join("")}export type ${name} = ${whole};\nexport {};\n`;
}

/**
 * The text with the names of shapes replaced by the shapes.
 * @param {string} text
 * @param {ReadonlyMap<string, string>} named
 * @returns {string}
 */
function plainOf(text, named) {
  const shapes = new Map([...named].map(([shape, name]) => [name, shape]));
  return text.replace(/\bShape\d+\b/g, (name) => plainOf(shapes.get(name) ?? name, named));
}

/**
 * A JSON schema as a TypeScript type. `use` returns the text or a name for it.
 * @param {unknown} schema
 * @param {(text: string) => string} use
 * @returns {string}
 */
function toType(schema, use) {
  if (typeof schema !== "object" || schema === null) return "unknown";
  const {
    anyOf,
    oneOf,
    allOf,
    const: only,
    enum: some,
    type,
    items,
    ...rest
  } = /** @type {Record<string, unknown>} */ (schema);
  const inner = (/** @type {unknown} */ one) => toType(one, use);
  const several = anyOf ?? oneOf;
  if (Array.isArray(several)) return use([...new Set(several.map(inner))].join(" | "));
  if (Array.isArray(allOf)) return allOf.map((one) => `(${inner(one)})`).join(" & ");
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(some)) return use(some.map((one) => JSON.stringify(one)).join(" | "));
  if (type === "array") return use(`readonly (${inner(items)})[]`);
  if (type === "object") return use(toObject(rest, inner));
  const simple = { string: "string", number: "number", integer: "number", boolean: "boolean", null: "null" };
  return typeof type === "string" && type in simple
    ? simple[/** @type {keyof typeof simple} */ (type)]
    : "unknown";
}

/**
 * @param {Record<string, unknown>} schema
 * @param {(schema: unknown) => string} inner
 */
function toObject({ properties = {}, required = [], additionalProperties }, inner) {
  const needed = new Set(/** @type {string[]} */ (required));
  const fields = Object.entries(/** @type {Record<string, unknown>} */ (properties)).map(
    ([name, field]) => `${JSON.stringify(name)}${needed.has(name) ? "" : "?"}: ${inner(field)}`,
  );
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  const isMap = typeof additionalProperties === "object";
  return isMap ? `{ [key: string]: ${inner(additionalProperties)} }` : "{ [key: string]: unknown }";
}
