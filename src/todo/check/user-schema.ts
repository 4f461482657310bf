// Compiles a further JSON Schema that the task file must meet (`schema_file`, `--schema`), in the draft that its `$schema`
// names. shape.ts has Looper's own schema.
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { errorMessage } from "../../system/errors.js";
import { err, ok, type Result } from "../../system/result.js";
import { withoutRunnerKeys } from "./runner-keys.js";
import { show, type UnplacedProblem } from "../model/problem.js";

/** Finds the places where a value violates a user's schema. */
export type UserSchema = (value: unknown) => UnplacedProblem[];

/** Compiles a user's schema; the error explains in a sentence why it cannot be used. */
export function compileUserSchema(schema: unknown): Result<UserSchema, string> {
  if (typeof schema !== "boolean" && (typeof schema !== "object" || schema === null || Array.isArray(schema)))
    return err(`a JSON Schema is an object, not ${show(schema)}`);
  try {
    const validate = compile(schema);
    // A schema need not know the keys that the runner writes, but it may demand them.
    return ok((value) =>
      validate(value) || validate(withoutRunnerKeys(value)) ? [] : (validate.errors ?? []).map(toProblem),
    );
  } catch (error) {
    return err(errorMessage(error));
  }
}

function compile(schema: object | boolean): ValidateFunction {
  // A logger would print to the terminal.
  const options: Options = { strict: false, allErrors: true, logger: false };
  const named: unknown = typeof schema === "object" && "$schema" in schema ? schema.$schema : undefined;
  const draft = typeof named === "string" ? named : "";
  const ajv = draft.includes("draft-07")
    ? new Ajv(options)
    : draft.includes("2019-09")
      ? new Ajv2019(options)
      : new Ajv2020(options);
  formats.default(ajv);
  return ajv.compile(schema);
}

function toProblem(error: ErrorObject): UnplacedProblem {
  const extra = error.keyword === "additionalProperties" ? unknownProperty(error) : {};
  return {
    rule: "schema",
    pointer: error.instancePath,
    message: `${error.message ?? error.keyword} (${error.schemaPath})`,
    suggestion: null,
    ...extra,
  };
}

/** ajv points at the object; a person looks for the key. */
function unknownProperty(error: ErrorObject): Partial<UnplacedProblem> {
  const key: unknown = Reflect.get(error.params, "additionalProperty");
  if (typeof key !== "string") return {};
  const pointer = `${error.instancePath}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return { pointer, atKey: true, message: `the key ${show(key)} is not allowed (${error.schemaPath})` };
}
