// Reads and writes a task as one line of a Markdown checklist: `- [ ] **T2**: Title (P1) (after T1) (blocked) #tag`. Values
// that these words cannot express exactly follow in a comment, which takes precedence. Pure.
import { z } from "zod";
import { isDeepStrictEqual } from "node:util";
import { given } from "../../system/given.js";
import { parseJson } from "../../system/text/json.js";
import { priorityOf } from "../json/fields.js";
import { Status, type Task } from "../model/task.js";

/** The fields of a task that a line gives; others are absent. */
export interface ItemLine {
  id?: string;
  title: string;
  status?: Status;
  priority?: number;
  dependsOn: readonly string[];
  blockers: readonly string[];
  tags: readonly string[];
}

/** While it is being read. */
type Words = { -readonly [K in keyof ItemLine]: ItemLine[K] };

/** The fields of a task that a line can hold. */
export type LineTask = Pick<Task, "id" | "title" | "status" | "priority"> &
  Partial<Pick<Task, "depends_on" | "tags">>;

const Comment = z
  .object({
    id: z.string(),
    title: z.string(),
    status: Status,
    priority: z.int().min(1).max(5),
    depends_on: z.array(z.string()),
    tags: z.array(z.string()),
  })
  .partial();
type Comment = z.infer<typeof Comment>;

const COMMENT = /<!-- looper (\{.*\}) -->$/u;
const BOLD_ID = /^\*\*([^\s*]+)\*\*:(?:\s+|$)/u;
/** `US-001: `, `T3) `, `1. `, `1.2 `, and the `T001 ` of spec-kit. */
const PLAIN_ID =
  /^(?:([A-Za-z]{1,10}-?\d+(?:\.\d+)*)[:)]|(T\d{2,})(?=\s)|(\d+)[.)](?=\s)|(\d+(?:\.\d+)+)[.):]?(?=\s))\s*/u;
const PRIORITY = /^p[0-5]$/iu;

/** Reads the words behind the box. `ticked`: whether the box has a mark. */
export function readItem(text: string, ticked: boolean): ItemLine {
  const comment = commentIn(text.trim());
  const plain = readWords(text.trim().replace(COMMENT, "").trim());
  const { id, priority, depends_on: dependsOn, tags, title, status } = comment;
  const open = status ?? plain.status;
  return {
    ...plain,
    ...given({ id, priority, tags, dependsOn }),
    // If a person edited the words, they count.
    ...(title !== undefined && inOneLine(title) === wordsOf(text) ? { title, blockers: [] } : {}),
    status: ticked ? "done" : open === undefined || open === "done" ? "todo" : open,
  };
}

/** A text without the marks of Markdown: bold, italics, struck out, code, links. The content of code stays as it is. */
export function withoutMarks(text: string): string {
  return text
    .split(/`([^`]+)`/u)
    .map((part, at) => (at % 2 === 1 ? part : unmarked(part)))
    .join("");
}

/** A mark begins and ends beside a word, unlike those in paths such as `src/**` and names such as `__init__.py`. */
function unmarked(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]+)\]\([^)\s]*\)/gu, "$1")
    .replaceAll(/(?<![\p{L}\p{N}/*_])(\*\*|__|~~)(?=[^\s*_~/])(.+?)(?<=[^\s])\1(?![\p{L}\p{N}/*_.(])/gu, "$2")
    .replaceAll(/(?<![\p{L}\p{N}/*_])([*_])(?=[^\s*_/])([^*_]+)(?<=\S)\1(?![\p{L}\p{N}/*_.(])/gu, "$2");
}

function commentIn(text: string): Comment {
  const json = COMMENT.exec(text)?.[1];
  return Comment.safeParse(parseJson(json)).data ?? {};
}

/** The text between the id and the comment. */
function wordsOf(text: string): string {
  return text.trim().replace(COMMENT, "").trim().replace(BOLD_ID, "").trim();
}

function readWords(text: string): ItemLine {
  const read: Words = {
    title: text,
    dependsOn: [],
    blockers: [],
    tags: [],
  };
  const bold = BOLD_ID.exec(read.title);
  const found = bold ?? PLAIN_ID.exec(read.title);
  const [, first, second, third, fourth] = found ?? [];
  const id = first ?? second ?? third ?? fourth;
  if (found !== null && id !== undefined && (bold !== null || !PRIORITY.test(id))) {
    read.id = id;
    read.title = read.title.slice(found[0].length);
  }
  const front = /^(?:[[(]([^\])]{1,20})[\])]|(p[0-5]):)\s+/iu.exec(read.title);
  const priority = priorityIn(front?.[1] ?? front?.[2] ?? "");
  if (front !== null && priority !== undefined) {
    read.priority = priority;
    read.title = read.title.slice(front[0].length);
  }
  readEnd(read);
  read.title = withoutMarks(read.title);
  return read;
}

const TAG = /(?:^|\s)#([\p{L}_][\p{L}\p{N}_/-]*)$/u;
const GROUP = /(?:^|\s)(?:\(([^()]{1,500})\)|\[([^[\]]{1,500})\])$/u;

/** Removes the marks after the title, from the end of the line. */
function readEnd(read: Words): void {
  for (;;) {
    read.title = read.title.trimEnd();
    const tag = TAG.exec(read.title);
    const group = tag === null ? GROUP.exec(read.title) : null;
    const taken = tag ?? group;
    if (taken === null || taken.index === 0) return;
    if (tag?.[1] !== undefined) read.tags = [tag[1], ...read.tags];
    else if (!readGroup(read, group?.[1] ?? group?.[2] ?? "")) return;
    read.title = read.title.slice(0, taken.index);
  }
}

const WAITS = /^(?:depends on|after|blocked by|requires|needs):?\s+(.+)$/iu;
const BLOCKED = /^blocked(?::\s*(.+))?$/iu;

/** Whether the words in brackets mean something. */
function readGroup(read: Words, words: string): boolean {
  const priority = read.priority === undefined ? priorityIn(words) : undefined;
  const waits = WAITS.exec(words)?.[1];
  const blocked = BLOCKED.exec(words);
  if (priority !== undefined) read.priority = priority;
  else if (/^(?:doing|in progress)$/iu.test(words)) read.status = "doing";
  else if (blocked !== null) {
    read.status = "blocked";
    read.blockers = blocked[1] === undefined ? [] : [blocked[1].trim()];
  } else if (waits !== undefined && read.dependsOn.length === 0 && looksLikeIds(waits))
    read.dependsOn = namesIn(waits);
  else return false;
  return true;
}

function namesIn(text: string): string[] {
  return text.split(/[\s,]+/u).filter((name) => name !== "" && name !== "and");
}

/** An id has a digit, unlike a word of a sentence. */
function looksLikeIds(text: string): boolean {
  return namesIn(text).every((name) => /\d/u.test(name));
}

/** `P1`, `high`, `high priority`, `priority: high`, `priority 1`. */
export function priorityIn(words: string): number | undefined {
  const bare = words.trim().replace(/\s+priority$/iu, "");
  const named = /^prio(?:rity)?\s*[:= ]\s*(.+)$/iu.exec(bare)?.[1];
  const digit = /^p?([0-5])$/iu.exec(named ?? (PRIORITY.test(bare) ? bare : ""))?.[1];
  return digit === undefined ? priorityOf(named ?? bare) : Math.max(1, Number(digit));
}

const USUAL_PRIORITY = 3;
/** Ids and tags that can be written as words. */
const PLAIN_NAME = /^[^\s,()[\]]*\d[^\s,()[\]]*$/u;
const PLAIN_TAG = /^[\p{L}_][\p{L}\p{N}_/-]*$/u;
/** Characters that a terminal or a Markdown renderer would interpret. */
const STRANGE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** The line, with its box. Reading it gives the same task. */
export function writeItem(task: LineTask): string {
  const { id, title, priority, status, depends_on: waits = [], tags = [] } = task;
  const groups = [
    ...(priority === USUAL_PRIORITY ? [] : [`(P${priority})`]),
    ...(waits.length > 0 && waits.every((name) => PLAIN_NAME.test(name) && inOneLine(name) === name)
      ? [`(after ${waits.join(", ")})`]
      : []),
    ...(status === "doing" || status === "blocked" ? [`(${status})`] : []),
    ...tags.filter((tag) => PLAIN_TAG.test(tag)).map((tag) => `#${tag}`),
  ];
  const words = `**${shownId(id)}**: ${[inOneLine(title), ...groups].filter((part) => part !== "").join(" ")}`;
  const ticked = status === "done";
  const read = readItem(words, ticked);
  // If the words do not express the task exactly, the comment has the title too.
  const exact = read.title === title;
  const rest: Comment = {
    ...(read.id === id ? {} : { id }),
    ...(exact ? {} : { title }),
    ...((read.priority ?? USUAL_PRIORITY) === priority ? {} : { priority }),
    ...(read.status === status ? {} : { status }),
    ...(isDeepStrictEqual(read.dependsOn, waits) ? {} : { depends_on: waits }),
    ...(isDeepStrictEqual(read.tags, tags) ? {} : { tags }),
  };
  const shown = exact ? words : `**${shownId(id)}**: ${inOneLine(title)}`;
  const whole = exact
    ? rest
    : { ...rest, title, priority, depends_on: waits, tags, ...(ticked ? {} : { status }) };
  const comment = Object.keys(whole).length === 0 ? "" : ` <!-- looper ${escaped(whole)} -->`;
  return `- [${ticked ? "x" : " "}] ${shown}${comment}`;
}

function escaped(comment: Comment): string {
  const escape = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(comment).replaceAll(/[<>]|--|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    found.split("").map(escape).join(""),
  );
}

function shownId(id: string): string {
  return inOneLine(id).replaceAll(/[\s*]/gu, "") || "?";
}

function inOneLine(text: string): string {
  return text.replaceAll(STRANGE, " ").replaceAll("<!--", "< !--").replaceAll(/\s+/gu, " ").trim();
}
