// Checks whether a value has the shape of a backlog, and says in words what is wrong. rules.ts checks ids and dependencies.
import type { z } from "zod";
import { never } from "../../system/never.js";
import { isRecord } from "../../system/text/json.js";
import { nearest } from "../../system/text/nearest.js";
import { pointerOf } from "../json/file-text.js";
import { didYouMean, show, type UnplacedProblem } from "../model/problem.js";
import { findSpelledKey, readPriority, statusFor } from "./words.js";
import { Answer, GivenAnswer, Progress, Question, SavedWork, StageOutput } from "../../workflow/progress.js";
import { NAME_RULE } from "../../workflow/words.js";
import { BEGIN_AGAIN, property } from "./rules.js";
import { Backlog, Task } from "../model/task.js";

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
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => unknownKey(path, key, valueAt(value, [...path, key])));
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

function unknownKey(path: Keys, key: string, found: unknown): UnplacedProblem {
  const message = `the key ${JSON.stringify(key)} is not known here`;
  const at = { rule: "unknown-key", pointer: pointerOf([...path, key]), atKey: true } as const;
  if (isInProgress(path)) {
    const near = nearest(key, progressKeys(path.slice(3)));
    const suggestion = didYouMean(near, `use that version, remove the key, or ${BEGIN_AGAIN}`);
    return { ...at, message: `${message}; a newer version of looper may have written it`, suggestion };
  }
  const known = knownKeys(path);
  const spelled = findSpelledKey(key, known, new Set());
  if (typeof spelled === "object")
    return { ...at, message, suggestion: `did you mean ${JSON.stringify(spelled.key)}? ${FIX} writes it` };
  if (holdsTasks(found)) return { ...at, message, suggestion: 'put its tasks into "tasks", or remove it' };
  const near = nearest(key, known);
  // Unknown keys in `project` are for a person to decide about.
  const moved = near === undefined && path[0] !== "project" ? `; ${FIX} moves it there` : "";
  return { ...at, message, suggestion: didYouMean(near, 'remove it, or put it under "meta"') + moved };
}

/** Whether a value is a list of tasks, which would be overlooked in `meta`. */
export function holdsTasks(value: unknown): boolean {
  return Array.isArray(value) && value.some((one) => isRecord(one) && ("title" in one || "name" in one));
}

/** Whether a place is in a task's progress, which only the runner writes. */
function isInProgress(path: Keys): boolean {
  return path[0] === "tasks" && path[2] === "progress";
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
  const suggestion = isInProgress(path) ? `add it, or ${BEGIN_AGAIN}` : `add "${key}"${add}`;
  const message = `${JSON.stringify(key)} is missing`;
  return { rule: "missing-key", pointer: pointerOf(path), message, suggestion };
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
  const bad = (message: string, suggestion: string | null = null) => {
    return { rule: "bad-value" as const, message, suggestion };
  };
  switch (issue.code) {
    case "invalid_type": {
      const wrong = bad(`${name} must be ${TYPES[issue.expected] ?? issue.expected}${it}`);
      return issue.expected === "int" ? wrong : { ...wrong, rule: "wrong-type" };
    }
    case "invalid_value": {
      const allowed = issue.values.map(String);
      const near = typeof found === "string" ? nearest(found, allowed) : undefined;
      const message = `${name} must be ${allowed.length === 1 ? "" : "one of "}${allowed.join(", ")}${it}`;
      return bad(message, near === undefined ? null : didYouMean(near, ""));
    }
    case "invalid_format": {
      const isId = typeof found === "string" && found !== "" && issue.message !== NAME_RULE;
      return bad(
        `${issue.message}${it}`,
        isId ? `write ${show(found.trim().replace(/[\s\p{Cc}\p{Cf}]+/gu, "-"))}` : null,
      );
    }
    case "too_small":
      return bad(
        issue.origin === "string"
          ? `${name} must not be empty`
          : `${name} must be ${issue.minimum} or more${it}`,
      );
    case "too_big":
      return bad(`${name} must be ${issue.maximum} or less${it}`);
    case "custom":
    case "not_multiple_of":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
    case "unrecognized_keys":
      return bad(`${name} ${issue.message}${it}`);
    default:
      return never(issue);
  }
}

/** The name of a place in a message: its key, or `steps[0]`; the pointer has the path before it. */
function nameOf(path: Keys): string {
  const last = path.at(-1);
  if (last === undefined) return "the file";
  return typeof last === "number" ? `${path.at(-2) ?? ""}[${last}]` : last;
}

function valueAt(value: unknown, path: Keys): unknown {
  return path.reduce<unknown>((at, key) => property(at, String(key)), value);
}

/** Reads the valid keys of a task one by one; `undefined` if id, title, priority or status is not valid. */
export function readTask(value: unknown): Task | undefined {
  const kept: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries(Task.shape)) {
    const found = property(value, key);
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
  const [id, title, priority, status] = NEEDED.map((key) => property(value, key));
  if (id === undefined && title === undefined) return undefined;
  const wrong = NEEDED.filter((key) => !Task.shape[key].safeParse(property(value, key)).success);
  return wrong.length === 0 ? undefined : { id, title, priority, status, wrong };
}
