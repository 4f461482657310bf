// Detects the format of a foreign file from its content, and from its name only when the content could be two formats. Leaves
// each format to its own file.
import { err, ok, type Result } from "../../../system/result.js";
import { tryParseJson } from "../../../system/text/json.js";
import { checkBacklog } from "../../check/check.js";
import type { Problem } from "../../model/problem.js";
import { readBeads } from "./beads.js";
import { hasBoxes, readChecklist } from "./checklist.js";
import type { Drafted } from "./draft.js";
import { isFields, type Fields } from "../../json/fields.js";
import { readGitHub } from "./github.js";
import { readMarkdown } from "./markdown-lines.js";
import { readOwn } from "./own.js";
import { hasNumberedHeadings, readPrd } from "./prd.js";
import { readRalph } from "./ralph.js";
import { isTagged, readTaskMaster } from "./taskmaster.js";

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
  const text = decoded(bytes);
  if (typeof text !== "string") return text;
  if (text.trim() === "") return err({ what: "there is nothing in it", hint: FORMATS });
  const drafted =
    /^\s*[[{]/u.test(text) && !/\.(?:md|markdown)$/iu.test(name)
      ? readJson(bytes, text, name)
      : readText(text);
  if (!drafted.ok || drafted.value.drafts.length > 0) return drafted;
  return err({ what: `there are no tasks in it (${drafted.value.format})`, hint: FORMATS });
}

function decoded(bytes: Uint8Array): string | Result<never, NoImport> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    return err({ what: `it is not UTF-8${wide ? ", but UTF-16" : ""}`, hint: "save it as UTF-8" });
  }
}

function readText(text: string): Result<Drafted, NoImport> {
  const lines = readMarkdown(text);
  return ok(hasBoxes(lines) && !hasNumberedHeadings(lines) ? readChecklist(lines) : readPrd(lines));
}

function readJson(bytes: Uint8Array, text: string, name: string): Result<Drafted, NoImport> {
  if (isDeep(text)) return err({ what: "it is nested too deeply", hint: FORMATS });
  const whole = tryParseJson(text);
  if (whole.ok) return readValue(whole.value, bytes);
  const lines = text
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : [{ line, number: at + 1 }]));
  const values = lines.map(({ line, number }) => ({ ...tryParseJson(line), number }));
  const [first] = values;
  if (first?.ok === true && isFields(first.value)) {
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
  if (isFields(value)) {
    if (Array.isArray(value["userStories"])) return ok(readRalph(value));
    if (Object.hasOwn(value, "schema_version")) return readBacklog(bytes);
    if (Array.isArray(value["tasks"]) || isTagged(value)) return ok(readTaskMaster(value));
  }
  const items = Array.isArray(value) ? value : [value];
  const list = items.filter(isFields);
  if (items.length === 0) return err({ what: "the list in it is empty", hint: FORMATS });
  if (list.length === items.length) {
    if (list.every((item) => "number" in item && "title" in item)) return ok(readGitHub(list));
    if (list.every((item) => "id" in item && "title" in item)) return readIssues(list);
  }
  return err({ what: "this JSON is not a known list of tasks", hint: FORMATS });
}

function readIssues(list: readonly Fields[]): Result<Drafted, NoImport> {
  if (list.some((item) => "passes" in item || "acceptanceCriteria" in item))
    return ok(readRalph({ userStories: list }));
  if (list.some((item) => "issue_type" in item || "priority" in item || "status" in item))
    return ok(readBeads(list));
  return err({ what: "this JSON is not a known list of tasks", hint: FORMATS });
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

/** Counts brackets outside of strings, because the parsed value is walked by recursion later. */
function isDeep(text: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const one = text[at];
    if (inText) {
      if (one === "\\") at++;
      else if (one === '"') inText = false;
    } else if (one === '"') inText = true;
    else if (one === "[" || one === "{") {
      if (++depth > DEEPEST) return true;
    } else if (one === "]" || one === "}") depth--;
  }
  return false;
}
