// Spells the fields of a report as its shape wants them, where they can have only one meaning: agents put marks of Markdown around a word,
// write a text where a list belongs, or leave out the title of a task that they describe. Pure. Leaves judging the report to extract.ts.
import { isRecord } from "../system/text/json.js";
import { statusFor } from "../todo/check/words.js";
import { NewTask, Summary } from "../todo/model/summary.js";
import { understandTask } from "../todo/understand/understand.js";

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
      return typeof value === "string" ? [value].filter((text) => text.trim() !== "") : value;
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
