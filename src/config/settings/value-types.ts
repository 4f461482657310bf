// The types that settings have: what each takes, and what it says is allowed. Leaves how a type reads to value-type.ts, and
// which setting takes what to the table.
import { BYTE_SIZE_PATTERN, parseByteSize } from "./byte-size.js";
import { DURATION_PATTERN, parseDuration } from "../../system/text/duration.js";
import {
  eitherType,
  listType,
  convertWith,
  numberType,
  textType,
  truthType,
  wordType,
} from "./value-type.js";

// The messages below complete the sentence "allowed: …".
const someText = "a text that is not empty";
export const text = textType(someText, { filled: true });
export const path = textType(someText, { filled: true });
export const anyText = textType("a text");
export const texts = listType(text, "a list of texts that are not empty");
/** A list, or its only item alone. */
export const oneOrMore = eitherType(
  "a text that is not empty, or a list of such texts",
  texts,
  convertWith(text, (one) => [one], someText),
  "list",
);
const hookRule = "a text that is not empty, or a list of such words";
const hookList = listType(
  eitherType(hookRule, text, listType(text, hookRule, { least: 1 })),
  "a command line, or a list of command lines and of lists of words",
);
/** Hooks: each a line for the shell, or the words of a command; or a single line alone. */
export const hooks: typeof hookList = {
  ...hookList,
  read: (raw) => hookList.read(typeof raw === "string" ? [raw] : raw),
  schema: { anyOf: [hookList.schema, text.schema] },
};
export const args = listType(anyText, "a list of texts");
export const yesNo = truthType("true or false");
/** `otherwise`: what to use instead of a smaller one. */
export function wholeNumber(min: number, otherwise?: string) {
  const rule = `a whole number, at least ${String(min)}`;
  return numberType(otherwise === undefined ? rule : `${rule} (${otherwise})`, { min, whole: true });
}

export function oneOf<const T extends readonly [string, ...string[]]>(...values: T) {
  return wordType<T[number]>(values, values.join(" | "));
}

export const yesNoAuto = eitherType("true, false or auto", yesNo, oneOf("auto"), "truth");

const durationRule = "a duration such as 90s, 30m, 2h, 7d or 1d12h, or a number of seconds";
export const duration = convertWith(
  eitherType(
    durationRule,
    textType(durationRule, { pattern: DURATION_PATTERN }),
    numberType(durationRule, { min: 0 }),
  ),
  parseDuration,
  durationRule,
);

const byteSizeRule = "a size such as 500MB or 1GB, or a number of bytes";
export const byteSize = convertWith(
  eitherType(
    byteSizeRule,
    textType(byteSizeRule, { pattern: BYTE_SIZE_PATTERN }),
    numberType(byteSizeRule, { min: 0 }),
  ),
  parseByteSize,
  byteSizeRule,
);

export const dollars = numberType("dollars, more than 0", { above: 0 });

export const seconds = numberType("a number of seconds, at least 0", { min: 0 });
