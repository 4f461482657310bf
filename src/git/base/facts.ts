import type { z } from "zod";

/** What a commit of this program's own says in JSON, or `undefined` when it is not of that shape. */
export function readFacts<T>(schema: z.ZodType<T>, text: string): T | undefined {
  const read = schema.safeParse(parseJson(text));
  return read.success ? read.data : undefined;
}

/** The value a JSON text spells, a byte order mark left aside; `undefined` when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}
