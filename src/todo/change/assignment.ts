// Reads `key=value` words of a command line as new values of a task's keys (contract §1, `set`). Pure. check.ts validates
// the values.
import { nearest } from "../../system/text/nearest.js";
import { never } from "../../system/never.js";
import { err, ok, type Result } from "../../system/result.js";
import { readPatterns } from "../model/changes/changes.js";
import {
  withValues,
  type OptionalKey,
  type TaskEdit,
  type TaskValues,
} from "../model/changes/person-change.js";
import { didYouMean } from "../model/problem.js";
import { STATUSES } from "../model/status.js";
import { Status, Task, TaskId } from "../model/task.js";

/** How the value of each key is written: one text, or a list of short words (commas) or of lines. */
export const KEYS = {
  title: "text",
  description: "text",
  reference: "text",
  priority: "number",
  status: "status",
  details: "text",
  steps: "lines",
  blockers: "lines",
  tags: "words",
  files: "words",
  depends_on: "words",
  verify: "lines",
  changes: "words",
  agent: "text",
  workflow: "text",
  result: "text",
} as const satisfies Record<keyof TaskValues, "text" | "number" | "status" | "words" | "lines">;

type Key = keyof typeof KEYS;

/** An edit of one key: `=` sets its value, `+=` adds to its list, `-=` takes from it. */
export interface Assignment {
  key: Key;
  how: "=" | "+=" | "-=";
  value: string;
}

/** An error in a word of the command line, and a hint. */
export interface AssignmentError {
  message: string;
  hint: string;
}

/** `priority=1`, `tags+=urgent`, `depends-on=T1,T2`. */
export function readAssignment(word: string): Result<Assignment, AssignmentError> {
  const [, name = "", sign = "", value = ""] = /^([\w-]+?)([+-]?=)(.*)$/su.exec(word) ?? [];
  const how = sign === "=" || sign === "+=" || sign === "-=" ? sign : undefined;
  if (how === undefined)
    return err({
      message: `${JSON.stringify(word)} is not of the form key=value`,
      hint: "e.g. priority=1, or tags+=urgent",
    });
  const key = name.replaceAll("-", "_");
  if (!isKey(key)) return err(unknownKey(key));
  if (how !== "=" && KEYS[key] !== "words" && KEYS[key] !== "lines")
    return err({ message: `${key} is not a list`, hint: `${key}=… sets it` });
  return ok({ key, how, value });
}

function isKey(name: string): name is Key {
  return Object.hasOwn(KEYS, name);
}

function unknownKey(key: string): AssignmentError {
  if (Object.hasOwn(Task.shape, key))
    return { message: `${key} is not set by hand`, hint: `these are: ${Object.keys(KEYS).join(", ")}` };
  const hint = didYouMean(nearest(key, Object.keys(KEYS)), `there are: ${Object.keys(KEYS).join(", ")}`);
  return { message: `a task has no key ${key}`, hint };
}

/** Returns the new values of a task's keys, and the keys to remove: an empty value removes an optional key. */
export function valuesOf(task: Task, assignments: readonly Assignment[]): Result<TaskEdit, AssignmentError> {
  const set: TaskValues = {};
  const clear = new Set<OptionalKey>();
  for (const assignment of assignments) {
    const value = valueOf(withValues(task, { set, clear: [...clear] }), assignment);
    if (!value.ok) return value;
    const { key } = assignment;
    const empty = value.value === "" || (Array.isArray(value.value) && value.value.length === 0);
    if (empty && isOptional(key)) {
      clear.add(key);
      Reflect.deleteProperty(set, key);
    } else {
      if (isOptional(key)) clear.delete(key);
      Object.assign(set, { [key]: value.value });
    }
  }
  return ok({ set, clear: [...clear] });
}

function isOptional(key: Key): key is OptionalKey {
  return key !== "title" && key !== "priority" && key !== "status";
}

function valueOf(task: Task, assignment: Assignment): Result<string | number | string[], AssignmentError> {
  const { key, value } = assignment;
  const shape = KEYS[key];
  switch (shape) {
    case "text":
      return ok(value);
    case "number": {
      if (/^[1-5]$/.test(value)) return ok(Number(value));
      const message = `${key} is a number from 1 to 5, not ${JSON.stringify(value)}`;
      return err({ message, hint: "1 comes first" });
    }
    case "status": {
      const status = Status.safeParse(value);
      if (status.success) return ok(status.data);
      const hint = didYouMean(nearest(value, STATUSES), `statuses: ${STATUSES.join(", ")}`);
      return err({ message: `${JSON.stringify(value)} is not a status`, hint });
    }
    case "words":
    case "lines":
      return listOf(task, assignment);
    default:
      return never(shape);
  }
}

function listOf(task: Task, { key, how, value }: Assignment): Result<string[], AssignmentError> {
  const named = value
    .split(KEYS[key] === "words" ? "," : "\n")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const bad = key === "depends_on" ? named.find((id) => !TaskId.safeParse(id).success) : undefined;
  if (bad !== undefined)
    return err({
      message: `${JSON.stringify(bad)} is not an id`,
      hint: "ids have no white space; a comma stands between two",
    });
  const wrong = key === "changes" && how !== "-=" ? readPatterns(named).wrong[0] : undefined;
  if (wrong !== undefined)
    return err({
      message: `changes: ${JSON.stringify(wrong.pattern)} is refused: ${wrong.why}`,
      hint: "name files or folders of the project, e.g. changes+=test/dates.test.js",
    });
  if (key === "changes" && how === "+=" && named.length === 0)
    return err({ message: "changes+= names no pattern", hint: "changes= removes those of the task" });
  const old: unknown = task[key];
  const before = Array.isArray(old) ? old.map(String) : [];
  if (how === "=") return ok(named);
  if (how === "-=") return ok(before.filter((part) => !named.includes(part)));
  return ok([...before, ...named.filter((part) => !before.includes(part))]);
}
