// Checks whether a file is a backlog and reports all its problems at once, in file order; the same bytes give the same
// result. JSON.parse reads the value; file-text.ts finds the problems of the text, shape.ts and rules.ts those of the value.
import { decodeUtf8 } from "../../system/text/decode-utf8.js";
import { given } from "../../system/given.js";
import { parseJson, isRecord } from "../../system/text/json.js";
import { lineCounter } from "../../system/text/line-counter.js";
import { locator, readText, type FileText, type TextProblem } from "../json/file-text.js";
import type { UnplacedProblem, Problem } from "../model/problem.js";
import { checkProgress, checkRules, property } from "./rules.js";
import { explainShape, isBacklog, readTask, readWrongTask, type WrongTask } from "./shape.js";
import type { Backlog, Task } from "../model/task.js";
import type { UserSchema } from "./user-schema.js";
import { compareText } from "../model/order.js";

export interface CheckOptions {
  /** The agents that a task may name; without it, any name is valid. */
  agentNames?: readonly string[];
  /** A further schema that the file must meet. */
  schema?: UserSchema;
  /** Answers in the file that do not count are problems too; a run puts them back, and continues. */
  answers?: true;
}

export type CheckResult =
  /** `text` is what an edit needs. `bom`: the file has a byte order mark. */
  | { kind: "ok"; backlog: Backlog; text: FileText; bom: boolean }
  /** Without tasks: white space only, `{}`, or an empty `tasks`. `backlog` is set if it is still valid. */
  | { kind: "empty"; problems: Problem[]; backlog?: Backlog; text?: FileText; bom: boolean }
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
  const { file, problems } = readText(text);
  // Of a text that is nested too deep nothing more is read: other readers of a value may recurse.
  if (problems.some(({ rule }) => rule === "syntax" || rule === "nesting")) {
    // Of a text that is not JSON as a whole the tasks whose own text is.
    const tasksOf = sorted(file.rows.map((row) => parseJson(row)));
    return { kind: "invalid", problems: inOrder(text, file, { problems, findings: [] }), ...tasksOf };
  }
  const value: unknown = JSON.parse(text);
  const findings = [...explainShape(value), ...rulesIn(value, options), ...(options.schema?.(value) ?? [])];
  if (problems.length === 0 && findings.length === 0) {
    // Its shape has no problem.
    const backlog = value as Backlog;
    if (backlog.tasks.length > 0) return { kind: "ok", backlog, text: file, bom };
    return { kind: "empty", problems: [], backlog, text: file, bom };
  }
  const placed = inOrder(text, file, { problems, findings });
  if (hasNoTasks(value)) return { kind: "empty", problems: placed, bom };
  const tasks = property(value, "tasks");
  return { kind: "invalid", problems: placed, ...sorted(Array.isArray(tasks) ? tasks : []) };
}

/**
 * The backlog of a valid file that holds tasks, for commands that only read it; `undefined` for any other, which
 * `checkBacklog` explains. Keys that are given twice are not looked for: that takes as long as all the rest.
 */
export function readBacklog(bytes: Uint8Array, options: CheckOptions = {}): Backlog | undefined {
  const decoded = decode(bytes);
  const value = typeof decoded === "string" ? parseJson(decoded) : undefined;
  if (!isBacklog(value) || value.tasks.length === 0) return undefined;
  return options.schema !== undefined || rulesIn(value, options).length > 0 ? undefined : value;
}

function rulesIn(value: unknown, { agentNames, answers }: CheckOptions): UnplacedProblem[] {
  const tasks = property(value, "tasks");
  const progress = Array.isArray(tasks) ? checkProgress(tasks, given({ answers })) : [];
  return [...checkRules(value, agentNames), ...progress];
}

function hasNoTasks(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { tasks } = value;
  return Object.keys(value).length === 0 || (Array.isArray(tasks) && tasks.length === 0);
}

function nothingThere(): Problem {
  const message = "there is nothing in the file";
  return { rule: "syntax", pointer: "", line: 1, column: 1, message, suggestion: "expected a JSON object" };
}

type Tasks = Pick<Extract<CheckResult, { kind: "invalid" }>, "readable" | "wrong">;

function sorted(tasks: readonly unknown[]): Tasks {
  return {
    readable: tasks.flatMap((task) => readTask(task) ?? []),
    wrong: tasks.flatMap((task) => (readTask(task) === undefined ? (readWrongTask(task) ?? []) : [])),
  };
}

function inOrder(
  text: string,
  file: FileText,
  { problems, findings }: { problems: readonly TextProblem[]; findings: readonly UnplacedProblem[] },
): Problem[] {
  const placeOf = findings.length === 0 ? undefined : locator(file);
  const placed = findings.map(({ atKey, ...finding }) => {
    const place = placeOf?.(finding.pointer);
    return { ...finding, offset: (atKey === true ? place?.key : place?.value) ?? 0 };
  });
  const positionOf = lineCounter(text);
  return [...problems, ...placed].sort(byPlace).map(({ rule, pointer, offset, message, suggestion }) => {
    return { rule, pointer, ...positionOf(offset), message, suggestion };
  });
}

type Placed = Pick<Problem, "rule" | "pointer" | "message"> & { offset: number };

function byPlace(a: Placed, b: Placed): number {
  const textOf = ({ rule, pointer, message }: Placed): string => [rule, pointer, message].join("\0");
  return a.offset - b.offset || compareText(textOf(a), textOf(b));
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
