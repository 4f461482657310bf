// Whether a value meets the part of run.schema.json about the progress of a task in a workflow. In the built program,
// scripts/validator.mjs replaces this file by ajv's standalone code: keep its imports and exports in step with that script.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { isDateTime } from "../model/date-time.js";
import { progressPart } from "./progress-part.js";
import { backlogJsonSchema } from "./schema.js";

let compiled: ValidateFunction | undefined;

/** Whether ajv accepts the value. */
export function meetsProgress(value: unknown): boolean {
  compiled ??= new Ajv2020({
    formats: { "date-time": isDateTime },
    strictTuples: false,
    allowUnionTypes: true,
  }).compile(progressPart(backlogJsonSchema()));
  return compiled(value);
}
