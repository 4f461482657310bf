// Holds the output of a stage against its schema: one that Looper brings, or a project's own. Leaves the shapes to outputs.ts,
// and finding the schema of a project to the floor of the settings.
import { Ajv2020, type ErrorObject, type Options } from "ajv/dist/2020.js";
import { errorMessage } from "../../system/errors.js";
import { err, ok, type Result } from "../../system/result.js";
import { shorten } from "../../system/text/cut.js";
import { nearest } from "../../system/text/nearest.js";
import { isOutputName, outputJsonSchema } from "./outputs.js";
import { isRecord } from "../../system/text/json.js";

/** A schema that outputs are held against. */
export interface OutputSchema {
  name: string;
  /** JSON Schema, for the prompt and for clients that take one. */
  schema: Readonly<Record<string, unknown>>;
  /** Each problem of an output, as a sentence without a full stop; empty: it is valid. */
  problemsOf: (output: unknown) => string[];
}

/** The largest output, in bytes of JSON. */
export const MOST_OUTPUT_BYTES = 1024 * 1024;

/** The most problems that are named. */
const MOST = 20;

/** The schema of an output that Looper brings; `undefined` for another name. */
export function shippedOutputSchema(name: string): OutputSchema | undefined {
  if (!isOutputName(name)) return undefined;
  const schema = outputJsonSchema(name);
  let problemsOf: OutputSchema["problemsOf"] | undefined;
  // Every run that knows a workflow has it, and few hold an output against it.
  const own: OutputSchema = {
    name,
    schema,
    problemsOf: (output) =>
      (problemsOf ??= checkWith(schema, { meta: false, validateSchema: false }))(output),
  };
  return name === "request" ? withRequestRules(own) : own;
}

/** Compiles a JSON Schema (draft 2020-12); the error says why it cannot be used. */
export function compileOutputSchema(name: string, schema: unknown): Result<OutputSchema, string> {
  if (!isRecord(schema)) return err(`a JSON Schema of an output is an object, not ${show(schema)}`);
  try {
    return ok({ name, schema, problemsOf: checkWith(schema) });
  } catch (error) {
    return err(`not a JSON Schema that can be used: ${errorMessage(error)}`);
  }
}

/** Compiles it. Throws when it is not a schema; without `validateSchema` only as far as that keeps it from being compiled. */
function checkWith(
  { $id: _id, $schema: _draft, ...schema }: Readonly<Record<string, unknown>>,
  trusted: Pick<Options, "meta" | "validateSchema"> = {},
): OutputSchema["problemsOf"] {
  // A logger would print to the terminal; formats are for the reader of the schema.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    logger: false,
    validateFormats: false,
    verbose: true,
    ...trusted,
  });
  const validate = ajv.compile(schema);
  return (output) => {
    if (validate(output)) return [];
    const found = [...new Set(toProblems(validate.errors ?? []))];
    const more = found.length - MOST;
    return more > 0 ? [...found.slice(0, MOST), `and ${String(more)} more problems`] : found;
  };
}

/** Rules that JSON Schema could express, but not explain. */
function withRequestRules(own: OutputSchema): OutputSchema {
  return {
    ...own,
    problemsOf: (output) => {
      const problems = own.problemsOf(output);
      if (problems.length > 0 || !isRecord(output)) return problems;
      const { status, questions, clarified_query: query } = output;
      if (status === "clear" && (typeof query !== "string" || query.trim() === ""))
        return ["output.clarified_query is missing; a request with the status clear has it"];
      if (status === "needs_clarification" && (!Array.isArray(questions) || questions.length === 0))
        return ["output.questions is empty; a request with the status needs_clarification has at least one"];
      return [];
    },
  };
}

/** Of a union only what its branches have in common is told: which branch was meant is not known. */
function toProblems(errors: readonly ErrorObject[]): string[] {
  const unions = errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  const isInside = ({ schemaPath }: ErrorObject): boolean =>
    unions.some((union) => schemaPath.startsWith(`${union.schemaPath}/`));
  return errors.filter((error) => !isInside(error)).map(toProblem);
}

function toProblem(error: ErrorObject): string {
  const at = nameOf(error.instancePath);
  const it = `it is ${show(error.data)}`;
  const { params } = error;
  const param = (key: string): unknown => Reflect.get(params, key);
  switch (error.keyword) {
    case "required":
      return `${at}.${String(param("missingProperty"))} is missing`;
    case "enum": {
      const allowed = param("allowedValues");
      const words = Array.isArray(allowed) ? allowed.map((word: unknown) => show(word)) : [];
      const near = typeof error.data === "string" ? nearest(JSON.stringify(error.data), words) : undefined;
      return `${at} must be one of ${words.join(", ")}; ${it}${near === undefined ? "" : `; did you mean ${near}?`}`;
    }
    case "additionalProperties":
      return `${at}.${String(param("additionalProperty"))} is not allowed`;
    default:
      return `${at} ${error.message ?? error.keyword}; ${it}`;
  }
}

/** `/findings/0/text` → `output.findings[0].text`. */
function nameOf(pointer: string): string {
  const keys = pointer.split("/").slice(1);
  const named = keys.map((key) => {
    const plain = key.replaceAll("~1", "/").replaceAll("~0", "~");
    return /^\d+$/u.test(plain) ? `[${plain}]` : `.${plain}`;
  });
  return `output${named.join("")}`;
}

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  return isRecord(value) ? "an object" : shorten(JSON.stringify(value), 60);
}
