// Searches the text of files, one after the other, within bounds of time and of what is told. Leaves which files to
// files-find.ts.
import path from "node:path";
import { lineMatcher } from "../../../system/text/match-lines.js";
import type { Clock, Files } from "../../../system/ports.js";
import { LARGEST_FILE } from "../files/file-text.js";

const MOST_LINES = 500;
const MOST_CHARACTERS = 40_000;
const LONGEST_LINE = 500;
/** Of matching itself, all files together; of one file. */
const MATCHING_MS = 8_000;
const ONE_FILE_MS = 2_000;
const BINARY_WITHIN = 8192;

/** What a search comes to. */
export interface Found {
  /** `file:line:text`, or names alone. */
  lines: string[];
  /** There is more than is told. */
  capped: boolean;
  /** Too large to be searched. */
  skipped: string[];
}

/** What is searched, in this order. */
export interface Search {
  /** Absolute; the files are relative to it. */
  root: string;
  paths: readonly string[];
  pattern: RegExp;
  namesOnly: boolean;
  signal: AbortSignal;
}

/** Every line that matches, in the order of the files; a problem where the pattern is too slow. */
export async function searchFiles(
  { files, clock }: { files: Files; clock: Clock },
  search: Search,
): Promise<Found | { problem: string }> {
  const match = lineMatcher(search.pattern);
  const found: Found = { lines: [], capped: false, skipped: [] };
  let left = MATCHING_MS;
  let characters = 0;
  for (const name of search.paths) {
    if (search.signal.aborted) return { problem: "the search was stopped" };
    const text = await readSearched(files, path.join(search.root, name));
    if (text === "too-large") found.skipped.push(name);
    if (text === undefined || text === "too-large") continue;
    const began = clock.monotonic();
    const most = search.namesOnly ? 1 : MOST_LINES + 1;
    const matched = match(text.text, { most, timeoutMs: Math.min(left, ONE_FILE_MS) });
    if ("problem" in matched) return { problem: `pattern: ${matched.problem}` };
    left -= clock.monotonic() - began;
    if ("slow" in matched || left <= 0)
      return { problem: `pattern: it takes too long (at ${name}); make it simpler, or search less` };
    for (const line of formatHits(name, text.text, matched.lines, search.namesOnly)) {
      characters += line.length;
      if (found.lines.length >= MOST_LINES || characters > MOST_CHARACTERS) return { ...found, capped: true };
      found.lines.push(line);
    }
  }
  return found;
}

/** `undefined` for what is no text, or not to be read. */
async function readSearched(files: Files, file: string): Promise<{ text: string } | "too-large" | undefined> {
  try {
    const stat = await files.stat(file, { link: true });
    if (stat?.kind !== "file") return undefined;
    if (stat.size > LARGEST_FILE) return "too-large";
    const bytes = await files.readRange(file, 0, stat.size);
    if (bytes.subarray(0, BINARY_WITHIN).includes(0)) return undefined;
    return { text: new TextDecoder().decode(bytes) };
  } catch {
    // Gone meanwhile, or nobody may read it: the search goes on.
    return undefined;
  }
}

function formatHits(name: string, text: string, numbers: readonly number[], namesOnly: boolean): string[] {
  if (numbers.length === 0) return [];
  if (namesOnly) return [name];
  const lines = text.split("\n");
  return numbers.map((number) => {
    const line = (lines[number] ?? "").replace(/\r$/, "");
    const shown = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… [cut]` : line;
    return `${name}:${number + 1}:${shown}`;
  });
}
