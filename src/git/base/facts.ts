import type { z } from "zod";
import { parseJson } from "../../system/text/json.js";

/** What a commit of this program's own says in JSON, or `undefined` when it is not of that shape. */
export function readFacts<T>(schema: z.ZodType<T>, text: string): T | undefined {
  const read = schema.safeParse(parseJson(text));
  return read.success ? read.data : undefined;
}
