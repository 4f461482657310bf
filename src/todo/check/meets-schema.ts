// Whether a value meets run.schema.json. In the built program scripts/validator.mjs puts ajv's standalone code in this file's
// place: what it exports, and takes from others, must stay in step with that.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { isDateTime } from "../model/date-time.js";
import { backlogJsonSchema } from "./schema.js";

let compiled: ValidateFunction | undefined;

/** ajv's answer, yes or no. */
export function meetsSchema(value: unknown): boolean {
  compiled ??= new Ajv2020({ formats: { "date-time": isDateTime }, strictTuples: false }).compile(
    backlogJsonSchema(),
  );
  return compiled(value);
}
