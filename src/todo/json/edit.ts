// Turns the text of one backlog into the text of another and changes only the differences: the order of tasks and keys,
// indentation, line ends and everything else stay byte for byte. update.ts and merge.ts decide on the changes.
import { isDeepStrictEqual } from "node:util";
import { Backlog, Task } from "../model/task.js";
import type { FileText } from "./file-text.js";
import { parseTree } from "jsonc-parser";

const TASK_KEYS = Object.keys(Task.shape);
const ROOT_KEYS = Object.keys(Backlog.shape);
/** How many tasks are examined to find out how arrays are written. */
const SAMPLES = 20;

/**
 * The text that holds `after`, made from the one that holds `before`; the same object without a difference. Both are valid,
 * and the tasks they share are in the same order.
 */
export function editBacklog(file: FileText, before: Backlog, after: Backlog): FileText {
  const places = placesOf(before, after);
  const same = { ...after, tasks: before.tasks };
  const around = isDeepStrictEqual(before, same) ? file : editRoot(file, before, same);
  const changed = after.tasks.flatMap((task, at) => {
    const old = before.tasks[places === undefined ? at : (places[at] ?? -1)];
    return old === undefined || old === task || isDeepStrictEqual(old, task) ? [] : [{ at, old, task }];
  });
  if (changed.length === 0 && places === undefined) return around;
  const { items, gaps } =
    places === undefined ? { items: file.rows, gaps: file.gaps } : editList(file, after, places);
  const rows = [...items];
  for (const { at, old, task } of changed) rows[at] = editRow(rows[at] ?? "", { file, old, task });
  return { ...around, rows, gaps };
}

/** The index in `before` of each task of `after`; `undefined` when both have the same tasks in the same order. */
function placesOf(before: Backlog, after: Backlog): (number | undefined)[] | undefined {
  const same = (task: Task, at: number): boolean =>
    before.tasks[at] === task || before.tasks[at]?.id === task.id;
  if (before.tasks.length === after.tasks.length && after.tasks.every(same)) return undefined;
  const places = new Map(before.tasks.map((task, at) => [task.id, at]));
  return after.tasks.map((task) => places.get(task.id));
}

function editRow(row: string, { file, old, task }: { file: FileText; old: Task; task: Task }): string {
  const object = readObject(row);
  const inlineArrays = hasInlineArray(object.members) ?? inlineArraysIn(file.rows);
  const { items, gaps } = editMembers(
    object,
    { ...styleOf(object), inlineArrays },
    { old, now: task, order: TASK_KEYS },
  );
  return object.before + joinPieces({ items, gaps }) + object.after;
}

function inlineArraysIn(rows: readonly string[]): boolean {
  for (const row of rows.slice(-SAMPLES).reverse()) {
    const inline = hasInlineArray(readObject(row).members);
    if (inline !== undefined) return inline;
  }
  return false;
}

/** The file with the root's own keys changed; its rows stay. */
function editRoot(file: FileText, old: Backlog, now: Backlog): FileText {
  const object = readObject(file.head + file.tail);
  const { items, gaps, keys } = editMembers(object, styleOf(object), { old, now, order: ROOT_KEYS });
  const at = keys.indexOf("tasks");
  const list = items[at];
  if (list === undefined) throw new Error("a backlog without tasks");
  const head = joinPieces({ items: items.slice(0, at), gaps: gaps.slice(0, at + 1) });
  const tail = joinPieces({ items: items.slice(at + 1), gaps: gaps.slice(at + 1) });
  return {
    ...file,
    head: object.before + head + list.slice(0, -1),
    tail: list.slice(-1) + tail + object.after,
  };
}

/** `order`: the canonical order of keys; a new key is inserted behind the nearest existing key before it. */
function editMembers(
  { members, gaps }: ObjectText,
  style: ObjectStyle,
  { old, now, order }: { old: object; now: object; order: readonly string[] },
): Pieces & { keys: string[] } {
  const values = new Map<string, unknown>(Object.entries(now).filter(([, value]) => value !== undefined));
  const before = new Map<string, unknown>(Object.entries(old));
  const wanted = members.flatMap((member, place): (Wanted & { key: string })[] => {
    const value = values.get(member.key);
    if (value === undefined) return [];
    const stays = isDeepStrictEqual(value, before.get(member.key));
    return [{ key: member.key, place, text: stays ? member.text : withValue(member, value, style) }];
  });
  for (const [key, value] of values) {
    if (members.some((member) => member.key === key)) continue;
    const at = placeFor(key, wanted, order);
    wanted.splice(at, 0, { key, place: undefined, text: writeMember(key, value, style) });
  }
  return { ...arrange(gaps, wanted, style), keys: wanted.map(({ key }) => key) };
}

/** Behind the nearest key that comes before it in the canonical order. */
function placeFor(key: string, wanted: readonly { key: string }[], order: readonly string[]): number {
  for (const other of order.slice(0, order.indexOf(key)).reverse()) {
    const at = wanted.findIndex((item) => item.key === other);
    if (at !== -1) return at + 1;
  }
  return 0;
}

/** An item of the wanted list, and its place in the old one. */
interface Wanted {
  place: number | undefined;
  text: string;
}

/** Puts the wanted items in a row; an item that was there keeps the gap before it. */
function arrange(old: readonly string[], wanted: readonly Wanted[], style: Gaps): Pieces {
  if (wanted.length === 0) return { items: [], gaps: [""] };
  const hadItems = old.length > 1;
  let last = -1;
  const gaps = wanted.map(({ place }, at) => {
    if (place !== undefined && place <= last) throw new Error("an edit may not reorder");
    last = place ?? last;
    if (at === 0) return hadItems ? (old[0] ?? "") : style.first;
    return place === undefined || place === 0 ? style.between : (old[place] ?? "");
  });
  return {
    items: wanted.map(({ text }) => text),
    gaps: [...gaps, hadItems ? (old.at(-1) ?? "") : style.last],
  };
}

/** The rows without removed tasks and with new ones. */
function editList(file: FileText, after: Backlog, places: readonly (number | undefined)[]): Pieces {
  const { rows, gaps } = file;
  const root = styleOf(readObject(file.head + file.tail));
  let style: ObjectStyle | undefined;
  const wanted = after.tasks.map((task, at): Wanted => {
    const place = places[at];
    if (place !== undefined) return { place, text: rows[place] ?? "" };
    style ??= rowStyle(rows) ?? nested(root);
    return { place, text: writeObject(task, style) };
  });
  return arrange(gaps, wanted, rows.length > 0 ? gapsOf(gaps, root.colon) : gapsOfEmpty(root));
}

/** The style of the last task. */
function rowStyle(rows: readonly string[]): ObjectStyle | undefined {
  const sample = rows.at(-1);
  return sample === undefined
    ? undefined
    : { ...styleOf(readObject(sample)), inlineArrays: inlineArraysIn(rows) };
}

/** The gaps to use for the first item of an empty list in the root. */
function gapsOfEmpty({ first, between, unit }: ObjectStyle): Gaps {
  if (!hasBreak(first)) return { first: "", between, last: "" };
  return { first: first + unit, between: `,${first}${unit}`, last: first };
}

/** The style of an object in a list in the root. */
function nested(root: ObjectStyle): ObjectStyle {
  if (!hasBreak(root.first)) return { ...root, first: "", last: "" };
  const base = lastLine(root.first);
  const eol = root.first.slice(0, root.first.length - base.length);
  const first = `${eol}${base}${root.unit}${root.unit}`;
  return { ...root, first, between: `,${first}`, last: `${eol}${base}${root.unit}` };
}

// The text of an object or a list, taken apart into its items and the text around them, and written in the style of its neighbours.

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
  const { offset: from = 0, length: all = 0, children = [] } = parseTree(text) ?? {};
  const [start, end] = [from + 1, from + all - 1];
  const members = children.map(({ offset, length, children: [key, value] = [] }) => ({
    key: String(key?.value),
    text: text.slice(offset, offset + length),
    colon: key?.length ?? 0,
    value: (value?.offset ?? 0) - offset,
  }));
  const ends = [start, ...children.map(({ offset, length }) => offset + length)];
  const gaps = ends.map((before, at) => text.slice(before, children[at]?.offset ?? end));
  return { before: text.slice(0, start), members, gaps, after: text.slice(end) };
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
    indent === undefined ||
    (isArray && style.inlineArrays && entries.every(([, item]) => Object(item) !== item));
  const inside = inline ? undefined : indent + style.unit;
  const items = entries.map(([key, item]) => {
    const written = write(item, style, inside);
    return isArray ? written : JSON.stringify(key) + style.colon + written;
  });
  if (inside === undefined) return open + items.join(comma(style.colon)) + close;
  const eol = style.first.includes("\r\n") ? "\r\n" : "\n";
  return `${open}${eol}${inside}${items.join(`,${eol}${inside}`)}${eol}${indent ?? ""}${close}`;
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
