// Reads a task from one line of a Markdown list: `**T2**: Title (P1) (after T1) (blocked) #tag`. Pure.
import { CANCELLED, priorityIn, stateFor, type WorkState } from "../../check/words.js";

/** The fields of a task that a line gives; others are absent. */
export interface ItemLine {
  id?: string;
  title: string;
  /** The states by its words; its box may say otherwise. */
  states: readonly WorkState[];
  priority?: number;
  dependsOn: readonly string[];
  tags: readonly string[];
  /** The addresses of links in the title, but not those of places in the text. */
  reference: string;
}

/** While it is being read. */
type Words = { -readonly [K in keyof ItemLine]: ItemLine[K] };

/** `**any-id**: `. */
const BOLD_ID = /^\*\*([^\s*]+?)(?:\*\*:|:\*\*)(?:\s+|$)/u;
/** `US-001: `, `T3) `, `FR-2 — `, and the same in code, brackets or bold. */
const NAMED_ID =
  /^(?:\*\*|`|[[(])?([A-Za-z]{1,10}[-_]?\d+(?:\.\d+)*)(?:\*\*|`|[\])])?(?:\s*[:)|]|\s+[–—-]{1,2}(?=\s)|\.(?=\s))\s*/u;
/** `T1.2 `, `US-001 ` without a mark behind it; standards are not ids. */
const BARE_ID =
  /^(?:\*\*|`|\[)?(T\d+(?:\.\d+)*|(?!(?:UTF|SHA|ISO|RFC|AES|ES|MD)-)[A-Z]{2,10}-\d+(?:\.\d+)*)(?:\*\*|`|\])?\s+/u;
/** `1. `, `1.2 `. */
const NUMBER = /^(?:(\d+)[.)](?=\s)|(\d+(?:\.\d+)+)[.):]?(?=\s))\s*/u;
const PRIORITY = /^p[0-5]$/iu;

/** Reads the words behind the box, of which the first line is the title, and the fields in the lines of `told`. */
export function readItem(text: string, told = ""): ItemLine {
  const [first = "", ...more] = text.trim().split("\n");
  const links = [...first.matchAll(LINK)].map(([, , at = ""]) => at);
  const reference = links.filter((at) => /^[^#]/u.test(at)).join(", ");
  const read: Words = { title: first, states: [], dependsOn: [], tags: [], reference };
  readState(read);
  readId(read);
  const front = /^(?:[[(]([^\])]{1,20})[\])]|(p[0-5]):)\s+/iu.exec(read.title);
  const priority = priorityIn(front?.[1] ?? front?.[2] ?? "");
  if (front !== null && priority !== undefined) {
    read.priority = priority;
    read.title = read.title.slice(front[0].length);
  }
  readEnd(read);
  read.title = withoutMarks(read.title);
  // The marks of a wrapped line are at the end of its last one.
  const last: Words = { ...read, title: more.at(-1) ?? "" };
  readEnd(last);
  readFieldLines(last, told);
  return { ...last, title: read.title };
}

/** Text that is struck out, and signs before or behind the words. */
function readState(read: Words): void {
  const struck = /^~~([^~]+)~~$/u.exec(read.title)?.[1];
  if (struck !== undefined) {
    read.title = struck;
    read.states = [{ status: "done", tags: [CANCELLED] }];
  }
  const bare = read.title.replace(/^[✅✔☑]\ufe0f?/u, "").replace(/[✅✔☑]\ufe0f?$/u, "");
  if (bare === read.title) return;
  read.title = bare.trim();
  read.states = [...read.states, { status: "done" }];
}

function readId(read: Words): void {
  // An id may be a link.
  const title = read.title.replace(/^\[([^[\]]+)\]\([^()\s]*\)/u, "$1");
  for (const pattern of [BOLD_ID, NAMED_ID, BARE_ID, NUMBER]) {
    const found = pattern.exec(title);
    const id = found?.[1] ?? found?.[2];
    if (found === null || id === undefined || PRIORITY.test(id)) continue;
    read.id = id;
    read.title = title.slice(found[0].length);
    return;
  }
}

/** A text without the marks of Markdown: bold, italics, struck out, links. Code stays as it is, addresses if they are wanted. */
export function withoutMarks(text: string, hasAddresses = false): string {
  return text
    .split(/`([^`]+)`/u)
    .map((part, at) => (at % 2 === 1 ? part : unmarked(part, hasAddresses)))
    .join("");
}

const LINK = /!?\[([^[\]]+)\]\(([^()\s]*)\)/gu;

/** A mark begins and ends beside a word, unlike those in paths such as `src/**` and names such as `__init__.py`. */
function unmarked(text: string, hasAddresses: boolean): string {
  return text
    .replaceAll(LINK, (_link, words: string, at: string) =>
      hasAddresses && at !== words && /^[^#]/u.test(at) ? `${words} (${at})` : words,
    )
    .replaceAll(
      /(?<![\p{L}\p{N}/*_])(\*\*|__|~~)(?=[^\s*_~/])(.{1,200}?)(?<=[^\s])\1(?![\p{L}\p{N}/*_.(])/gu,
      "$2",
    )
    .replaceAll(/(?<![\p{L}\p{N}/*_])([*_])(?=[^\s*_/])([^*_]+)(?<=\S)\1(?![\p{L}\p{N}/*_.(])/gu, "$2");
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
  const why = [blocked?.[1]?.trim() ?? ""].filter(Boolean);
  const state = blocked === null ? stateFor(words) : { status: "blocked" as const, blockers: why };
  if (priority !== undefined) read.priority = priority;
  else if (state !== undefined) {
    read.states = [...read.states, state];
    // A word for open work says little: it stays in the title.
    return state.status !== "todo";
  } else if (waits !== undefined && read.dependsOn.length === 0 && looksLikeIds(waits))
    read.dependsOn = namesIn(waits);
  else return false;
  return true;
}

/** A line that is a field of the task around it: `**Status:** In progress`, `- Priority: high`, `Depends on: US-001`. */
const FIELD =
  /^[-*+\s]{0,12}(?:(status|state)|(priority)|depends on|dependencies|blocked by)\*{0,2}:\*{0,2}\s(.*)$/iu;

/** Reads the fields that lines of a text give. */
function readFieldLines(read: Words, text: string): void {
  for (const line of text.split("\n")) {
    const [found, isState, isPriority, value = ""] = FIELD.exec(line) ?? [];
    if (found === undefined) continue;
    const bare = withoutMarks(value).replace(/^[^\p{L}\p{N}]+/u, "");
    const words = bare.trim();
    // `blocked - waits for the key`: a word and its reason.
    const [first = "", reason = ""] = words.split(/\s[–—-]{1,2}\s|[:;,(]/u).map((part) => part.trim());
    if (isState !== undefined) {
      const state = stateFor(words) ?? stateFor(first);
      const hasWhy = state?.status === "blocked" && reason !== "";
      if (hasWhy) state.blockers = [reason.replace(/\)$/u, "")];
      if (state !== undefined) read.states = [...read.states, state];
    } else if (isPriority !== undefined) read.priority ??= priorityIn(words) ?? priorityIn(first);
    else if (looksLikeIds(words)) read.dependsOn = [...read.dependsOn, ...namesIn(words)];
  }
}

const GROUP_WORD = /\b(?:user story|story|stories|requirement|feature|task|issue)s?\s+(?=#?\d)/giu;

/** `Task 1, TASK-2 and #3`: words for a group are left out. */
function namesIn(text: string): string[] {
  const words = text.replaceAll(GROUP_WORD, "").split(/[\s,;&]+/u);
  return words.map((name) => name.replace(/^#|\.$/gu, "")).filter((name) => name !== "" && name !== "and");
}

/** An id has a digit, unlike a word of a sentence. */
function looksLikeIds(text: string): boolean {
  return namesIn(text).every((name) => /\d/u.test(name));
}
