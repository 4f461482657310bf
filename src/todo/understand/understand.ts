// Corrects a broken task file where its meaning is clear: removes comments and trailing commas, writes UTF-8, and corrects
// tasks. Pure. The order of tasks and keys, and the indentation, stay; an ambiguous text is left alone.
import { findNodeAtLocation, parseTree, type Node } from "jsonc-parser";
import { given } from "../../system/given.js";
import { isRecord } from "../../system/text/json.js";
import { readText } from "../json/file-text.js";
import { show } from "../model/problem.js";
import { Backlog, Task } from "../model/task.js";
import { checkBacklog, type CheckOptions, type CheckResult } from "../check/check.js";
import { isDateTime } from "../model/date-time.js";
import { findSpelledKey, readPriority, statusFor } from "../check/words.js";
import { holdsTasks } from "../check/shape.js";

/** A change, and the task it was made in. */
export interface Correction {
  says: string;
  task?: string;
}

/** Other bytes for a broken file. */
export interface UnderstoodFile {
  bytes: Uint8Array;
  corrections: Correction[];
}

const MARK = "\ufeff";
const ROOT_KEYS = Object.keys(Backlog.shape);

/**
 * Corrects a file where its meaning is clear; the result may still break rules beyond the shape. `undefined` without
 * corrections, or if the text cannot be read.
 */
export function understandFile(bytes: Uint8Array, { withoutRoot = false } = {}): UnderstoodFile | undefined {
  const decoded = decode(bytes);
  if (decoded === undefined) return undefined;
  const corrections: Correction[] = decoded.wide ? [{ says: "UTF-16 → UTF-8" }] : [];
  const bom = decoded.text.startsWith(MARK);
  const old = bom ? decoded.text.slice(1) : decoded.text;
  const json = toJson(old, corrections);
  if (json === undefined) return undefined;
  const root = correctAll(json, { corrections, withoutRoot });
  if (root === undefined || corrections.length === 0) return undefined;
  const indent = /\n([ \t]+)\S/.exec(old)?.[1] ?? (/\n./.test(old) ? "  " : "");
  const text = JSON.stringify(root, null, indent) + (old.endsWith("\n") ? "\n" : "");
  return { bytes: Buffer.from((bom && !decoded.wide ? MARK : "") + text, "utf8"), corrections };
}

/** Decodes UTF-8, or UTF-16 with a byte order mark; `undefined` for other bytes. */
export function decode(bytes: Uint8Array): { text: string; wide: boolean } | undefined {
  const [first, second] = bytes;
  const wide =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "";
  try {
    const text = new TextDecoder(wide === "" ? "utf-8" : wide, { fatal: true, ignoreBOM: true }).decode(
      bytes,
    );
    return { text, wide: wide !== "" };
  } catch {
    return undefined;
  }
}

/** Removes comments and trailing commas; `undefined` if the text is not JSON even then. */
export function toJson(text: string, corrections: Correction[] = []): string | undefined {
  const { problems, removable } = readText(text);
  if (problems.some(({ rule }) => rule === "nesting")) return undefined;
  if (problems.filter(({ rule }) => rule === "syntax").length > removable.length) return undefined;
  for (const kind of ["comment", "comma"] as const) {
    const count = removable.filter((one) => one.kind === kind).length;
    const noun = kind === "comma" ? "trailing comma" : kind;
    if (count > 0) corrections.push({ says: `${String(count)} ${noun}${count === 1 ? "" : "s"} removed` });
  }
  const inOrder = removable.toSorted((a, b) => a.start - b.start);
  const ends = [0, ...inOrder.map(({ end }) => end)];
  return ends.map((end, at) => text.slice(end, inOrder[at]?.start)).join(" ");
}

/** Corrects the tasks and the root of a JSON text; `undefined` if it does not have a list of tasks, or could not be kept. */
function correctAll(
  json: string,
  { corrections, withoutRoot }: { corrections: Correction[]; withoutRoot: boolean },
): Members | undefined {
  const root: unknown = JSON.parse(json);
  if (readText(json).problems.length > 0 || !isRecord(root)) return undefined;
  const changes: string[] = [];
  const { members, from } = renameKeys(root, ROOT_KEYS, changes);
  const listed = members["tasks"];
  if (!Array.isArray(listed)) return undefined;
  corrections.push(...changes.map((says) => ({ says })));
  let tree: Node | undefined;
  const tasks = listed.map((task: unknown, at) => {
    if (!isRecord(task)) return task;
    const understood = understandTask(task, (key) => {
      tree ??= parseTree(json);
      const number = tree && findNodeAtLocation(tree, [from.get("tasks") ?? "tasks", at, key]);
      return number && json.slice(number.offset, number.offset + number.length);
    });
    const { id } = understood.members;
    corrections.push(
      ...understood.changes.map((says) => ({ says, ...(typeof id === "string" && { task: id }) })),
    );
    return understood.members;
  });
  const more: string[] = [];
  const rest = { ...members, tasks };
  const corrected = correctRoot(withoutRoot ? dropRoot(rest, more) : rest, more);
  corrections.push(...more.map((says) => ({ says })));
  return corrected;
}

/** Removes the folder for work, which is one of another computer. */
function dropRoot({ project, ...rest }: Members, changes: string[]): Members {
  if (!isRecord(project)) return { project, ...rest };
  const { root, ...about } = project;
  changes.push(`project.root ${show(root)} removed`);
  return Object.keys(about).length === 0 ? rest : { ...rest, project: about };
}

/** Adds missing keys to the root and moves unknown keys into `meta`. Its list of tasks is ignored. */
function correctRoot(root: Members, changes: string[]): Members {
  const { unknown } = renameKeys(root, ROOT_KEYS, []);
  const moved = moveToMeta(root, unknown, changes);
  const { schema_version: version, source_files: sources, meta, ...rest } = moved;
  const fixed: Record<string, unknown> = {};
  fixed["schema_version"] = version === undefined || version === null || version === "1" ? 1 : version;
  if (sources === undefined || sources === null || sources === "") fixed["source_files"] = [];
  else fixed["source_files"] = typeof sources === "string" ? [sources] : sources;
  for (const key of ["schema_version", "source_files"]) {
    if (fixed[key] === moved[key]) continue;
    const what = moved[key] === undefined ? "missing " : "";
    changes.push(`${what}${key} → ${JSON.stringify(fixed[key])}`);
  }
  const missing = Object.entries(fixed).filter(([key]) => !Object.hasOwn(moved, key));
  const there = Object.keys(moved).filter((key) => key !== "meta");
  const kept = there.map((key): [string, unknown] => [key, fixed[key] ?? rest[key]]);
  return { ...Object.fromEntries([...missing, ...kept]), ...given({ meta }) };
}

/** How many tasks are named for each kind of correction. */
const NAMED = 3;
const MOST_KINDS = 12;

/** The corrections on one line: each kind once, with the tasks it was made in. */
export function describeCorrections(corrections: readonly Correction[]): string {
  const kinds = new Map<string, string[]>();
  for (const { says, task } of corrections) {
    const tasks = kinds.get(says) ?? [];
    if (task !== undefined) tasks.push(task);
    kinds.set(says, tasks);
  }
  const parts = [...kinds].map(([says, tasks]) => {
    const more = tasks.length > NAMED ? [`${String(tasks.length - NAMED)} more`] : [];
    return tasks.length === 0 ? says : `${says} (${[...tasks.slice(0, NAMED), ...more].join(", ")})`;
  });
  const left = parts.length - MOST_KINDS;
  return [...parts.slice(0, MOST_KINDS), ...(left > 0 ? [`and ${String(left)} more kinds`] : [])].join("; ");
}

/** A valid file, and the corrections that made it valid. */
export interface UnderstoodBacklog extends UnderstoodFile {
  checked: Extract<CheckResult, { kind: "ok" }>;
}

/** The valid backlog that invalid bytes clearly mean; `undefined` if the correction is not clear. */
export function understandBacklog(
  bytes: Uint8Array,
  options: CheckOptions = {},
): UnderstoodBacklog | undefined {
  const understood = understandFile(bytes);
  if (understood === undefined) return undefined;
  const checked = checkBacklog(understood.bytes, options);
  return checked.kind === "ok" ? { ...understood, checked } : undefined;
}

/** Checks the bytes, or, if they are not a valid backlog, the backlog that they clearly mean. */
export function checkUnderstood(bytes: Uint8Array, options: CheckOptions = {}): CheckResult {
  const checked = checkBacklog(bytes, options);
  return checked.kind === "invalid" ? (understandBacklog(bytes, options)?.checked ?? checked) : checked;
}

// Tasks of a broken file are corrected where their meaning is clear: known words for status and priority, other spellings of keys,
// keys that belong into `meta`. Never marks a task as done unless its own word says so, and never drops a value.

export type Members = Readonly<Record<string, unknown>>;

/** The object that is meant, and its corrections in words; the same object without corrections. */
export interface Understood {
  members: Members;
  changes: string[];
}

const KEYS = Object.keys(Task.shape);
const LISTS: ReadonlySet<string> = new Set([
  "steps",
  "blockers",
  "tags",
  "files",
  "depends_on",
  "verify",
  "changes",
]);
const TEXTS: ReadonlySet<string> = new Set(["title", "description", "reference", "details", "result"]);
/** Keys of `meta` that the runner reads: a misplaced key must not become one of them. */
const RESERVED: ReadonlySet<string> = new Set(["verdict", "accepted"]);

/**
 * Corrects a task. `numberText` returns the spelling of a number in the text, so that an id `1.10` stays as it is; without
 * it, numbers are spelled as in JavaScript.
 */
export function understandTask(
  task: Members,
  numberText: (key: string) => string | undefined = () => undefined,
): Understood {
  const changes: string[] = [];
  const renamed = renameKeys(task, KEYS, changes);
  const values = Object.entries(renamed.members).flatMap(([key, value]): [string, unknown][] => {
    const spelled = renamed.from.get(key) ?? key;
    const [now, says] = valueFor(key, value, typeof value === "number" ? numberText(spelled) : undefined);
    if (says !== undefined) changes.push(says);
    return now === undefined ? [] : [[key, now]];
  });
  const moved = moveToMeta(Object.fromEntries(values), renamed.unknown, changes);
  return { members: withRequired(moved, renamed.unknown.length > 0, changes), changes };
}

interface Renamed {
  members: Members;
  /** The old spelling of each key that has a new one. */
  from: ReadonlyMap<string, string>;
  /** Keys that do not mean a known key. */
  unknown: string[];
}

/** Gives keys their known spelling, in place. An ambiguous key stays. */
export function renameKeys(object: Members, known: readonly string[], changes: string[]): Renamed {
  const taken = new Set(Object.keys(object));
  const from = new Map<string, string>();
  const unknown: string[] = [];
  const wanted = new Map<string, string>();
  const claims = new Map<string, number>();
  for (const key of Object.keys(object)) {
    if (known.includes(key)) continue;
    const spelled = findSpelledKey(key, known, taken);
    if (spelled === "unknown") unknown.push(key);
    if (typeof spelled === "string") continue;
    wanted.set(key, spelled.key);
    claims.set(spelled.key, (claims.get(spelled.key) ?? 0) + 1);
  }
  const entries = Object.entries(object).map(([key, value]): [string, unknown] => {
    const to = wanted.get(key);
    // Two spellings of one key have two values, and it is unknown which one counts.
    if (to === undefined || claims.get(to) !== 1) return [key, value];
    from.set(to, key);
    changes.push(`key ${show(key)} → ${to}`);
    return [to, value];
  });
  return { members: Object.fromEntries(entries), from, unknown };
}

type Value = [value: unknown, says?: string];

/** Corrects a value; `undefined`: the key has no meaning and is removed. */
function valueFor(key: string, value: unknown, text: string | undefined): Value {
  if (value === null && key !== "meta") {
    return KEYS.includes(key) ? [undefined, `empty ${key} removed`] : [value];
  }
  if (LISTS.has(key)) return listFor(key, value);
  if (TEXTS.has(key) && typeof value === "number") return [text ?? String(value), `${key} → text`];
  switch (key) {
    case "id":
      return idFor(value, text);
    case "status": {
      const status = statusFor(value);
      return status === undefined || status === value
        ? [value]
        : [status, `status ${show(value)} → ${status}`];
    }
    case "priority": {
      const priority = readPriority(value);
      return priority === undefined ? [value] : [priority, `priority ${show(value)} → ${String(priority)}`];
    }
    case "created_at":
    case "updated_at":
      return typeof value === "string" && isDateTime(`${value}T00:00:00Z`)
        ? [`${value}T00:00:00Z`, `${key} without a time → midnight UTC`]
        : [value];
    default:
      return [value];
  }
}

function idFor(value: unknown, text: string | undefined): Value {
  if (typeof value === "number") return [text ?? String(value), "number as id → text"];
  if (typeof value !== "string" || value.trim() === value) return [value];
  return [value.trim(), `white space around id ${show(value.trim())} removed`];
}

function listFor(key: string, value: unknown): Value {
  const isEdges = key === "depends_on";
  if (typeof value === "string") {
    const items = isEdges ? value.split(/[\s,]+/u) : [value];
    return [items.filter((item) => item !== ""), `${key} → list`];
  }
  if (isEdges && isId(value)) return [[String(value)], `${key} → list`];
  if (!Array.isArray(value)) return [value];
  const items = value.map((item: unknown) => {
    if (isId(item)) return String(item);
    return isEdges && typeof item === "string" ? item.trim() : item;
  });
  return items.every((item, at) => item === value[at]) ? [value] : [items, `numbers in ${key} → text`];
}

/** Whether a number has only one spelling. */
function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Moves unknown keys into `meta`, unless it has a key of that name. */
export function moveToMeta(object: Members, unknown: readonly string[], changes: string[]): Members {
  const { meta } = object;
  const old = meta ?? {};
  if (!isRecord(old)) return object;
  const moving = unknown.filter(
    (key) => !Object.hasOwn(old, key) && !RESERVED.has(key.toLowerCase()) && !holdsTasks(object[key]),
  );
  if (moving.length === 0) return object;
  for (const key of moving) changes.push(`${show(key)} moved into meta`);
  const kept = Object.entries(object).filter(([key]) => key !== "meta" && !moving.includes(key));
  const moved = moving.map((key): [string, unknown] => [key, object[key]]);
  const into = Object.fromEntries([...Object.entries(old), ...moved]);
  return Object.fromEntries([...kept, ["meta", into]]);
}

/** A task without status and priority is open and of middle priority, unless another key may mean one of them. */
function withRequired(task: Members, hasOtherKeys: boolean, changes: string[]): Members {
  const added: [string, unknown][] = [];
  if (!Object.hasOwn(task, "priority") && !hasOtherKeys) added.push(["priority", 3]);
  if (!Object.hasOwn(task, "status") && !hasOtherKeys) added.push(["status", "todo"]);
  if (added.length === 0 || !Object.hasOwn(task, "title")) return task;
  for (const [key, value] of added) changes.push(`missing ${key} → ${String(value)}`);
  const { meta, ...rest } = task;
  return { ...rest, ...Object.fromEntries(added), ...given({ meta }) };
}
