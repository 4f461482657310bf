// Corrects a task of a broken file where its meaning is clear: known words for its status and priority, other spellings of its
// keys, keys that belong into `meta`. Pure. Never marks a task as done unless its own word says so, and never drops a value.
// Leaves the text around it to understand.ts.
import { given } from "../../system/given.js";
import { isDateTime } from "../model/date-time.js";
import { show } from "../model/problem.js";
import { findSpelledKey } from "../check/spelling.js";
import { Task } from "../model/task.js";
import { readPriority, statusFor } from "../check/words.js";

export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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
    const [now, says] = valueFor(key, value, numberText(spelled));
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
  if (!isMembers(old)) return object;
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

/** Keys with work that would be overlooked in `meta`. */
function holdsTasks(value: unknown): boolean {
  return Array.isArray(value) && value.some((one) => isMembers(one) && ("title" in one || "name" in one));
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
