// Formats and searches notes, which are Markdown that a person may edit. Pure. memory.ts reads and writes the files.
import { keepEnd, keepStart } from "../../system/text/cut.js";

/** The most characters of a memory file in a prompt, including the truncation mark. */
const MOST_IN_PROMPT = 3_000;
/** Room for the truncation mark. */
const MARK_ROOM = 50;
const LONGEST_SNIPPET = 240;
const MINUTE_MS = 60_000;

/** How far a wall clock is ahead of UTC at an instant, in minutes. `at`: epoch ms. */
export type WallClockOffset = (at: number) => number;

/** Returns `YYYY-MM-DD` and `HH:MM` as the wall clock shows them. `at`: epoch ms. */
export function formatWallClock(at: number, offset: WallClockOffset): { day: string; time: string } {
  const [day = "", time = ""] = new Date(at + offset(at) * MINUTE_MS).toISOString().split("T");
  return { day, time: time.slice(0, "HH:MM".length) };
}

/** Formats a note as a list item that begins with `head`. Further lines are indented, so that none begins another item. */
export function formatItem(head: string, note: string): string {
  // A comment in the note could end the section.
  const lines = note
    .trim()
    .replaceAll("<!--", "<! --")
    .split(/\r\n|\r|\n/);
  return `- ${[`${head} ${lines[0] ?? ""}`, ...lines.slice(1)].map((line) => line.trimEnd()).join("\n  ")}\n`;
}

/** The part of a file that the program writes, between two comments. The rest of the file belongs to people. */
export interface Section {
  /** The name in the comments: `looper:notes`. */
  mark: string;
  heading: string;
  /** The most items, of which the newest are kept. */
  most: number;
}

/** Adds an item at the end of the section, and creates the section if it is missing. */
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

/** A line that a search found. */
export interface Hit {
  /** The line number, from 1. */
  line: number;
  /** The line, or its part around the hit. */
  snippet: string;
}

/** Finds the lines with every word of the query, in any case. The last line is first, because notes are appended. */
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

/** Truncates a day's notes at the start for a prompt, because the newest are at the end. */
export function truncateStart(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MOST_IN_PROMPT) return trimmed;
  const kept = keepEnd(trimmed, MOST_IN_PROMPT - MARK_ROOM);
  return `${formatMark(trimmed.length - kept.length)}\n${kept}`;
}

/** Truncates the long-term notes in the middle: people write at the start, and the program appends. */
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
