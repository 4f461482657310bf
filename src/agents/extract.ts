// The report in an agent's final message: the last JSON object, fenced or not, that is a summary.
// Leaves what the summary is worth (whose task, whether done is done) to the loop.
import { AgentReport, StageAgentReport, Summary, NewTask } from "../todo/model/summary.js";
import type { FoundReport } from "./agent.js";
import { field } from "./fields.js";
import { isRecord } from "../system/text/json.js";
import { findObjects, type Broken, type Span } from "./json-objects.js";
import { statusFor } from "../todo/check/words.js";
import { understandTask } from "../todo/understand/understand.js";

/** Characters of an object with nothing but a status. */
const MOST_LEAST = 200;
/** The most slips that are mended in one message: what mends one costs as much as reading it. */
const MOST_SLIPS = 20;

/**
 * Linear in the message. An object that is a summary wins over any inside it; else the last one wins. `outcomes`: those of the
 * stage of a workflow; its reports have more than a summary. Slips in JSON that leave one meaning are mended.
 */
export function extractReport(message: string, outcomes?: readonly string[]): FoundReport {
  const first = readReport(message, outcomes);
  let { broken } = first;
  for (let [text, slips] = [message, 0]; broken !== undefined && slips < MOST_SLIPS; slips++) {
    const mended = mendSlip(text, broken.at);
    if (mended === undefined) break;
    text = mended;
    const next = readReport(text, outcomes);
    if ("found" in next.report) return next.report;
    broken = next.broken;
  }
  return first.report;
}

/** `broken`: the object that would have been the report, if it is not JSON. */
function readReport(
  message: string,
  outcomes: readonly string[] | undefined,
): { report: FoundReport; broken?: Broken } {
  const { objects, broken } = findObjects(message, "task_id", "status");
  let invalid: { start: number; why: string } | undefined;
  for (const span of objects.reverse()) {
    const report = lookInto(message, span, outcomes);
    if (report === undefined) continue;
    if ("found" in report) return { report };
    if ("invalid" in report) invalid ??= { start: span.start, why: report.invalid };
  }
  const isLast = broken !== undefined && broken.start > (invalid?.start ?? -1);
  const why = isLast ? describe(message, broken) : "";
  // Without an id it may be anything, also the answer of a provider.
  if (isLast && message.slice(broken.start, broken.at).includes('"task_id"'))
    return { report: { invalid: why }, broken };
  const report = invalid === undefined ? readLeast(message, objects, outcomes) : { invalid: invalid.why };
  if (!isLast || "found" in report) return { report };
  return { report: "missing" in report ? { missing: `${report.missing}; ${why}` } : report, broken };
}

/** The last object with nothing but a status, in whatever letters and word. Only where no object is a report as it is. */
function readLeast(
  message: string,
  objects: readonly Span[],
  outcomes: readonly string[] | undefined,
): FoundReport {
  let missing = NO_REPORT;
  for (const { start, end } of objects) {
    if (end - start > MOST_LEAST) continue;
    const [[key, status] = ["", undefined], ...more] = Object.entries(
      JSON.parse(message.slice(start, end)) as object,
    );
    if (key.toLowerCase() !== "status" || typeof status !== "string" || more.length > 0) continue;
    const report = judgeReport({ status }, outcomes);
    if ("found" in report) return report;
    if (missing === NO_REPORT)
      missing = `the status ${JSON.stringify(status)} is none of ${STATUSES.join(", ")}`;
  }
  return { missing };
}

/** Mends what stops JSON at an offset: a comma before the end, a comment, line breaks in a text. `undefined`: it is another thing. */
function mendSlip(text: string, at: number): string | undefined {
  const before = text.slice(0, at).trimEnd();
  if ("}]".includes(text.charAt(at)) && before.endsWith(",")) return before.slice(0, -1) + text.slice(at);
  const comment = /(?:\/\/[^\n]*|\/\*[^]*?\*\/)/y;
  comment.lastIndex = at;
  if (comment.test(text)) return text.slice(0, at) + text.slice(comment.lastIndex);
  if (text[at] !== '"') return undefined;
  const body = /(?:[^"\\]|\\[^])*/y;
  body.lastIndex = at + 1;
  body.test(text);
  const said = text.slice(at, body.lastIndex);
  const escaped = said.replaceAll(/[\n\r\t]/g, (one) => JSON.stringify(one).slice(1, -1));
  return escaped === said ? undefined : text.slice(0, at) + escaped + text.slice(body.lastIndex);
}

/** The least that is a report. */
const NO_REPORT = 'no JSON object with a status: the least report is {"status": "done"}';

/** Checks a value that the agent returned as its report. */
export function judgeReport(value: unknown, outcomes?: readonly string[]): FoundReport {
  const [shape, given] =
    outcomes === undefined ? [AgentReport, value] : [StageAgentReport, completeStage(value, outcomes)];
  const plain = withoutEmptyId(dropNulls(given));
  const read = shape.safeParse(isRecord(plain) ? plainReport(plain) : plain);
  if (read.success) return { found: read.data };
  const why = read.error.issues.map((issue) => `${issue.path.join(".") || "the summary"}: ${issue.message}`);
  return { invalid: why.slice(0, 3).join("; ") };
}

/**
 * In a stage the outcome is what counts: where it is reported, or a question is, the status can only be `done`. A status
 * that is one of the outcomes is that outcome.
 */
function completeStage(value: unknown, outcomes: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const [status, said, asked] = ["status", "outcome", "questions"].map(
    (key) => field(value, key) ?? undefined,
  );
  const meant = [said, status].flatMap((one) => (typeof one === "string" ? [one, bareWord(one)] : []));
  const outcome = meant.find((one) => outcomes.includes(one)) ?? said;
  const questions = typeof asked === "string" ? [asked] : plainTexts(asked);
  const isStatus = Summary.shape.status.safeParse(status).success && status !== "reviewed";
  const tells = outcome !== undefined || (Array.isArray(questions) && questions.length > 0);
  const done = !isStatus && (tells || status === "reviewed");
  return { ...value, outcome, questions, status: done ? "done" : status };
}

/** The strict schema has agents say `null` for what they have nothing to say on: the same as leaving it out. */
function dropNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(dropNulls);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, one]) => one !== null || key === "task_id")
      .map(([key, one]) => [key, key === "new_tasks" ? dropNulls(one) : one]),
  );
}

/** An empty `task_id` means the task that was given, as none does. */
function withoutEmptyId(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const id = field(value, "task_id");
  if (typeof id !== "string" || id === id.trim()) return id === "" ? { ...value, task_id: null } : value;
  return { ...value, task_id: id.trim() === "" ? null : id.trim() };
}

function lookInto(
  message: string,
  { start, end }: Span,
  outcomes: readonly string[] | undefined,
): FoundReport | undefined {
  const json = message.slice(start, end);
  const keys = outcomes === undefined ? ["task_id", "status"] : ["task_id", "status", "outcome", "questions"];
  if (!keys.some((key) => json.includes(`"${key}"`))) return undefined;
  const left: unknown[] = [JSON.parse(json)];
  let invalid: FoundReport | undefined;
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (looksLikeSummary(value) || (outcomes !== undefined && looksLikeStage(value))) {
      const report = judgeReport(value, outcomes);
      if ("found" in report) return report;
      invalid ??= report;
    }
    // Not spread as arguments: there may be more members than a call takes. Later members are looked at first.
    for (const member of Object.values(value)) left.push(member);
  }
  return invalid;
}

function looksLikeSummary(value: object): boolean {
  if (field(value, "task_id") !== undefined) return true;
  const status = field(value, "status");
  if (status === undefined || field(value, "id") !== undefined) return false;
  if (Summary.shape.status.safeParse(status).success) return true;
  return ["summary", "blockers", "new_tasks"].some((key) => field(value, key) !== undefined);
}

function looksLikeStage(value: object): boolean {
  const hasOutcome = typeof field(value, "outcome") === "string";
  return hasOutcome || (field(value, "questions") !== undefined && field(value, "summary") !== undefined);
}

function describe(message: string, { start, at }: Broken): string {
  const where = at >= message.length ? "breaks off" : `stops being JSON at ${position(message, at)}`;
  return `the summary that begins at ${position(message, start)} of the final message ${where}`;
}

function position(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return `line ${line}, column ${offset - before.lastIndexOf("\n")}`;
}

const STATUSES: readonly string[] = Summary.shape.status.options;
const MARKS = " \t\r\n`'\"*_.!#[]✅✔✓";

/** A word without quotes, marks of Markdown and the end of a sentence around it. */
export function bareWord(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && MARKS.includes(text.charAt(start))) start++;
  while (end > start && MARKS.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

export function plainReport(report: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(report).map(([key, value]) => [key, plainField(key, value)]));
}

function plainField(key: string, value: unknown): unknown {
  switch (key) {
    case "task_id":
      return typeof value === "number" ? String(value) : value;
    case "status":
      return typeof value === "string" ? statusOf(bareWord(value)) : value;
    case "summary":
    case "changes_checks":
      return isTexts(value) ? value.join("\n") : value;
    case "files":
    case "blockers":
      return typeof value === "string" ? [value].filter((text) => text.trim() !== "") : plainTexts(value);
    case "new_tasks":
      return (Array.isArray(value) ? value : [value]).map(plainTask);
    default:
      return value;
  }
}

function statusOf(word: string): string {
  const lower = word.toLowerCase();
  if (STATUSES.includes(lower)) return lower;
  if (/^(?:success(?:ful)?|succeeded|fixed|implemented)$/.test(lower)) return "done";
  const status = statusFor(word);
  return status === "done" || status === "blocked" ? status : word;
}

/** Objects in a list of texts are their texts; those in a list of their own, such as the options of a question, are a line each. */
function plainTexts(value: unknown): unknown {
  return Array.isArray(value) ? value.map((one) => plainText(one) ?? (one as unknown)) : value;
}

function plainText(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const parts = Object.values(value);
  const said = textsIn(parts).join(": ");
  const lines: unknown[] = parts.flatMap((part) => (Array.isArray(part) ? (part as unknown[]) : []));
  const options = lines.map((line) => (isRecord(line) ? textsIn(Object.values(line)).join(": ") : line));
  return said === "" ? undefined : [said, ...textsIn(options).map((option) => `- ${option}`)].join("\n");
}

function textsIn(values: readonly unknown[]): string[] {
  return values.filter((one): one is string => typeof one === "string" && one.trim() !== "");
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** A text is a task's title; a task without one is called by the first line of its text. */
function plainTask(task: unknown): unknown {
  if (typeof task === "string" && task.trim() !== "") return { title: task.trim() };
  if (!isRecord(task) || NewTask.safeParse(task).success) return task;
  const { members } = understandTask(task);
  const texts = ["title", "description", "details"].map((key) => members[key]);
  const lines = texts.flatMap((text) => (typeof text === "string" ? text.trim().split("\n", 1) : []));
  const title = lines.find((line) => line !== "");
  return title === undefined ? members : { ...members, title };
}
