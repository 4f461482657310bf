// A backlog as CSV (RFC 4180): a header, one row for each task, CRLF, quotes where they are needed. Pure.
//
// A spreadsheet takes a cell that begins with = + - @ (or a tab or a line break) for a formula, and a backlog holds words of agents: such a cell
// gets an apostrophe in front, which a spreadsheet takes for "this is text" (OWASP, CSV Injection).
import { withoutMarker } from "../../model/select.js";
import type { Backlog, Task } from "../../model/task.js";

const COLUMNS = [
  ...(["id", "title", "status", "priority", "description", "reference", "details", "steps"] as const),
  ...(["blockers", "tags", "files", "depends_on", "verify", "agent", "result", "attempts"] as const),
  ...(["created_at", "updated_at", "meta"] as const),
] satisfies readonly (keyof Task)[];

/** Lists whose items are single words are joined on one line. Other lists have sentences, one per line. */
const WORDS: ReadonlySet<keyof Task> = new Set(["tags", "files", "depends_on"]);

export function exportCsv({ tasks }: Backlog): string {
  const rows = [COLUMNS, ...withoutMarker(tasks).map((task) => COLUMNS.map((key) => textOf(key, task[key])))];
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function textOf(key: keyof Task, value: unknown): string {
  if (value === undefined) return "";
  if (key === "meta") return JSON.stringify(value);
  if (Array.isArray(value)) return value.join(WORDS.has(key) ? ", " : "\n");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function cell(text: string): string {
  const safe = /^[\s'"]*[=+\-@\t\r\n＝＋－＠]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
