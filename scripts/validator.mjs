// In the built program, ajv's own standalone code for run.schema.json stands in the place of src/todo/meets-schema.ts: to
// compile the schema takes longer than most commands. Leaves what the schema says to src/todo/schema.ts.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { _ } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";

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
  return `import { isDateTime } from "./date-time.js";
const formats = { "date-time": isDateTime };
${code}
export const meetsSchema = (value) => validate(value);
`;
}

/**
 * Puts it there.
 * @param {string} root
 * @returns {import("esbuild").Plugin}
 */
export function standaloneValidator(root) {
  return {
    name: "standalone-validator",
    setup: (build) => {
      build.onLoad({ filter: /\/src\/todo\/meets-schema\.ts$/ }, async () => ({
        contents: await codeOf(root),
        loader: "js",
      }));
    },
  };
}
