// Reads a task from one line of a Markdown checklist: `- [ ] **T2**: Title (P1) (after T1) (blocked) #tag`. Pure.
import { priorityOf } from "../../json/fields.js";
import type { Status } from "../../model/task.js";

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

const BOLD_ID = /^\*\*([^\s*]+)\*\*:(?:\s+|$)/u;
/** `US-001: `, `T3) `, `1. `, `1.2 `, and the `T001 ` of spec-kit. */
const PLAIN_ID =
  /^(?:([A-Za-z]{1,10}-?\d+(?:\.\d+)*)[:)]|(T\d{2,})(?=\s)|(\d+)[.)](?=\s)|(\d+(?:\.\d+)+)[.):]?(?=\s))\s*/u;
const PRIORITY = /^p[0-5]$/iu;

/** Reads the words behind the box. `ticked`: whether the box has a mark. */
export function readItem(text: string, ticked: boolean): ItemLine {
  const read = readWords(text.trim());
  return { ...read, status: ticked ? "done" : (read.status ?? "todo") };
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
    .replaceAll(/!?\[([^[\]]+)\]\([^()\s]*\)/gu, "$1")
    .replaceAll(
      /(?<![\p{L}\p{N}/*_])(\*\*|__|~~)(?=[^\s*_~/])(.{1,200}?)(?<=[^\s])\1(?![\p{L}\p{N}/*_.(])/gu,
      "$2",
    )
    .replaceAll(/(?<![\p{L}\p{N}/*_])([*_])(?=[^\s*_/])([^*_]+)(?<=\S)\1(?![\p{L}\p{N}/*_.(])/gu, "$2");
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

const WAITS = /^(?:depends on|after|blocked by|requires|needs):?\s+(\S.*)$/iu;
const BLOCKED = /^blocked(?::\s*(\S.*))?$/iu;

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
  const bare = words.trim().replace(/(?<!\s)\s+priority$/iu, "");
  const named = /^prio(?:rity)?(?:\s*[:=]\s*|\s+)(\S.*)$/iu.exec(bare)?.[1];
  const digit = /^p?([0-5])$/iu.exec(named ?? (PRIORITY.test(bare) ? bare : ""))?.[1];
  return digit === undefined ? priorityOf(named ?? bare) : Math.max(1, Number(digit));
}
