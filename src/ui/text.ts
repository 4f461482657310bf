// Text on its way to a terminal: cleaned of what could steer it, measured and cut in columns. Pure.
import { stripVTControlCharacters } from "node:util";

/** Control characters, line and paragraph separators, and marks that turn the direction of text around. */
const STEERING = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A quick test: matches text that may need cleaning, which most texts do not. */
const UNTIDY = /[^ -~]| {2}|^ | $/;

/** Text of others, in one line: without control sequences, white space as single spaces. */
export function clean(text: string): string {
  if (!UNTIDY.test(text)) return text;
  return stripVTControlCharacters(text).replace(STEERING, " ").replace(/\s+/gu, " ").trim();
}

/** Text of others with its white space as it is: each character that could steer the terminal becomes a space. */
export function withoutSteering(text: string): string {
  return text.replace(STEERING, (found) => " ".repeat(found.length));
}

/** The same for each of several lines; what a line begins with, like `now:  `, keeps its room. */
export function cleanLines(text: string): string[] {
  return text.split("\n").map((line) => {
    const head = /^\w+: +/.exec(line)?.[0] ?? "";
    return head + clean(line.slice(head.length));
  });
}

/** Characters without a width or a shape: two texts that differ in them look the same. */
const INVISIBLE =
  /[\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]+/gu;

/** Text of others in its lines, with their room and tabs; what could steer the terminal is shown as `\\u001b`, not hidden. */
export function showBlock(text: string): string[] {
  return text.split(/\r?\n/).map((line) =>
    line
      .split("\t")
      .map((part) => part.replace(STEERING, escapeAll))
      .join("\t")
      .trimEnd(),
  );
}

/** The same for a text that a person decides about: characters that cannot be seen are shown as escapes too. */
export function showExactly(text: string): string[] {
  return showBlock(text.replace(INVISIBLE, escapeAll));
}

function escapeAll(found: string): string {
  return Array.from(found, (char) => {
    const hex = (char.codePointAt(0) ?? 0).toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
  }).join("");
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const PLAIN = /^[\u0020-\u007e]*$/;

/** Made for the first text that is not plain: it takes 5 ms. */
let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

function widthOfGrapheme(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) || EMOJI.test(grapheme) ? 2 : 1;
}

/** How many columns a cleaned text takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += widthOfGrapheme(segment);
  return width;
}

/** The text in at most `width` columns; what is cut off leaves `…`. Without a width nothing is. */
export function cut(text: string, width?: number): string {
  if (width === undefined) return text;
  if (width <= 0) return widthOf(text) === 0 ? text : "";
  if (PLAIN.test(text)) return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
  let used = 0;
  let kept = "";
  let fits = "";
  for (const { segment } of graphemesOf(text)) {
    used += widthOfGrapheme(segment);
    if (used <= width - 1) kept += segment;
    if (used > width) return `${kept}…`;
    fits += segment;
  }
  return fits;
}

/**
 * A cleaned text in lines of at most `width` columns, broken between words where there are any; without a width it is one line.
 * The first line keeps its indentation.
 * Our own colour codes take no columns.
 */
export function wrap(text: string, width?: number): string[] {
  if (width === undefined || shownWidth(text) <= width) return [text];
  const lines: string[] = [];
  const [indent = ""] = /^ */.exec(text) ?? [];
  let line = indent.length < width ? indent : "";
  for (const word of text
    .slice(indent.length)
    .split(" ")
    .flatMap((one) => chunks(one, width))) {
    const longer = line.trim() === "" ? line + word : `${line} ${word}`;
    if (shownWidth(longer) <= width) line = longer;
    else {
      if (line.trim() !== "") lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** The same, with continuation lines indented by two columns. */
export function hang(text: string, width?: number): string[] {
  if (width === undefined || shownWidth(text) <= width) return [text];
  return wrap(text, Math.max(1, width - INDENT.length)).map((line, at) => (at === 0 ? line : INDENT + line));
}

const INDENT = "  ";

/** The beginning of a line that its continuations are set in by: spaces, the mark of a list, or the label of a table. */
const HEAD = /^\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+|[\w/-]+ {2,})?/;

/**
 * A line of a block in lines of at most `width` columns: its continuations begin below its text. `isContinued`: the line is itself
 * a continuation, so that only its spaces count.
 */
export function hangBlock(text: string, width: number, isContinued = false): string[] {
  if (shownWidth(text) <= width) return [text];
  const head = (isContinued ? /^\s*/ : HEAD).exec(text)?.[0] ?? "";
  const body = text.slice(head.length);
  const used = widthOf(head);
  if (used > width / 2 || body === "") return wrap(text, width);
  const next = " ".repeat(used);
  return wrap(body, width - used).map((line, at) => (at === 0 ? head : next) + line);
}

/** How many columns a text with our own colours takes. */
export function shownWidth(text: string): number {
  return widthOf(stripVTControlCharacters(text));
}

function chunks(word: string, width: number): string[] {
  if (shownWidth(word) <= width) return [word];
  const parts: string[] = [];
  let part = "";
  for (const { segment } of graphemesOf(stripVTControlCharacters(word))) {
    if (part !== "" && widthOf(part) + widthOfGrapheme(segment) > width) {
      parts.push(part);
      part = "";
    }
    part += segment;
  }
  return [...parts, part];
}

/** The text with spaces up to `width` columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
