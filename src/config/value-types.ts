// The types that settings have: what each takes, and in its issues what is allowed.
// Leaves which setting takes what to the table.
import { z } from "zod";
import { BYTE_SIZE_PATTERN, parseByteSize } from "./byte-size.js";
import { DURATION_PATTERN, parseDuration } from "./duration.js";

// The messages below complete the sentence "allowed: …".
const someText = "a text that is not empty";
const filled = () => z.string({ error: someText }).min(1, { error: someText });
export const text = filled();
export const path = filled();
export const texts = z.array(text, { error: "a list of texts that are not empty" });
/** A list, or its only item alone. */
export const oneOrMore = z.union([texts, text.transform((one) => [one])], {
  error: "a text that is not empty, or a list of such texts",
});
export const args = z.array(z.string({ error: "a text" }), { error: "a list of texts" });
export const yesNo = z.boolean({ error: "true or false" });
export function wholeNumber(min: number) {
  const error = `a whole number, at least ${String(min)}`;
  return z.int({ error }).min(min, { error });
}

export function oneOf<const T extends readonly [string, ...string[]]>(...values: T) {
  return z.enum(values, { error: values.join(" | ") });
}

const durationRule = "a duration such as 90s, 30m, 2h, 7d or 1d12h, or a number of seconds";
export const duration = z
  .union(
    [z.string().regex(DURATION_PATTERN, { error: durationRule }), z.number().min(0, { error: durationRule })],
    { error: durationRule },
  )
  .transform((value, context) => {
    const ms = parseDuration(value);
    if (ms !== undefined) return ms;
    context.issues.push({ code: "custom", message: durationRule, input: value });
    return z.NEVER;
  });

const byteSizeRule = "a size such as 500MB or 1GB, or a number of bytes";
export const byteSize = z
  .union(
    [
      z.string().regex(BYTE_SIZE_PATTERN, { error: byteSizeRule }),
      z.number().min(0, { error: byteSizeRule }),
    ],
    { error: byteSizeRule },
  )
  .transform((value, context) => {
    const bytes = parseByteSize(value);
    if (bytes !== undefined) return bytes;
    context.issues.push({ code: "custom", message: byteSizeRule, input: value });
    return z.NEVER;
  });

export const dollars = z
  .number({ error: "dollars, more than 0" })
  .positive({ error: "dollars, more than 0" });

export const seconds = z
  .number({ error: "a number of seconds, at least 0" })
  .min(0, { error: "a number of seconds, at least 0" });
