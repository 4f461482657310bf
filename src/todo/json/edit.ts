// Turns the text of one backlog into the text of another and changes only the differences: the order of tasks and keys,
// indentation, line ends and everything else stay byte for byte. update.ts and merge.ts decide on the changes.
import { isDeepStrictEqual } from "node:util";
import { Backlog, Task } from "../model/task.js";
import type { FileText } from "./file-text.js";
import {
  gapsOf,
  hasBreak,
  hasInlineArray,
  joinPieces,
  lastLine,
  readObject,
  styleOf,
  withValue,
  writeMember,
  writeObject,
  type Gaps,
  type ObjectStyle,
  type ObjectText,
  type Pieces,
} from "./pieces.js";

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
