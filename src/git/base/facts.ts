import type { z } from "zod";
import { parseJson } from "../../system/text/json.js";

/** Parses the JSON in the message of a commit that this program made; `undefined` if it does not match the schema. */
export function readFacts<T>(schema: z.ZodType<T>, text: string): T | undefined {
  const read = schema.safeParse(parseJson(text));
  return read.success ? read.data : undefined;
}
