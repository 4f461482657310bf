// Texts of agents and people as parts of a prompt or a document: bounded, and fenced or cleaned so that they cannot pass for a part
// of it. Pure.
import { keepEnd, keepStart, shorten } from "../system/text/cut.js";
import { stripControlSequences } from "../system/text/control-sequences.js";
import { listOf, textOf } from "../system/text/json.js";

/** A block of text that nothing in it can end: the fence is longer than any run of backticks inside. */
export function fenceBlock(text: string, language = "text"): string {
  const ticks = "`".repeat(Math.max(2, longestRun(text)) + 1);
  return `${ticks}${language}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${ticks}`;
}

/** A short text on one line, as inline code that nothing in it can end. */
export function quoteCode(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const longest = longestRun(line);
  const ticks = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${ticks}${space}${line}${space}${ticks}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** The first `most` characters, with a mark that says how many were cut. */
export function cutEnd(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = keepStart(text, most);
  return `${kept}\n${mark(text.length - kept.length)}`;
}

/** The last `most` characters, with a mark that says how many were cut. */
export function cutStart(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = keepEnd(text, most);
  return `${mark(text.length - kept.length)}\n${kept}`;
}

function mark(count: number): string {
  return `[… cut: ${String(count)} characters]`;
}

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
