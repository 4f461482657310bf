// Detects the format of a foreign file from its content, and from its name only when the content could be two formats. Leaves
// each format to its own file.
import { errorMessage } from "../../../system/errors.js";
import { err, ok, type Result } from "../../../system/result.js";
import { isRecord, tryParseJson } from "../../../system/text/json.js";
import { parse as parseYaml } from "yaml";
import { checkBacklog } from "../../check/check.js";
import type { Problem } from "../../model/problem.js";
import { priorityIn, stateFor } from "../../check/words.js";
import { decode } from "../../understand/understand.js";
import type { Drafted, TaskDraft } from "./plan.js";
import { textOf, type Fields, isIssueOfGitHub, isTask, listsIn, readRecords } from "./records.js";
import { Document, readMarkdown } from "./markdown.js";
import type { Backlog } from "../../model/task.js";
import { given } from "../../../system/given.js";

/** Why a file cannot be imported: `what` completes "FILE: …". */
export interface NoImport {
  what: string;
  hint: string;
}

/** A larger file is not a list of tasks. */
export const MOST_BYTES = 50 * 1024 * 1024;
/** Deeper than any format is nested, and less deep than a task file may be. */
const DEEPEST = 100;

const FORMATS =
  "it takes a Markdown checklist or document, prd.json, tasks.json of task-master, beads' JSON lines, or `gh issue list --json` output";

/** `name`: the file's, as typed. */
export function readImport(bytes: Uint8Array, name: string): Result<Drafted, NoImport> {
  if (bytes.length > MOST_BYTES)
    return err({
      what: `it has ${Math.round(bytes.length / 1024 / 1024)} MB: too much for a list of tasks`,
      hint: FORMATS,
    });
  const decoded = decode(bytes);
  if (decoded === undefined) return err({ what: "it is not UTF-8", hint: "save it as UTF-8" });
  const text = decoded.text.replace(/^\ufeff/u, "");
  if (text.trim() === "") return err({ what: "there is nothing in it", hint: FORMATS });
  const drafted =
    /^\s*[[{]/u.test(text) && !/\.(?:md|markdown)$/iu.test(name)
      ? readJson(bytes, text, name)
      : readText(text);
  if (!drafted.ok || drafted.value.drafts.length > 0) return drafted;
  return err({ what: `there are no tasks in it (${drafted.value.format})`, hint: FORMATS });
}

function readText(text: string): Result<Drafted, NoImport> {
  const lines = text.split(/\r\n|\n|\r/u).map(withoutTabs);
  const end =
    lines[0]?.trimEnd() === "---"
      ? lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/u.test(line))
      : -1;
  const header = end === -1 ? undefined : readHeader("\n" + lines.slice(1, end).join("\n"));
  if (typeof header === "string")
    return err({ what: `its header is not YAML: ${header}`, hint: "put the value in quotes" });
  if (header === undefined) return ok(readMarkdown(lines.join("\n")));
  // The lines keep their numbers.
  const body = "\n".repeat(end + 1) + lines.slice(end + 1).join("\n");
  return ok(isOneTask(header, body) ? readTaskDocument(header, body) : readMarkdown(body));
}

/** Whether a header is that of one task, as Backlog.md writes it, rather than of a page with tasks in it. */
function isOneTask({ id, title, status, priority }: Fields, body: string): boolean {
  const isNamed = textOf(id) !== undefined;
  const hasState = (stateFor(textOf(status) ?? "") ?? priorityIn(textOf(priority) ?? "")) !== undefined;
  return (
    textOf(title) !== undefined &&
    (new Document(body).holdsTasks() ? isNamed && hasState : isNamed || hasState)
  );
}

/** The settings at the top of a text, of another program or of a task; a text: why they cannot be read. */
function readHeader(text: string): Fields | string | undefined {
  try {
    const header: unknown = parseYaml(text, { schema: "core", maxAliasCount: 0 });
    return isRecord(header) ? header : undefined;
  } catch (error) {
    return /^\s*[\w-]+:/u.test(text) ? errorMessage(error).split(":\n")[0] : undefined;
  }
}

/** A line with spaces for the tabs that indent it. */
function withoutTabs(line: string): string {
  return line.replace(/^[ \t]+/u, (space) => {
    let width = 0;
    for (const one of space) width += one === "\t" ? TAB - (width % TAB) : 1;
    return " ".repeat(width);
  });
}

const TAB = 4;

function readJson(bytes: Uint8Array, text: string, name: string): Result<Drafted, NoImport> {
  const whole = tryParseJson(text);
  if (whole.ok) return readValue(whole.value, bytes);
  const lines = text
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : [{ line, number: at + 1 }]));
  const values = lines.map(({ line, number }) => ({ ...tryParseJson(line), number }));
  const [first] = values;
  if (first?.ok === true && isRecord(first.value)) {
    const [broken] = values.flatMap((one) => (one.ok ? [] : [one]));
    if (broken === undefined)
      return readValue(
        values.map((one) => (one.ok ? one.value : undefined)),
        bytes,
      );
    return err({ what: `line ${broken.number} is not JSON: ${broken.error}`, hint: "is the file whole?" });
  }
  if (/^\s*(?:\[[ xX]?\]|\[[^\]"{]+\]\()/u.test(text) && !/\.jsonl?$/iu.test(name)) return readText(text);
  return err({ what: `it is not JSON: ${whole.error}`, hint: "is the file whole?" });
}

function readValue(value: unknown, bytes: Uint8Array): Result<Drafted, NoImport> {
  if (isDeep(value, DEEPEST)) return err({ what: "it is nested too deeply", hint: FORMATS });
  if (isRecord(value) && Object.hasOwn(value, "schema_version")) return readBacklog(bytes);
  const lists = isRecord(value) ? listsIn(value) : [];
  if (isRecord(value) && lists.length > 0) return ok(readRecords(lists, value, formatOf(value)));
  if (isRecord(value) && Array.isArray(value["userStories"])) return ok(readRecords([], {}, formatOf(value)));
  const items = Array.isArray(value) ? value : [value];
  const records = items.filter(isRecord);
  if (items.length === 0) return err({ what: "the list in it is empty", hint: FORMATS });
  const known = records.every((one) => isTask(one) || isIssueOfGitHub(one));
  if (records.length < items.length || !known)
    return err({ what: "this JSON is not a known list of tasks", hint: FORMATS });
  return ok(readRecords([{ path: [], records }], {}, formatOf(records)));
}

function formatOf(value: Fields | readonly Fields[]): string {
  if (!Array.isArray(value))
    return "userStories" in value ? "a prd.json of ralph" : "a tasks.json of task-master";
  const records: readonly Fields[] = value;
  if (records.every(isIssueOfGitHub)) return "issues of GitHub";
  if (records.some((one) => "passes" in one || "acceptanceCriteria" in one)) return "a prd.json of ralph";
  return records.every((one) => "id" in one) ? "issues of beads" : "a list of tasks in JSON";
}

function readBacklog(bytes: Uint8Array): Result<Drafted, NoImport> {
  const checked = checkBacklog(bytes);
  if (checked.kind === "ok") return ok(readOwn(checked.backlog));
  const [first]: readonly Problem[] = checked.problems;
  if (first === undefined) return err({ what: "it is a task file without tasks", hint: FORMATS });
  const { line, column, message } = first;
  const hint = first.suggestion ?? "looper validate FILE shows every problem";
  return err({ what: `it is not a valid task file: line ${line}, column ${column}: ${message}`, hint });
}

/** Whether a value has more levels than are left. It is walked by recursion later. */
function isDeep(value: unknown, left: number): boolean {
  return (
    Object(value) === value &&
    (left === 0 || Object.values(value as object).some((one) => isDeep(one, left - 1)))
  );
}

// Reads a Looper task file, for instance of another project; its tasks keep all their values.

function readOwn({ tasks, project, meta }: Backlog): Drafted {
  return {
    format: "a task file of looper",
    drafts: tasks.map((task): TaskDraft => {
      const { depends_on: dependsOn = [], created_at: createdAt, updated_at: updatedAt, ...rest } = task;
      const { verify, changes, agent, result, attempts, meta: own, ...fields } = rest;
      const others = given({ verify, changes, agent, result, attempts, meta: own });
      return { ...fields, dependsOn, createdAt, updatedAt, own: others };
    }),
    notes: [],
    name: project?.name,
    ...(meta === undefined ? {} : { kept: { meta } }),
  };
}

// Reads a document that is one task, as Backlog.md writes it: its header has the fields, its boxes are the steps, and
// the rest of its text is the details.

function readTaskDocument(header: Fields, body: string): Drafted {
  const { drafts, ...read } = readRecords([{ path: [], records: [header] }], {}, "a task in Markdown");
  const boxes = new Document(body)
    .boxes()
    .map((box) => ({ ...box, words: box.words.replace(/^#\d+\s+/u, "") }));
  const open = boxes.filter(({ done }) => !done);
  const notes = [...read.notes];
  const tasks = drafts.map((draft) => {
    const name = draft.id ?? draft.title;
    const isDone = draft.status === "done" && open.length === 0;
    if (draft.status === "done" && !isDone) notes.push(`${name} is not taken as done: a box in it is open`);
    for (const { words, done } of isDone ? [] : boxes)
      if (done) notes.push(`left out of ${name}: ${words}, which is done`);
    const steps = [...(draft.steps ?? []), ...(isDone ? boxes : open).map(({ words }) => words)];
    const details = [draft.details, textBeside(body, new Set(boxes.map(({ line }) => line)))].filter(Boolean);
    const status = draft.status === "done" && !isDone ? ("todo" as const) : draft.status;
    return { ...draft, status, steps, details: details.join("\n\n") };
  });
  return { ...read, drafts: tasks, notes };
}

/** The text without its boxes, comments, and headings that nothing is left below. */
function textBeside(body: string, boxes: ReadonlySet<number>): string {
  const lines = body
    .split("\n")
    .filter((line, at) => !boxes.has(at + 1) && !line.trimStart().startsWith("<!--"));
  const isHeading = (line: string | undefined): boolean => line === undefined || /^#{1,6} /u.test(line);
  return lines
    .filter(
      (line, at) => !isHeading(line) || !isHeading(lines.slice(at + 1).find((one) => one.trim() !== "")),
    )
    .join("\n")
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim();
}
