// Reads the style of JSON text from its neighbours, and writes values in the same style.
// edit.ts decides where to write them.
import type { Member, Range } from "./layout.js";

/** The text around the items of an object or array: after the opening bracket, between two items (with the comma), before the closing one. */
export interface Gaps {
  first: string;
  between: string;
  last: string;
}

/** The style of an object and its content. */
export interface ObjectStyle extends Gaps {
  /** Between a key and its value. */
  colon: string;
  /** One level of indentation; meaningless if the members are on one line. */
  unit: string;
  /** Whether arrays of plain values are on one line, independent of the objects around them. */
  inlineArrays: boolean;
}

/** Reads the gaps of a list; without an example, a space follows a comma if one follows `colon`. */
export function gapsOf(text: string, list: Range, items: readonly Range[], colon: string): Gaps | undefined {
  const [one, two] = items;
  const end = items.at(-1)?.end;
  if (one === undefined || end === undefined) return undefined;
  const first = text.slice(list.start + 1, one.start);
  const between =
    two !== undefined ? text.slice(one.end, two.start) : hasBreak(first) ? `,${first}` : comma(colon);
  return { first, between, last: text.slice(end, list.end - 1) };
}

/** The style of an object with at least one member. */
export function styleOf(text: string, object: Range, members: readonly Member[]): ObjectStyle | undefined {
  const [one] = members;
  if (one === undefined) return undefined;
  const colon = text.slice(one.keyEnd, one.start);
  const gaps = gapsOf(text, object, members.map(wholeMember), colon);
  if (gaps === undefined) return undefined;
  // Finding the beginning of a line is expensive if the whole file is one line.
  const indent = hasBreak(gaps.first) ? lineIndent(text, object.start).length : Infinity;
  const unit = lastLine(gaps.first).slice(indent);
  return {
    ...gaps,
    colon,
    unit: unit === "" ? "  " : unit,
    inlineArrays: hasInlineArray(text, members) ?? false,
  };
}

/** Whether the arrays in an object are on one line; `undefined` if it has none with items. */
export function hasInlineArray(text: string, members: readonly Member[]): boolean | undefined {
  const values = members.map(({ start, end }) => text.slice(start, end));
  const telling = values.find((value) => /^\[\s*[^\]\s[{]/.test(value));
  return telling === undefined ? undefined : !hasBreak(telling);
}

/** The range of a member with its key. */
export function wholeMember({ keyStart, end }: Member): Range {
  return { start: keyStart, end };
}

/** An object of these members in a style; `undefined` values are left out. */
export function writeObject(value: object, style: ObjectStyle): string {
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([key, inner]) => writeMember(key, inner, style));
  return `{${style.first}${members.join(style.between)}${style.last}}`;
}

/** `"key": value`, as a member of an object in this style. */
export function writeMember(key: string, value: unknown, style: ObjectStyle): string {
  return JSON.stringify(key) + style.colon + writeValue(value, style);
}

/** The text of a value after a key of an object in this style; `inline` puts it on one line. */
export function writeValue(value: unknown, style: ObjectStyle, inline = !hasBreak(style.first)): string {
  return write(value, style, inline ? undefined : lastLine(style.first));
}

/** The depth of recursion is limited: a valid file is not nested deeper than 200. */
function write(value: unknown, style: ObjectStyle, indent: string | undefined): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isArray = Array.isArray(value);
  const entries: [string, unknown][] = isArray ? value.map((item) => ["", item]) : Object.entries(value);
  const [open, close] = isArray ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) return open + close;
  const inline =
    indent === undefined || (isArray && style.inlineArrays && entries.every(([, item]) => isPlain(item)));
  const inside = inline ? undefined : indent + style.unit;
  const items = entries.map(([key, item]) => {
    const written = write(item, style, inside);
    return isArray ? written : JSON.stringify(key) + style.colon + written;
  });
  if (inside === undefined) return open + items.join(comma(style.colon)) + close;
  const eol = style.first.includes("\r\n") ? "\r\n" : "\n";
  return `${open}${eol}${inside}${items.join(`,${eol}${inside}`)}${eol}${indent ?? ""}${close}`;
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function comma(colon: string): string {
  return /\s$/.test(colon) ? ", " : ",";
}

export function hasBreak(text: string): boolean {
  return text.includes("\n");
}

/** The text after the last line break. */
export function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}

/** The white space at the beginning of the line that contains an offset. */
function lineIndent(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
