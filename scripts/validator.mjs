// In the built program, ajv's own standalone code for run.schema.json replaces src/todo/check/meets-schema.ts and
// meets-progress.ts: compiling the schema takes longer than most commands. Leaves the schema to src/todo/check/schema.ts.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { _ } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { loadCode } from "./load-code.mjs";
import { replaceFile } from "./replace-file.mjs";

/**
 * @param {string} root
 * @param {(schema: import("../src/todo/check/schema.js").JsonSchema) => unknown} part
 * @param {string} end
 * @returns {Promise<string>}
 */
async function codeOf(root, part, end) {
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
  const wanted = part(/** @type {import("../src/todo/check/schema.js").JsonSchema} */ (schema));
  const code = standalone
    .default(ajv, ajv.compile(/** @type {object} */ (wanted)))
    .replace(
      /const (\w+) = require\("(ajv\/[^"]+)"\)\.default;/g,
      'import $1Of from "$2.js";const $1=$1Of.default;',
    );
  return `import { isDateTime } from "../model/date-time.js";
const formats = { "date-time": isDateTime };
${code}
${end}
`;
}

/** The plugins that put it there. */
export const standaloneValidators = (/** @type {string} */ root) => [
  replaceFile("src/todo/check/meets-schema.ts", async () => {
    const { withoutProgress } = await parts();
    return codeOf(
      root,
      withoutProgress,
      `import { meetsProgress } from "./meets-progress.js";
import { progressIn } from "./progress-part.js";
export const meetsSchema = (value) => validate(value) && progressIn(value).every((one) => meetsProgress(one));`,
    );
  }),
  replaceFile("src/todo/check/meets-progress.ts", async () => {
    const { progressPart } = await parts();
    return codeOf(root, progressPart, "export const meetsProgress = (value) => validate(value);");
  }),
];

async function parts() {
  return /** @type {typeof import("../src/todo/check/progress-part.js")} */ (
    await loadCode("src/todo/check/progress-part.ts")
  );
}
