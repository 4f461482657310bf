import type { z } from "zod";
import { parseJson } from "../../system/text/json.js";
import { toText } from "./bytes.js";

/** Parses the JSON that ends the message (bytes) of a commit of this program; `undefined` if it does not match the schema. */
export function readMessage<T>(schema: z.ZodType<T>, message: string): T | undefined {
  return readFacts(schema, toText(message.slice(message.indexOf("{", message.indexOf("\n\n")))));
}

/** Parses JSON that this program wrote; `undefined` if it does not match the schema. */
export function readFacts<T>(schema: z.ZodType<T>, text: string): T | undefined {
  const read = schema.safeParse(parseJson(text));
  return read.success ? read.data : undefined;
}
