// Checks whether a file is a backlog and reports all its problems at once, in file order; the same bytes give the same
// result. outline.ts, shape.ts and quick-check.ts give a fast yes; layout.ts, shape.ts and rules.ts find the problems.
import { decodeUtf8 } from "../../system/text/decode-utf8.js";
import { given } from "../../system/given.js";
import { parseJson } from "../../system/text/json.js";
import { lineCounter } from "../../system/text/line-counter.js";
import { locate, readLayout, type BacklogLayout, type TextProblem } from "../json/layout.js";
import { outlineOf } from "../json/outline.js";
import type { UnplacedProblem, Problem } from "../model/problem.js";
import { isInWorkflow, property } from "./in-workflow.js";
import { checkProgress } from "./progress-rules.js";
import { checkRules } from "./rules.js";
import { explainShape, isBacklog, readTask, readWrongTask, type WrongTask } from "./shape.js";
import { isSound } from "./quick-check.js";
import type { Backlog, Task } from "../model/task.js";
import type { UserSchema } from "./user-schema.js";

export interface CheckOptions {
  /** The agents that a task may name; without it, any name is valid. */
  agentNames?: readonly string[];
  /** A further schema that the file must meet. */
  schema?: UserSchema;
  /** Answers in the file that do not count are problems too; a run puts them back, and continues. */
  answers?: true;
}

export type CheckResult =
  /** `layout` is what an edit needs; `layout.text` has no byte order mark. `bom`: the file has one. */
  | { kind: "ok"; backlog: Backlog; layout: BacklogLayout; bom: boolean }
  /** Without tasks: white space only, `{}`, or an empty `tasks`. `backlog` is set if it is still valid. */
  | { kind: "empty"; problems: Problem[]; backlog?: Backlog; layout?: BacklogLayout; bom: boolean }
  /** `readable`: the tasks that can still be used, in file order; `wrong`: those that can only be shown. */
  | { kind: "invalid"; problems: Problem[]; readable: Task[]; wrong: WrongTask[] };

const MARK = "\ufeff";

/** Checks the bytes of a task file (contract §3.1 to 3.3). Linear, without recursion. */
export function checkBacklog(bytes: Uint8Array, options: CheckOptions = {}): CheckResult {
  const decoded = decode(bytes);
  if (typeof decoded !== "string") return { kind: "invalid", problems: [decoded], readable: [], wrong: [] };
  const bom = decoded.startsWith(MARK);
  const text = bom ? decoded.slice(1) : decoded;
  if (!/\S/u.test(text)) return { kind: "empty", problems: [nothingThere()], bom };
  return checkText(text, bom, options);
}

function checkText(text: string, bom: boolean, options: CheckOptions): CheckResult {
  return goodBacklog(text, bom, options) ?? explain(text, bom, options);
}

/** The fast path for a valid file, at little more than the cost of parsing it; `undefined` if the file may have a problem. */
function goodBacklog(
  text: string,
  bom: boolean,
  { agentNames, schema, answers }: CheckOptions,
): CheckResult | undefined {
  const value = parseJson(text);
  if (!isBacklog(value) || value.tasks.length === 0) return undefined;
  const layout = outlineOf(text, value);
  if (layout === undefined || !isSound(value, agentNames)) return undefined;
  if (progressProblems(value.tasks, { answers }).length > 0) return undefined;
  return schema === undefined || schema(value).length === 0
    ? { kind: "ok", backlog: value, layout, bom }
    : undefined;
}

function explain(text: string, bom: boolean, options: CheckOptions): CheckResult {
  const { layout, problems } = readLayout(text);
  if (problems.some((problem) => problem.rule === "syntax")) {
    return { kind: "invalid", problems: inOrder(text, problems, []), ...tasksFrom(layout) };
  }
  const value: unknown = JSON.parse(text);
  const shaped = isBacklog(value);
  const findings = [...(shaped ? [] : explainShape(value)), ...brokenRules(value, problems, options)];
  if (shaped && problems.length === 0 && findings.length === 0) {
    if (value.tasks.length > 0) return { kind: "ok", backlog: value, layout, bom };
    return { kind: "empty", problems: [], backlog: value, layout, bom };
  }
  const placed = inOrder(text, problems, findings);
  if (hasNoTasks(value)) return { kind: "empty", problems: placed, bom };
  return { kind: "invalid", problems: placed, ...readable(value) };
}

function brokenRules(
  value: unknown,
  found: readonly TextProblem[],
  options: CheckOptions,
): UnplacedProblem[] {
  const findings = [...checkRules(value, options.agentNames), ...workflowRules(value, options)];
  // A user's schema may recurse; Looper's schemas do not.
  const tooDeep = found.some((problem) => problem.rule === "nesting");
  if (options.schema !== undefined && !tooDeep) findings.push(...options.schema(value));
  return findings;
}

function workflowRules(value: unknown, { answers }: CheckOptions): UnplacedProblem[] {
  const tasks = property(value, "tasks");
  return Array.isArray(tasks) ? progressProblems(tasks, { answers }) : [];
}

function progressProblems(
  tasks: readonly unknown[],
  { answers }: { answers: boolean | undefined },
): UnplacedProblem[] {
  return tasks.some(isInWorkflow) ? checkProgress(tasks, given({ answers })) : [];
}

function hasNoTasks(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  if (Object.keys(value).length === 0) return true;
  return "tasks" in value && Array.isArray(value.tasks) && value.tasks.length === 0;
}

function nothingThere(): Problem {
  const message = "there is nothing in the file";
  return { rule: "syntax", pointer: "", line: 1, column: 1, message, suggestion: "expected a JSON object" };
}

type Tasks = Pick<Extract<CheckResult, { kind: "invalid" }>, "readable" | "wrong">;

function readable(value: unknown): Tasks {
  if (typeof value !== "object" || value === null || !("tasks" in value)) return sorted([]);
  return sorted(Array.isArray(value.tasks) ? value.tasks : []);
}

/** The tasks of a text that is not JSON as a whole: those whose own text is JSON. */
function tasksFrom({ text, tasks }: BacklogLayout): Tasks {
  return sorted(tasks.map(({ start, end }) => parseJson(text.slice(start, end))));
}

function sorted(tasks: readonly unknown[]): Tasks {
  return {
    readable: tasks.flatMap((task) => readTask(task) ?? []),
    wrong: tasks.flatMap((task) => (readTask(task) === undefined ? (readWrongTask(task) ?? []) : [])),
  };
}

function inOrder(
  text: string,
  problems: readonly TextProblem[],
  findings: readonly UnplacedProblem[],
): Problem[] {
  const places = locate(
    text,
    findings.map((finding) => finding.pointer),
  );
  const placed = findings.map(({ atKey, ...finding }) => {
    const place = places.get(finding.pointer);
    return { ...finding, offset: (atKey === true ? place?.key : place?.value) ?? 0 };
  });
  const positionOf = lineCounter(text);
  return [...problems, ...placed].sort(byPlace).map(({ rule, pointer, offset, message, suggestion }) => {
    return { rule, pointer, ...positionOf(offset), message, suggestion };
  });
}

type Placed = Pick<Problem, "rule" | "pointer" | "message"> & { offset: number };

function byPlace(a: Placed, b: Placed): number {
  return (
    a.offset - b.offset ||
    compare(a.rule, b.rule) ||
    compare(a.pointer, b.pointer) ||
    compare(a.message, b.message)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The text with its byte order mark, or the problem that it is not UTF-8. */
function decode(bytes: Uint8Array): string | Problem {
  const decoded = decodeUtf8(bytes);
  if (decoded.ok) return decoded.value;
  const { before, found } = decoded.error;
  const message = `the file is not UTF-8: ${found}`;
  const place = lineCounter(before)(before.length);
  return { rule: "utf-8", pointer: "", ...place, message, suggestion: "save it as UTF-8" };
}
