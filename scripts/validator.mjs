// In the built program, ajv's own standalone code for run.schema.json replaces src/todo/check/meets-schema.ts: compiling the
// schema takes longer than most commands. Leaves the schema to src/todo/check/schema.ts.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { _ } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { replaceFile } from "./replace-file.mjs";

/**
 * @param {string} root
 * @returns {Promise<string>}
 */
async function codeOf(root) {
  /** @type {unknown} */
  const schema = JSON.parse(await readFile(path.join(root, "run.schema.json"), "utf8"));
  const ajv = new Ajv2020({
    formats: { "date-time": () => true },
    strictTuples: false,
    allowUnionTypes: true,
    // Only yes or no is asked.
    messages: false,
    code: { source: true, esm: true, formats: _`formats` },
  });
  const code = standalone
    .default(ajv, ajv.compile(/** @type {object} */ (schema)))
    .replace(
      /const (\w+) = require\("(ajv\/[^"]+)"\)\.default;/g,
      'import $1Of from "$2.js";const $1=$1Of.default;',
    );
  return `import { isDateTime } from "../model/date-time.js";
const formats = { "date-time": isDateTime };
${code}
export const meetsSchema = (value) => validate(value);
`;
}

/** The plugin that puts it there. */
export const standaloneValidator = (/** @type {string} */ root) =>
  replaceFile("src/todo/check/meets-schema.ts", () => codeOf(root));
