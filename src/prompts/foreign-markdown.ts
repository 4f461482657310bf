// Texts of agents and people as parts of a Markdown document: on one line or in paragraphs, bounded, and unable to pass for
// a part of the document. Pure.
import { stripControlSequences } from "../system/text/control-sequences.js";
import { keepStart, shorten } from "../system/text/cut.js";
import { isRecord } from "../system/text/json.js";
import { quoteCode } from "./text.js";

const LINE_MOST = 500;
const TEXT_MOST = 16_000;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** A text on one line of at most 500 characters. */
export function toLine(text: string, most = LINE_MOST): string {
  const line = stripControlSequences(text).replaceAll(/\s+/gu, " ").replaceAll(CONTROL, "").trim();
  return shorten(line, most);
}

/** A text of several lines. None of them begins a heading, a fence, a rule or a comment. */
export function toParagraphs(text: string, most = TEXT_MOST): string {
  const clean = stripControlSequences(text).replaceAll("\r\n", "\n").replaceAll(CONTROL, "").trim();
  const cut = clean.length <= most ? clean : `${keepStart(clean, most).trimEnd()} […]`;
  return cut
    .split("\n")
    .map((line) => line.trimEnd().replace(/^(\s*)(#|```|~~~|---|===|\*\*\*|___|<)/u, "$1\\$2"))
    .join("\n")
    .replaceAll(/\n{3,}/gu, "\n\n");
}

/** A path or command as inline code. */
export function toCode(text: string): string {
  return quoteCode(toLine(text));
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

/** The texts of a list; of an object in it, its first text. */
export function textsOf(value: unknown, key: string): string[] {
  return listOf(value, key)
    .map((one) => {
      if (typeof one === "string") return one;
      const named = ["text", "title", "item", "name", "path"].map((name) => textOf(one, name));
      return named.find((text) => text !== "") ?? "";
    })
    .filter((text) => text.trim() !== "");
}
