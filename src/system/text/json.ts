// Parses JSON that may be broken. Leaves the shape of the value, and the place of a mistake in a file, to the callers.
import { errorMessage } from "../errors.js";
import { err, ok, type Result } from "../result.js";

/** A text or its UTF-8 bytes, with or without a byte order mark; `undefined` for a missing file. */
type JsonText = string | Uint8Array | undefined;

/** The value of a JSON text; `undefined` when it is not JSON. */
export function parseJson(text: JsonText): unknown {
  const parsed = tryParseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

/** The value of a JSON text, or the parser's message. */
export function tryParseJson(text: JsonText): Result<unknown, string> {
  try {
    const decoded = typeof text === "string" ? text.replace(/^\uFEFF/, "") : new TextDecoder().decode(text);
    return ok(JSON.parse(decoded));
  } catch (error) {
    return err(errorMessage(error));
  }
}

/** Whether a value is a JSON object: no list, and not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object, or an empty one in place of anything else. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** The member as a text; "" if there is none. */
export function textOf(value: unknown, key: string): string {
  const text = asRecord(value)[key];
  return typeof text === "string" ? text : typeof text === "number" ? String(text) : "";
}

/** The member as a list; a single text is a list of one. */
export function listOf(value: unknown, key: string): readonly unknown[] {
  const list = asRecord(value)[key];
  if (Array.isArray(list)) return list;
  return typeof list === "string" && list.trim() !== "" ? [list] : [];
}
