// Turns the text of one backlog into the text of another and changes only the differences: the order of tasks and keys,
// indentation, line ends and everything else stay byte for byte. update.ts and merge.ts decide on the changes.
import { isDeepStrictEqual } from "node:util";
import { readMembers, type BacklogLayout, type Member, type Range } from "./layout.js";
import {
  gapsOf,
  hasBreak,
  hasInlineArray,
  lastLine,
  styleOf,
  wholeMember,
  writeMember,
  writeObject,
  writeValue,
  type Gaps,
  type ObjectStyle,
} from "./style.js";
import { layoutOf } from "./outline.js";
import { Backlog, Task } from "../model/task.js";

interface Edit extends Range {
  text: string;
}

const TASK_KEYS = Object.keys(Task.shape);
const ROOT_KEYS = Object.keys(Backlog.shape);
/** How many tasks are examined to find out how arrays are written. */
const SAMPLES = 20;

/**
 * The layout of the text that holds `after`, made from the one that holds `before`. Both are valid, and the tasks they share
 * are in the same order.
 */
export function editBacklog(layout: BacklogLayout, before: Backlog, after: Backlog): BacklogLayout {
  const inside = taskEdits(layout, before, after);
  const around = [...listEdits(layout, before, after), ...rootEdits(layout, before, after)];
  if (around.length === 0) return shifted(layout, inside);
  return layoutOf(edited(layout.text, [...inside, ...around]));
}

/** Edits within tasks that are kept. */
function taskEdits({ text, tasks }: BacklogLayout, before: Backlog, after: Backlog): Edit[] {
  const places = placesOf(before, after);
  return after.tasks.flatMap((task, at) => {
    const place = places === undefined ? at : (places[at] ?? -1);
    const [old, range] = [before.tasks[place], tasks[place]];
    if (old === undefined || range === undefined || old === task || isDeepStrictEqual(old, task)) return [];
    const members = readMembers(text, range.start);
    const style = styleOf(text, range, members);
    if (style === undefined) throw new Error("a task without keys");
    const sampled = { ...style, inlineArrays: hasInlineArray(text, members) ?? inlineArraysIn(text, tasks) };
    return memberEdits({ text, range, members, style: sampled, keys: TASK_KEYS }, old, task);
  });
}

/** The index in `before` of each task of `after`; `undefined` when both have the same tasks in the same order. */
function placesOf(before: Backlog, after: Backlog): (number | undefined)[] | undefined {
  const same = (task: Task, at: number): boolean =>
    before.tasks[at] === task || before.tasks[at]?.id === task.id;
  if (before.tasks.length === after.tasks.length && after.tasks.every(same)) return undefined;
  const places = new Map(before.tasks.map((task, at) => [task.id, at]));
  return after.tasks.map((task) => places.get(task.id));
}

function inlineArraysIn(text: string, tasks: readonly Range[]): boolean {
  for (const { start } of tasks.slice(-SAMPLES).reverse()) {
    const inline = hasInlineArray(text, readMembers(text, start));
    if (inline !== undefined) return inline;
  }
  return false;
}

interface EditedObject {
  text: string;
  range: Range;
  members: readonly Member[];
  style: ObjectStyle;
  /** Keys in their canonical order; a new key is inserted behind the nearest existing key before it. */
  keys: readonly string[];
}

function memberEdits(object: EditedObject, before: object, after: object): Edit[] {
  const { text, range, members, style, keys } = object;
  const values = new Map<string, unknown>(Object.entries(after).filter(([, value]) => value !== undefined));
  const old = new Map<string, unknown>(Object.entries(before));
  const replaced = members.flatMap(({ key, start, end }) => {
    const value = values.get(key);
    if (value === undefined || isDeepStrictEqual(value, old.get(key))) return [];
    const wasInlineArray = /^\[\s*[^\]\s]/.test(text.slice(start, end)) && !hasBreak(text.slice(start, end));
    return [{ start, end, text: writeValue(value, style, wasInlineArray || !hasBreak(style.first)) }];
  });
  const wanted = members.flatMap(({ key }, at): Wanted[] => (values.has(key) ? [{ keep: at, key }] : []));
  for (const key of values.keys()) {
    if (members.some((member) => member.key === key)) continue;
    wanted.splice(placeFor(key, wanted, keys), 0, { add: writeMember(key, values.get(key), style), key });
  }
  const items = members.map(wholeMember);
  return [...replaced, ...sequenceEdits({ range, items, gaps: style }, wanted)];
}

/** Behind the nearest key that comes before it in the canonical order. */
function placeFor(key: string, wanted: readonly Wanted[], keys: readonly string[]): number {
  const before = keys.slice(0, keys.indexOf(key)).reverse();
  for (const other of before) {
    const at = wanted.findIndex((item) => item.key === other);
    if (at !== -1) return at + 1;
  }
  return 0;
}

/** An item of the wanted list: an existing one, or a new one. */
type Wanted = { keep: number; key?: string } | { add: string; key?: string };

interface Sequence {
  /** The range with its brackets. */
  range: Range;
  items: readonly Range[];
  gaps: Gaps;
}

/** Edits that turn a list into the wanted items; existing items keep the separators between them. */
function sequenceEdits({ range, items, gaps }: Sequence, wanted: readonly Wanted[]): Edit[] {
  const edits: Edit[] = [];
  let kept = -1;
  let added: string[] = [];
  for (const item of wanted) {
    if ("add" in item) {
      added.push(item.add);
      continue;
    }
    const here = items[item.keep];
    if (here === undefined || item.keep <= kept) throw new Error("an edit may not reorder");
    const last = items[kept];
    if (last === undefined)
      edits.push({
        start: items[0]?.start ?? here.start,
        end: here.start,
        text: added.map((text) => text + gaps.between).join(""),
      });
    else
      edits.push({ start: last.end, end: items[item.keep - 1]?.end ?? last.end, text: behind(added, gaps) });
    kept = item.keep;
    added = [];
  }
  const last = items[kept];
  const end = items.at(-1)?.end;
  if (last !== undefined) edits.push({ start: last.end, end: end ?? last.end, text: behind(added, gaps) });
  else {
    const text = added.length === 0 ? "" : gaps.first + added.join(gaps.between) + gaps.last;
    edits.push({ start: range.start + 1, end: range.end - 1, text });
  }
  return edits.filter((edit) => edit.text !== "" || edit.end > edit.start);
}

function behind(added: readonly string[], gaps: Gaps): string {
  return added.map((text) => gaps.between + text).join("");
}

/** Edits of the list of tasks: removed tasks and new ones. */
function listEdits({ text, root, members, tasks }: BacklogLayout, before: Backlog, after: Backlog): Edit[] {
  const places = placesOf(before, after);
  if (places === undefined) return [];
  const rootStyle = styleOf(text, root, members);
  const range = members.find(({ key }) => key === "tasks");
  if (rootStyle === undefined || range === undefined) throw new Error("a backlog without tasks");
  const gaps = gapsOf(text, range, tasks, rootStyle.colon) ?? gapsOfEmpty(rootStyle);
  const style = taskStyle(text, tasks) ?? nested(rootStyle);
  const wanted = after.tasks.map((task, at): Wanted => {
    const keep = places[at];
    return keep === undefined ? { add: writeObject(task, style) } : { keep };
  });
  return sequenceEdits({ range, items: tasks, gaps }, wanted);
}

/** The style of the last task. */
function taskStyle(text: string, tasks: readonly Range[]): ObjectStyle | undefined {
  const sample = tasks.at(-1);
  if (sample === undefined) return undefined;
  const style = styleOf(text, sample, readMembers(text, sample.start));
  return style && { ...style, inlineArrays: inlineArraysIn(text, tasks) };
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

/** Edits of the root's own keys, `tasks` aside. */
function rootEdits({ text, root, members }: BacklogLayout, before: Backlog, after: Backlog): Edit[] {
  const style = styleOf(text, root, members);
  if (style === undefined) throw new Error("a backlog without keys");
  return memberEdits({ text, range: root, members, style, keys: ROOT_KEYS }, before, {
    ...after,
    tasks: before.tasks,
  });
}

function edited(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

/** Computes the layout after edits within tasks, in their order; cheaper than reading the text again. */
function shifted(layout: BacklogLayout, edits: readonly Edit[]): BacklogLayout {
  if (edits.length === 0) return layout;
  const tasks: Range[] = [];
  let next = 0;
  let by = 0;
  for (const range of layout.tasks) {
    const { start, end } = range;
    const from = start + by;
    if (by === 0 && (edits[next]?.start ?? end) >= end) {
      tasks.push(range);
      continue;
    }
    for (let edit = edits[next]; edit !== undefined && edit.start < end; edit = edits[++next])
      by += edit.text.length - (edit.end - edit.start);
    tasks.push({ start: from, end: end + by });
  }
  const list = layout.members.find(({ key }) => key === "tasks");
  if (list === undefined) throw new Error("a backlog without tasks");
  const move = (offset: number): number => (offset > list.start ? offset + by : offset);
  const members = layout.members.map(({ key, keyStart, keyEnd, start, end }) => {
    return { key, keyStart: move(keyStart), keyEnd: move(keyEnd), start: move(start), end: move(end) };
  });
  const root = { start: layout.root.start, end: move(layout.root.end) };
  return { text: edited(layout.text, edits), root, members, tasks };
}
