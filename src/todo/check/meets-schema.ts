// Whether a value meets run.schema.json. In the built program, scripts/validator.mjs replaces this file by ajv's standalone
// code: keep its imports and exports in step with that script.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { isDateTime } from "../model/date-time.js";
import { meetsProgress } from "./meets-progress.js";
import { progressIn, withoutProgress } from "./progress-part.js";
import { backlogJsonSchema } from "./schema.js";

let compiled: ValidateFunction | undefined;

/** Whether ajv accepts the value. */
export function meetsSchema(value: unknown): boolean {
  compiled ??= new Ajv2020({
    formats: { "date-time": isDateTime },
    strictTuples: false,
    allowUnionTypes: true,
  }).compile(withoutProgress(backlogJsonSchema()));
  return compiled(value) && progressIn(value).every((one) => meetsProgress(one));
}
