// Reads the bytes of a workflow file: JSON (comments allowed) or YAML. Every problem has its line, column and a suggestion.
// Pure. Leaves finding the file to the floor of the settings.
import { shorten } from "../../system/text/cut.js";
import { sha256Hex } from "../../system/text/sha256.js";
import { decodeUtf8 } from "../../system/text/decode-utf8.js";
import { lineCounter } from "../../system/text/line-counter.js";
import {
  readJsonSource,
  readYamlSource,
  type TextPlace,
  type SourcePath,
  type SourceText,
} from "../../system/text/source-text.js";
import type { WorkflowProblem } from "./problem.js";
import { problemsOf } from "./problems.js";
import { readShape } from "./shape.js";
import type { Workflow } from "../workflow.js";

/** A problem in a file. */
export interface PlacedProblem extends TextPlace {
  message: string;
  suggestion?: string;
}

/** A workflow file, read: the workflow, or each problem in the file's order. */
export type WorkflowReading =
  | { workflow: Workflow; digest: string; source: SourceText; problems: readonly [] }
  | { workflow?: undefined; problems: readonly PlacedProblem[] };

/** `name`: the file's name without its ending, which the workflow must have; absent: any. */
export interface WorkflowFacts {
  name?: string;
  yaml: boolean;
}

export function readWorkflow(bytes: Uint8Array, { name, yaml }: WorkflowFacts): WorkflowReading {
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) {
    const { before, found } = decoded.error;
    const message = `the file is not UTF-8: ${found}`;
    return { problems: [{ ...lineCounter(before)(before.length), message, suggestion: "save it as UTF-8" }] };
  }
  const text = decoded.value.replace(/^\uFEFF/u, "");
  if (!/\S/u.test(text)) return { problems: [{ line: 1, column: 1, ...EMPTY }] };
  const read = yaml ? readYamlSource(text) : readJsonSource(text, { comments: true });
  if (!read.ok) return { problems: [{ ...read.error, ...hintOn(read.error.message) }] };
  const source = read.value;
  if (source.value === undefined || source.value === null)
    return { problems: [{ line: 1, column: 1, ...EMPTY }] };
  const { workflow, problems } = judge(source.value, name);
  if (workflow !== undefined && problems.length === 0)
    return { workflow, digest: digestOf(workflow), source, problems: [] };
  const placed = problems.map(({ path, ...problem }) => ({ ...source.placeOf(path), ...problem }));
  return { problems: placed.sort((a, b) => a.line - b.line || a.column - b.column) };
}

const EMPTY = {
  message: "there is nothing in the file",
  suggestion: "looper workflows show implement-review prints one to begin with",
};

/** The advice on a text that is not JSON or YAML. */
function hintOn(message: string): { suggestion?: string } {
  if (/is given twice|must be unique/u.test(message)) return { suggestion: "remove one of the two" };
  if (/tag .+ is not read/u.test(message))
    return { suggestion: "remove it, or write the value as JSON would" };
  if (/end of file expected/u.test(message)) return { suggestion: "remove what follows the workflow" };
  if (/unexpected end|expected$/u.test(message))
    return { suggestion: "complete the text: a bracket or a quote is not closed, or the file is cut off" };
  if (/alias/iu.test(message)) return { suggestion: "write the values out" };
  return {};
}

function judge(
  value: unknown,
  name: string | undefined,
): { workflow?: Workflow; problems: WorkflowProblem[] } {
  const strange = strangeParts(value, []);
  if (strange.length > 0) return { problems: strange };
  const shape = readShape(value);
  if (!("workflow" in shape)) return shape;
  const { workflow } = shape;
  const problems = problemsOf(workflow);
  if (name !== undefined && workflow.name !== name)
    problems.unshift({
      path: ["name"],
      message: `its name is ${JSON.stringify(workflow.name)}, but the file is called ${JSON.stringify(name)}`,
      suggestion: "give both the same name",
    });
  return { workflow, problems };
}

/**
 * Texts that would steer the terminal they are shown in, and the one key that objects do not keep. Other keys are held against
 * the rule of names.
 */
function strangeParts(value: unknown, path: SourcePath): WorkflowProblem[] {
  if (typeof value === "string") {
    const message = `there is a control character in ${quote(value)}`;
    return CONTROL.test(value) ? [{ path, message, suggestion: "remove it" }] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item: unknown, at) => [at, item])
    : Object.entries(value);
  return members.flatMap(([key, member]) => strangeKey(key, path) ?? strangeParts(member, [...path, key]));
}

function strangeKey(key: string | number, path: SourcePath): WorkflowProblem[] | undefined {
  if (key === "__proto__")
    return [{ path: [...path, key], message: '"__proto__" cannot be a name', suggestion: "remove it" }];
  if (key !== "<<") return undefined;
  const message = 'merge keys ("<<") are not part of YAML 1.2';
  return [
    { path: [...path, key], message, suggestion: "write the keys out, or give a whole value an alias" },
  ];
}

/** Any but tabs and line breaks, and the marks that turn the direction of text around: a person approves what the file shows. */
const CONTROL = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

function quote(text: string): string {
  const at = text.search(CONTROL);
  const near = at < 40 ? shorten(text, 60) : `…${shorten(text.slice(at - 20), 60)}`;
  return JSON.stringify(near).replaceAll(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The digest of a workflow: that of its content, whatever its file looks like. */
export function digestOf(workflow: Workflow): string {
  return sha256Hex(JSON.stringify(workflow));
}
