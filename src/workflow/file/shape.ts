// Reads the shape of a workflow, and says its problems as sentences. Pure. Leaves the rules beyond the shape to problems.ts.
import type { z } from "zod";
import { shorten } from "../../system/text/cut.js";
import { nearest } from "../../system/text/nearest.js";
import type { SourcePath } from "../../system/text/source-text.js";
import { didYouMean, type WorkflowProblem } from "./problem.js";
import { NAME_RULE } from "../words.js";
import { listKinds } from "../stage-kinds.js";
import { Limits, StageShapes, Workflow } from "../workflow.js";
import { isRecord } from "../../system/text/json.js";

/** The most problems that are found. */
const MOST = 100;

/** The workflow of a value, or every problem of its shape. */
export function readShape(value: unknown): { workflow: Workflow } | { problems: WorkflowProblem[] } {
  const read = Workflow.safeParse(value);
  if (read.success) return { workflow: read.data };
  return { problems: read.error.issues.flatMap((issue) => toProblems(issue, value)).slice(0, MOST) };
}

type Issue = z.core.$ZodIssue;

function toProblems(issue: Issue, value: unknown): WorkflowProblem[] {
  const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(path, key, value));
  if (issue.code === "invalid_key") return [badName(path)];
  const found = valueAt(value, path);
  if (issue.code === "invalid_union" && path.at(-1) === "kind") return [unknownKind(path, found)];
  const inside = issue.code === "invalid_union" ? issuesInside(issue, found) : [];
  if (inside.length > 0)
    return inside.flatMap((one) => toProblems({ ...one, path: [...issue.path, ...one.path] }, value));
  const key = path.at(-1);
  if (found === undefined && typeof key === "string" && path.length > 0)
    return [{ path: path.slice(0, -1), message: `${nameOf(path)} is missing`, ...addition(path, key) }];
  return [{ path, ...wordsFor(issue, found, nameOf(path)) }];
}

/** The issues inside a list or an object that may have one of several shapes: those of the shape that is plainly meant. */
function issuesInside({ errors }: z.core.$ZodIssueInvalidUnion, found: unknown): Issue[] {
  if (typeof found !== "object") return [];
  const meant = errors.filter((issues) =>
    issues.every(({ path, code }) => path.length > 0 || code === "unrecognized_keys"),
  );
  return meant.length === 1 ? (meant[0] ?? []) : [];
}

function unknownKey(path: SourcePath, key: string, value: unknown): WorkflowProblem {
  const message = `the key ${JSON.stringify(key)} is not known here`;
  return { path: [...path, key], message, suggestion: didYouMean(key, knownKeys(path, value)) };
}

function knownKeys(path: SourcePath, value: unknown): string[] {
  const [first, , third] = path;
  if (path.length === 0) return Object.keys(Workflow.shape);
  if (path.at(-1) === "limits") return Object.keys(Limits.shape);
  if (first === "stages" && third === undefined) {
    const found = valueAt(value, path);
    const kind = isRecord(found) ? found["kind"] : undefined;
    const own = StageShapes.options.find(({ shape }) => shape.kind.value === kind);
    return Object.keys(own?.shape ?? {});
  }
  return ["to", "discard"];
}

function badName(path: SourcePath): WorkflowProblem {
  const key = String(path.at(-1));
  const what =
    path[0] === "stages" && path.length === 2 ? "a stage" : path[0] === "agents" ? "an agent" : "an outcome";
  return { path, message: `${show(key)} cannot be the name of ${what}`, suggestion: nameRule(key) };
}

function nameRule(name: unknown): string {
  return name === "constructor" ? "this one word is kept for the program: choose another" : NAME_RULE;
}

function unknownKind(path: SourcePath, found: unknown): WorkflowProblem {
  const known = listKinds(() => true);
  if (found === undefined)
    return {
      path: path.slice(0, -1),
      message: `${nameOf(path)} is missing`,
      suggestion: `add one of ${known.join(", ")}`,
    };
  const message = `${show(found)} is not a kind of stage`;
  return {
    path,
    message,
    suggestion: typeof found === "string" ? didYouMean(found, known) : `known: ${known.join(", ")}`,
  };
}

/** The hint on a missing key. */
function addition(path: SourcePath, key: string): { suggestion: string } {
  const known: Readonly<Record<string, string>> = {
    workflow: 'add "workflow": 1, the version of the format',
    name: 'add "name", the file\'s name without its ending',
    start: 'add "start", the name of the first stage',
    stages: 'add "stages", with at least one stage',
    next: 'add "next", such as {"done": "finish"}',
    prompt: 'add "prompt", the name of a prompt, such as "implement"',
    commands: 'add "commands", a list of command lines',
    question: 'add "question", the text a person answers',
  };
  return { suggestion: known[key] ?? `add it to ${nameOf(path.slice(0, -1))}` };
}

/** The version of the format that this version reads. */
const FORMAT = 1;

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  array: "a list",
  object: "an object",
  record: "an object",
};

function wordsFor(
  issue: Issue,
  found: unknown,
  name: string,
): Pick<WorkflowProblem, "message" | "suggestion"> {
  const it = `; it is ${show(found)}`;
  switch (issue.code) {
    case "invalid_type":
      return { message: `${name} must be ${TYPES[issue.expected] ?? issue.expected}${it}` };
    case "invalid_value": {
      if (name === "workflow" && typeof found === "number" && found > FORMAT)
        return {
          message: `workflow must be ${String(FORMAT)}${it}`,
          suggestion: "a newer version of looper may have written it: use that version",
        };
      const allowed = issue.values.map(String);
      const near = typeof found === "string" ? nearest(found, allowed) : undefined;
      return {
        message: `${name} must be ${allowed.length === 1 ? "" : "one of "}${allowed.join(", ")}${it}`,
        ...(near === undefined ? {} : { suggestion: `did you mean ${JSON.stringify(near)}?` }),
      };
    }
    case "invalid_format":
      return issue.message === NAME_RULE
        ? { message: `${name} is not a name${it}`, suggestion: nameRule(found) }
        : { message: `${name} ${issue.message}` };
    case "invalid_union":
      return { message: `${name} must be ${unionWords(name)}${it}` };
    case "too_small":
      if (issue.origin === "string" || issue.origin === "array")
        return { message: `${name} must not be empty` };
      return {
        message: `${name} must be ${issue.inclusive === true ? "at least" : "more than"} ${String(issue.minimum)}${it}`,
      };
    case "too_big":
      return { message: `${name} must be at most ${String(issue.maximum)}${it}` };
    default:
      return { message: `${name}: ${issue.message}${it}` };
  }
}

function unionWords(name: string): string {
  if (/\.next\.[^.]+$/u.test(name))
    return 'the name of a stage, finish, block, or {"to": NAME, "discard": true}';
  if (name.endsWith(".gate")) return "verify, red, none, or a list of commands";
  return "a text, a number, true or false";
}

/** `stages.review.next.complete`, `stages.check.commands[0]`. */
function nameOf(path: SourcePath): string {
  const name = path.map((key) => (typeof key === "number" ? `[${String(key)}]` : `.${key}`)).join("");
  return name === "" ? "the workflow" : name.slice(1);
}

function valueAt(value: unknown, path: SourcePath): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value === undefined) return "nothing";
  return isRecord(value) ? "an object" : shorten(JSON.stringify(value), 60);
}
