// Checks whether a value has the shape of a backlog, and says in words what is wrong. rules.ts checks ids and dependencies.
import type { z } from "zod";
import { never } from "../../system/never.js";
import { nearest } from "../../system/text/nearest.js";
import { pointerOf } from "../json/file-text.js";
import { didYouMean, show, type UnplacedProblem } from "../model/problem.js";
import { findSpelledKey } from "./spelling.js";
import { Answer, GivenAnswer, Progress, Question, SavedWork, StageOutput } from "../../workflow/progress.js";
import { NAME_RULE } from "../../workflow/words.js";
import { BEGIN_AGAIN } from "./progress-rules.js";
import { Backlog, Task } from "../model/task.js";
import { readPriority, statusFor } from "./words.js";

/** Whether a value has the shape of a backlog. */
export function isBacklog(value: unknown): value is Backlog {
  return Backlog.safeParse(value).success;
}

/** Finds all problems of a value's shape. */
export function explainShape(value: unknown): UnplacedProblem[] {
  const issues = Backlog.safeParse(value).error?.issues ?? [];
  return issues.flatMap((issue) => problemsOf(issue, value));
}

type Keys = readonly (string | number)[];

function problemsOf(issue: z.core.$ZodIssue, value: unknown): UnplacedProblem[] {
  const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(path, key));
  const found = valueAt(value, path);
  const key = path.at(-1);
  if (found === undefined && typeof key === "string") return [missingKey(path.slice(0, -1), key)];
  const words = wordsFor(issue, found, nameOf(path));
  const meant = path[0] === "tasks" ? meantBy(path, found) : undefined;
  const suggestion = meant === undefined ? words.suggestion : `write ${meant}: ${FIX} does`;
  const otherwise = isInProgress(path) ? `correct it, or ${BEGIN_AGAIN}` : null;
  return [{ pointer: pointerOf(path), ...words, suggestion: suggestion ?? otherwise }];
}

/** The valid value that a wrong one clearly means, as JSON; `undefined` if unclear. */
function meantBy(path: Keys, found: unknown): string | undefined {
  const [, , key, item] = path;
  const isId = (item === undefined ? key === "id" : key === "depends_on") && Number.isSafeInteger(found);
  if (isId) return JSON.stringify(String(found));
  if (item !== undefined) return undefined;
  const meant = key === "status" ? statusFor(found) : key === "priority" ? readPriority(found) : undefined;
  return meant === undefined ? undefined : JSON.stringify(meant);
}

function unknownKey(path: Keys, key: string): UnplacedProblem {
  if (isInProgress(path)) return unknownProgressKey(path, key);
  const known = knownKeys(path);
  const spelled = findSpelledKey(key, known, new Set());
  const near = didYouMean(nearest(key, known), 'remove it, or put it under "meta"');
  // Unknown keys in `project` are for a person to decide about.
  const isMoved = nearest(key, known) === undefined && path[0] !== "project";
  const suggestion =
    typeof spelled === "object"
      ? `did you mean ${JSON.stringify(spelled.key)}? ${FIX} writes it`
      : `${near}${isMoved ? `; ${FIX} moves it there` : ""}`;
  const message = `the key ${JSON.stringify(key)} is not known here`;
  return { rule: "unknown-key", pointer: pointerOf([...path, key]), atKey: true, message, suggestion };
}

/** Whether a place is in a task's progress, which only the runner writes. */
function isInProgress(path: Keys): boolean {
  return path[0] === "tasks" && path[2] === "progress";
}

function unknownProgressKey(path: Keys, key: string): UnplacedProblem {
  const near = nearest(key, progressKeys(path.slice(3)));
  const message = `the key ${JSON.stringify(key)} is not known here; a newer version of looper may have written it`;
  const suggestion = didYouMean(near, `use that version, remove the key, or ${BEGIN_AGAIN}`);
  return { rule: "unknown-key", pointer: pointerOf([...path, key]), atKey: true, message, suggestion };
}

/** The keys that are known at a place in progress. */
function progressKeys(path: Keys): string[] {
  const shapes: Readonly<Record<string, readonly string[]>> = {
    question: Object.keys(Question.shape),
    answer: Object.keys(GivenAnswer.shape),
    answers: Object.keys(Answer.shape),
    outputs: Object.keys(StageOutput.shape),
    work: Object.keys(SavedWork.shape),
  };
  const [first] = path;
  return first === undefined ? Object.keys(Progress.shape) : [...(shapes[String(first)] ?? [])];
}

/** The command that makes clear corrections. */
const FIX = "looper fmt --fix";

function knownKeys(path: Keys): string[] {
  if (path.length === 0) return Object.keys(Backlog.shape);
  return path[0] === "tasks" ? Object.keys(Task.shape) : ["name", "root"];
}

/** The value to add for a missing required key; a person must supply keys that are not listed here. */
const TO_ADD: Readonly<Record<string, string>> = {
  schema_version: "1",
  source_files: "[]",
  tasks: "[]",
  priority: "3",
  status: '"todo"',
};

function missingKey(path: Keys, key: string): UnplacedProblem {
  const add = Object.hasOwn(TO_ADD, key) ? `: ${TO_ADD[key] ?? ""}` : "";
  const message = `${JSON.stringify(key)} is missing`;
  if (isInProgress(path))
    return {
      rule: "missing-key",
      pointer: pointerOf(path),
      message,
      suggestion: `add it, or ${BEGIN_AGAIN}`,
    };
  return { rule: "missing-key", pointer: pointerOf(path), message, suggestion: `add "${key}"${add}` };
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  array: "an array",
  object: "an object",
};

function wordsFor(
  issue: z.core.$ZodIssue,
  found: unknown,
  name: string,
): Pick<UnplacedProblem, "rule" | "message" | "suggestion"> {
  const it = `; it is ${show(found)}`;
  switch (issue.code) {
    case "invalid_type": {
      const rule = issue.expected === "int" ? "bad-value" : "wrong-type";
      const message = `${name} must be ${TYPES[issue.expected] ?? issue.expected}${it}`;
      return { rule, message, suggestion: null };
    }
    case "invalid_value": {
      const allowed = issue.values.map(String);
      const near = typeof found === "string" ? nearest(found, allowed) : undefined;
      const message = `${name} must be ${allowed.length === 1 ? "" : "one of "}${allowed.join(", ")}${it}`;
      return { rule: "bad-value", message, suggestion: near === undefined ? null : didYouMean(near, "") };
    }
    case "invalid_format": {
      const isId = typeof found === "string" && found !== "" && issue.message !== NAME_RULE;
      const suggestion = isId ? `write ${withoutSpace(found)}` : null;
      return { rule: "bad-value", message: `${issue.message}${it}`, suggestion };
    }
    case "too_small":
      if (issue.origin === "string")
        return { rule: "bad-value", message: `${name} must not be empty`, suggestion: null };
      return {
        rule: "bad-value",
        message: `${name} must be ${issue.minimum} or more${it}`,
        suggestion: null,
      };
    case "too_big":
      return {
        rule: "bad-value",
        message: `${name} must be ${issue.maximum} or less${it}`,
        suggestion: null,
      };
    case "custom":
    case "not_multiple_of":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
    case "unrecognized_keys":
      return { rule: "bad-value", message: `${name} ${issue.message}${it}`, suggestion: null };
    default:
      return never(issue);
  }
}

function withoutSpace(id: string): string {
  return show(id.trim().replace(/\s+/gu, "-"));
}

/** The name of a place in a message: its key, or `steps[0]`; the pointer has the path before it. */
function nameOf(path: Keys): string {
  const last = path.at(-1);
  if (last === undefined) return "the file";
  return typeof last === "number" ? `${path.at(-2) ?? ""}[${last}]` : last;
}

function valueAt(value: unknown, path: Keys): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

/** Reads the valid keys of a task one by one; `undefined` if id, title, priority or status is not valid. */
export function readTask(value: unknown): Task | undefined {
  const kept: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries(Task.shape)) {
    const found = valueAt(value, [key]);
    if (found !== undefined && schema.safeParse(found).success) kept[key] = found;
  }
  return Task.safeParse(kept).data;
}

/** An invalid task as it can be shown: the values of the required keys. */
export interface WrongTask {
  /** As the file has them; `undefined`: missing. */
  id: unknown;
  title: unknown;
  priority: unknown;
  status: unknown;
  /** The required keys that are missing or not valid. */
  wrong: ("id" | "title" | "priority" | "status")[];
}

const NEEDED = ["id", "title", "priority", "status"] as const;

/** Reads an object in `tasks` that `readTask` refuses; `undefined` if it has neither id nor title. */
export function readWrongTask(value: unknown): WrongTask | undefined {
  const [id, title, priority, status] = NEEDED.map((key) => valueAt(value, [key]));
  if (id === undefined && title === undefined) return undefined;
  const wrong = NEEDED.filter((key) => !Task.shape[key].safeParse(valueAt(value, [key])).success);
  return wrong.length === 0 ? undefined : { id, title, priority, status, wrong };
}
