// How notes are written down and found again: Markdown that a person may edit. Pure.
// Leaves the files to memory.ts.
import { keepEnd, keepStart } from "../../system/text/cut.js";

/** The part of a prompt one memory file may take, characters, its mark included. */
const MOST_IN_PROMPT = 3_000;
/** Room for the mark of a cut. */
const MARK_ROOM = 50;
const LONGEST_SNIPPET = 240;

/** `YYYY-MM-DD` and `HH:MM` as a clock on the wall in `zone` shows them. `at`: epoch ms. */
export function formatWallClock(at: number, zone: string): { day: string; time: string } {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  return {
    day: `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`,
    time: `${part("hour")}:${part("minute")}`,
  };
}

/** A note as an item of a list: `head` stands before it, its further lines are indented so that none of them begins another. */
export function formatItem(head: string, note: string): string {
  // A comment in it could end the section that the program writes in.
  const lines = note
    .trim()
    .replaceAll("<!--", "<! --")
    .split(/\r\n|\r|\n/);
  return `- ${[`${head} ${lines[0] ?? ""}`, ...lines.slice(1)].join("\n  ").replaceAll(/[ \t]+$/gm, "")}\n`;
}

/** A part of a file that the program writes, between two comments; all else in the file is a person's. */
export interface Section {
  /** In the comments: `looper:notes`. */
  mark: string;
  heading: string;
  /** Items that are kept, the newest. */
  most: number;
}

/** The text with an item added at the end of the section, which is made where there is none. */
export function addToSection(text: string, section: Section, item: string): string {
  const begin = `<!-- ${section.mark} -->\n`;
  const end = `<!-- /${section.mark} -->`;
  const from = text.indexOf(begin);
  const to = from < 0 ? -1 : text.indexOf(end, from);
  if (to < 0) {
    const before = text.trim() === "" ? "" : `${text.trimEnd()}\n\n`;
    return `${before}${begin}## ${section.heading}\n\n${item}${end}\n`;
  }
  const [head = "", ...items] = text.slice(from + begin.length, to).split(/^(?=- )/m);
  const kept = [...items, item].slice(-section.most);
  return text.slice(0, from) + begin + head + kept.join("") + text.slice(to);
}

/** A line that was searched for. */
export interface Hit {
  /** From 1. */
  line: number;
  /** The line, or what of it is around the hit. */
  snippet: string;
}

/** The lines that hold every word of the query, whatever the case; the last one first, because notes are added at the end. */
export function findLines(text: string, query: string): Hit[] {
  const words = fold(query)
    .split(/\s+/)
    .filter((word) => word !== "");
  const hits: Hit[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const folded = fold(line);
    if (words.length > 0 && words.every((word) => folded.includes(word)))
      hits.push({ line: index + 1, snippet: cutSnippet(line, folded.indexOf(words[0] ?? "")) });
  }
  return hits.reverse();
}

function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

function cutSnippet(line: string, at: number): string {
  const trimmed = line.trim();
  if (trimmed.length <= LONGEST_SNIPPET) return trimmed;
  const from = Math.max(0, Math.min(at - LONGEST_SNIPPET / 3, line.length - LONGEST_SNIPPET));
  return keepStart(keepEnd(line, line.length - from), LONGEST_SNIPPET).trim();
}

/** The end of a day's notes, as a prompt holds it: the newest stand there. */
export function truncateStart(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MOST_IN_PROMPT) return trimmed;
  const kept = keepEnd(trimmed, MOST_IN_PROMPT - MARK_ROOM);
  return `${formatMark(trimmed.length - kept.length)}\n${kept}`;
}

/** Both ends of the long-term notes: what a person wrote first, and what was added last. */
export function truncateMiddle(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MOST_IN_PROMPT) return trimmed;
  const half = (MOST_IN_PROMPT - MARK_ROOM) / 2;
  const [start, end] = [keepStart(trimmed, half), keepEnd(trimmed, half)];
  return `${start}\n${formatMark(trimmed.length - start.length - end.length)}\n${end}`;
}

function formatMark(count: number): string {
  return `[… truncated: ${count} characters]`;
}
