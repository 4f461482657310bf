// The types that settings have: each a zod schema with its own words for what is allowed.
import { z } from "zod";
import { DURATION_PATTERN, parseDuration } from "../../system/text/duration.js";

const someText = "a text that is not empty";
export const filled = (rule: string) => z.string(rule).min(1, rule);
export const text = filled(someText);
/** A type of its own: its values are paths. */
export const path = filled(someText);
export const anyText = z.string("a text");
export const texts = z.array(text, "a list of texts that are not empty");
export const args = z.array(anyText, "a list of texts");
export const yesNo = z.boolean("true or false");
export const seconds = least(0, "a number of seconds, at least 0");
export const dollars = z.number("dollars, more than 0").gt(0, "dollars, more than 0");
export const WEB_ADDRESS = /^https?:\/\/[^\s/]/;
export const url = matching(WEB_ADDRESS, "a URL that begins with http:// or https://");

/** A list, or its only item alone. */
export function oneOrMore(rule: string) {
  return z.union([texts, text.transform((one) => [one])], rule);
}
export const commands = oneOrMore("a text that is not empty, or a list of such texts");

const hookRule = "a text that is not empty, or a list of such words";
const hookList = z.array(
  z.union([text, z.array(text, hookRule).min(1, hookRule)], hookRule),
  "a command line, or a list of command lines and of lists of words",
);
/** Hooks: each a line for the shell, or the words of a command; or a single line alone. */
export const hooks = z
  .union([hookList, text])
  .transform((given) => (typeof given === "string" ? [given] : given));

export function least(min: number, rule: string) {
  return z.number(rule).min(min, rule);
}

/** `otherwise`: what to use instead of a smaller one. */
export function wholeNumber(min: number, otherwise?: string) {
  const rule = `a whole number, at least ${String(min)}`;
  const whole = otherwise === undefined ? rule : `${rule} (${otherwise})`;
  return z.int(whole).min(min, whole);
}

export function between(min: number, max: number) {
  const rule = `a number from ${String(min)} to ${String(max)}`;
  return z.number(rule).min(min, rule).max(max, rule);
}

export function wholeBetween(min: number, max: number) {
  const rule = `a whole number from ${String(min)} to ${String(max)}`;
  return z.int(rule).min(min, rule).max(max, rule);
}

export function matching(pattern: RegExp, rule: string) {
  return z.string(rule).regex(pattern, rule);
}

export function oneOf<const T extends readonly [string, ...string[]]>(...values: T) {
  return z.enum(values, values.join(" | "));
}

export const yesNoAuto = z.union([yesNo, oneOf("auto")], "true, false or auto");

/** A number, or a text with a unit. */
function amount(pattern: RegExp, parse: (value: string | number) => number | undefined, rule: string) {
  return z.union([matching(pattern, rule), least(0, rule)], rule).transform((value, issues) => {
    const parsed = parse(value);
    if (parsed === undefined) issues.addIssue(rule);
    return parsed ?? z.NEVER;
  });
}

/** In milliseconds. */
export const duration = amount(
  DURATION_PATTERN,
  parseDuration,
  "a duration such as 90s, 30m, 2h, 7d or 1d12h, or a number of seconds",
);

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };
/** `500MB`, `1.5 GB`, or a bare number of bytes. */
const BYTE_SIZE_PATTERN = /^(\d+(?:\.\d+)?) ?(B|KB|MB|GB)?$/i;

/** A spelled size, or a number of bytes, in whole bytes; `undefined` for anything else. A KB is 1024 bytes. */
export function parseByteSize(value: string | number): number | undefined {
  const [, number, unit = "B"] = BYTE_SIZE_PATTERN.exec(String(value)) ?? [];
  const bytes = Math.round(Number(number) * (UNITS[unit.toUpperCase()] ?? 1));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** In bytes. */
export const byteSize = amount(
  BYTE_SIZE_PATTERN,
  parseByteSize,
  "a size such as 500MB or 1GB, or a number of bytes",
);

/** The value of a setting, or its first fault: where it is, and what is allowed there. */
export type ReadValue =
  | { ok: true; value: unknown }
  | { ok: false; path: readonly PropertyKey[]; allowed: string };

export function readValue(type: z.ZodType, raw: unknown): ReadValue {
  const read = type.safeParse(raw);
  if (read.success) return { ok: true, value: read.data };
  const [issue] = read.error.issues;
  // A union without words of its own leaves them to the alternative that was read the furthest.
  const isWordless = issue?.code === "invalid_union" && issue.message === "Invalid input";
  const fault = isWordless ? furthest(issue.errors) : issue;
  return { ok: false, path: fault?.path ?? [], allowed: fault?.message ?? "" };
}

function furthest(errors: readonly (readonly z.core.$ZodIssue[])[]): z.core.$ZodIssue | undefined {
  const faults = errors.flatMap(([first]) => first ?? []);
  return faults.find(({ path: at }) => at.length > 0) ?? faults[0];
}

/** How a variable or a flag spells it, where only texts can be given. */
export type WrittenAs = "text" | "number" | "truth" | "list" | "other";

export function writtenAs(type: z.core.$ZodType): WrittenAs {
  if (type instanceof z.ZodString) return "text";
  if (type instanceof z.ZodNumber) return "number";
  if (type instanceof z.ZodBoolean) return "truth";
  if (type instanceof z.ZodArray) return "list";
  if (type instanceof z.ZodPipe) return writtenAs(type.in);
  if (!(type instanceof z.ZodUnion)) return "other";
  const each = type.options.map(writtenAs);
  return each.find((one) => one === "list" || one === "truth") ?? "other";
}

/** The words, where only some will do. */
export function choicesOf(type: z.core.$ZodType): readonly string[] | undefined {
  if (type instanceof z.ZodPipe) return choicesOf(type.in);
  return type instanceof z.ZodEnum ? type.options.map(String) : undefined;
}
