// The text of an object or a list, taken apart into its items and the text around them, and written in the style of its
// neighbours. edit.ts and understand.ts decide what is written.
import { visit } from "jsonc-parser";

/** The items of an object or a list, and the gaps around them (with their commas): one more than there are items. */
export interface Pieces {
  items: readonly string[];
  gaps: readonly string[];
}

/** A member of an object: its text, and where its value begins in it. */
export interface Member {
  key: string;
  text: string;
  colon: number;
  value: number;
}

/** The text of an object: up to its opening bracket, its members with the gaps around them, from its closing bracket. */
export interface ObjectText {
  before: string;
  members: readonly Member[];
  gaps: readonly string[];
  after: string;
}

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

/** Takes the text of an object apart. Contract: it is JSON, not nested too deep; white space may surround it. */
export function readObject(text: string): ObjectText {
  let depth = 0;
  let [start, end] = [0, 0];
  const ranges: { key: string; start: number; keyEnd: number; value: number; end: number }[] = [];
  const begin = (offset: number): void => {
    const last = ranges.at(-1);
    if (depth === 1 && last !== undefined) last.value = offset;
    if (depth++ === 0) start = offset + 1;
  };
  const finish = (offset: number): void => {
    if (--depth === 0) end = offset;
    const last = ranges.at(-1);
    if (depth === 1 && last !== undefined) last.end = offset + 1;
  };
  visit(text, {
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectEnd: finish,
    onArrayEnd: finish,
    onObjectProperty: (key, offset, length) => {
      if (depth === 1) ranges.push({ key, start: offset, keyEnd: offset + length, value: 0, end: 0 });
    },
    onLiteralValue: (_value, offset, length) => {
      const last = ranges.at(-1);
      if (depth === 1 && last !== undefined) [last.value, last.end] = [offset, offset + length];
    },
  });
  return {
    before: text.slice(0, start),
    members: ranges.map((one) => ({
      key: one.key,
      text: text.slice(one.start, one.end),
      colon: one.keyEnd - one.start,
      value: one.value - one.start,
    })),
    gaps: [start, ...ranges.map((one) => one.end)].map((from, at) =>
      text.slice(from, ranges[at]?.start ?? end),
    ),
    after: text.slice(end),
  };
}

/** The text of pieces, without brackets. */
export function joinPieces({ items, gaps }: Pieces): string {
  return (gaps[0] ?? "") + items.map((item, at) => item + (gaps[at + 1] ?? "")).join("");
}

/** Reads the gaps of a list; without an example, a space follows a comma if one follows `colon`. */
export function gapsOf(gaps: readonly string[], colon: string): Gaps {
  const [first = "", second = ""] = gaps;
  const between = gaps.length > 2 ? second : hasBreak(first) ? `,${first}` : comma(colon);
  return { first, between, last: gaps.at(-1) ?? "" };
}

/** The style of an object with at least one member. */
export function styleOf({ members, gaps }: ObjectText): ObjectStyle {
  const [one] = members;
  if (one === undefined) throw new Error("an object without keys");
  const colon = one.text.slice(one.colon, one.value);
  const around = gapsOf(gaps, colon);
  const indent = hasBreak(around.last) ? lastLine(around.last).length : 0;
  const unit = hasBreak(around.first) ? lastLine(around.first).slice(indent) : "";
  return {
    ...around,
    colon,
    unit: unit === "" ? "  " : unit,
    inlineArrays: hasInlineArray(members) ?? false,
  };
}

/** Whether the arrays in an object are on one line; `undefined` if it has none with items. */
export function hasInlineArray(members: readonly Member[]): boolean | undefined {
  const values = members.map(({ text, value }) => text.slice(value));
  const telling = values.find((value) => /^\[\s*[^\]\s[{]/.test(value));
  return telling === undefined ? undefined : !hasBreak(telling);
}

/** A member with another value; an array on one line stays on one. */
export function withValue({ text, value }: Member, to: unknown, style: ObjectStyle): string {
  const old = text.slice(value);
  const inline = /^\[\s*[^\]\s]/.test(old) && !hasBreak(old);
  return text.slice(0, value) + writeValue(to, style, inline || !hasBreak(style.first));
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
  return JSON.stringify(key) + style.colon + writeValue(value, style, !hasBreak(style.first));
}

/** The text of a value after a key of an object in this style; `inline` puts it on one line. */
function writeValue(value: unknown, style: ObjectStyle, inline: boolean): string {
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
