// Searches the text of files one after the other, within limits on time and output. files-find.ts chooses the files.
import path from "node:path";
import { lineMatcher, type MatchedLines } from "../../../system/text/match-lines.js";
import type { Clock, Files } from "../../../system/ports.js";
import { LARGEST_FILE } from "./file-text.js";
import { errorMessage } from "../../../system/errors.js";
import { escapeRegExp } from "../../../system/text/escape-reg-exp.js";
import { fail } from "../../tool.js";

const MOST_LINES = 500;
const MOST_CHARACTERS = 40_000;
const LONGEST_LINE = 500;
/** The most time for matching in all files together, and in one file. */
const MATCHING_MS = 8_000;
const ONE_FILE_MS = 2_000;
const BINARY_WITHIN = 8192;
const READ_TOGETHER = 16;

/** The result of a search. */
export interface SearchResult {
  /** `file:line:text` (`file-line-text` for the lines around a match), or only file names. */
  lines: string[];
  /** Whether there are more matches than `lines` holds. */
  capped: boolean;
  /** Files that are too large to search. */
  skipped: string[];
}

/** The files to search, in this order, and the pattern. */
interface Search {
  /** The absolute folder that the paths are relative to. */
  root: string;
  paths: readonly string[];
  pattern: RegExp;
  show: Pick<SearchFlags, "namesOnly" | "count" | "before" | "after">;
  signal: AbortSignal;
}

/** Finds every matching line, in the order of the files. Ends the call of the tool if the pattern is too slow. */
export async function searchFiles(
  { files, clock }: { files: Files; clock: Clock },
  search: Search,
): Promise<SearchResult> {
  const match = lineMatcher(search.pattern);
  const found: SearchResult = { lines: [], capped: false, skipped: [] };
  let left = MATCHING_MS;
  let characters = 0;
  const look: Look = (text, most) => {
    const began = clock.monotonic();
    const matched = match(text, { most, timeoutMs: Math.min(left, ONE_FILE_MS) });
    left -= clock.monotonic() - began;
    return matched;
  };
  for await (const [name, text] of readAhead(files, search, look)) {
    if (text === "too-large") found.skipped.push(name);
    if (text === undefined || text === "too-large") continue;
    const most = search.show.namesOnly ? 1 : search.show.count ? Number.MAX_SAFE_INTEGER : MOST_LINES + 1;
    const matched = look(text.text, most);
    if ("problem" in matched) fail(`pattern: ${matched.problem}`);
    if ("slow" in matched || left <= 0)
      fail(`pattern: the search takes too long (at ${name}); simplify the pattern or search fewer files`);
    for (const line of formatHits(name, text.text, matched.lines, search.show)) {
      characters += line.length;
      if (found.lines.length >= MOST_LINES || characters > MOST_CHARACTERS) return { ...found, capped: true };
      found.lines.push(line);
    }
  }
  return search.signal.aborted ? fail("the search was stopped") : found;
}

/** Finds at most `most` matching lines of a text, in the time that is left. */
type Look = (text: string, most: number) => MatchedLines;
type Searched = { text: string } | "too-large" | undefined;

/** Reads some files together, and leaves out those in which no line matches: one look at all is faster than one at each. */
async function* readAhead(
  files: Files,
  { root, paths, signal }: Search,
  look: Look,
): AsyncGenerator<[string, Searched]> {
  for (let at = 0; at < paths.length && !signal.aborted; at += READ_TOGETHER) {
    const names = paths.slice(at, at + READ_TOGETHER);
    const texts = await Promise.all(names.map((name) => readSearched(files, path.join(root, name))));
    const found = look(texts.map((text) => (typeof text === "object" ? text.text : "")).join("\n"), 1);
    const isNone = "lines" in found && found.lines.length === 0;
    for (const [n, name] of names.entries()) if (!isNone || texts[n] === "too-large") yield [name, texts[n]];
  }
}

/** Reads a file to search; `undefined` if it is binary or unreadable. */
async function readSearched(files: Files, file: string): Promise<Searched> {
  try {
    const stat = await files.stat(file, { link: true });
    if (stat?.kind !== "file") return undefined;
    if (stat.size > LARGEST_FILE) return "too-large";
    const bytes = await files.readRange(file, 0, stat.size);
    if (bytes.subarray(0, BINARY_WITHIN).includes(0)) return undefined;
    return { text: new TextDecoder().decode(bytes) };
  } catch {
    // The file was deleted meanwhile or is not readable: the search continues without it.
    return undefined;
  }
}

function formatHits(
  name: string,
  text: string,
  numbers: readonly number[],
  { namesOnly, count, before, after }: Search["show"],
): string[] {
  if (numbers.length === 0) return [];
  if (namesOnly) return [name];
  if (count) return [`${name}:${numbers.length}`];
  const lines = text.split("\n");
  const show = (number: number, mark: ":" | "-"): string => {
    const line = (lines[number] ?? "").replace(/\r$/, "");
    const shown = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… [cut]` : line;
    return `${name}${mark}${number + 1}${mark}${shown}`;
  };
  if (before + after === 0) return numbers.map((number) => show(number, ":"));
  const last = lines.length - (lines.at(-1) === "" ? 2 : 1);
  const hits = new Set(numbers);
  const shown = [...new Set(numbers.flatMap((number) => listAround(number, { before, after, last })))];
  return shown.flatMap((number, at) => {
    const gap = at > 0 && shown[at - 1] !== number - 1 ? ["--"] : [];
    return [...gap, show(number, hits.has(number) ? ":" : "-")];
  });
}

function listAround(
  number: number,
  { before, after, last }: { before: number; after: number; last: number },
): number[] {
  const from = Math.max(0, number - before);
  return Array.from({ length: Math.min(last, number + after) - from + 1 }, (_, n) => from + n);
}

/** How to interpret the pattern, and what to report. */
interface SearchFlags {
  ignoreCase: boolean;
  /** Match only whole words. */
  words: boolean;
  /** The pattern is a literal text. */
  fixed: boolean;
  /** Report only file names. */
  namesOnly: boolean;
  /** Report only how many lines of each file match. */
  count: boolean;
  /** How many lines before and after a match are reported. */
  before: number;
  after: number;
}

const FLAGS = { i: "ignoreCase", w: "words", F: "fixed", l: "namesOnly", c: "count" } as const;
/** Flags that are always on. */
const ALWAYS_ON: ReadonlySet<string> = new Set("nrRHE");

function isFlag(name: string): name is keyof typeof FLAGS {
  return Object.hasOwn(FLAGS, name);
}

/** The most lines of context. */
export const MOST_CONTEXT = 50;
/** `-A 3`, `-A3`, `--context=3`. */
const AROUND = /(?:^|[\s,])(?:-([ABC])|--(after-context|before-context|context))[\s=]*(\d{1,4})(?=$|[\s,])/g;

/** Parses flags, and says what is wrong with them. `context`: lines around each match. */
export function readFlags(spelled: string, context = 0): SearchFlags {
  const flags = { ignoreCase: false, words: false, fixed: false, namesOnly: false, count: false };
  const around = { before: context, after: context };
  const text = spelled.replaceAll(
    AROUND,
    (_, short: string | undefined, long: string | undefined, count: string) => {
      const side = (short ?? long?.slice(0, 1) ?? "").toUpperCase();
      const lines = Math.min(MOST_CONTEXT, Number(count));
      if (side !== "A") around.before = lines;
      if (side !== "B") around.after = lines;
      return " ";
    },
  );
  for (const word of text.split(/[\s,]+/).filter((one) => one !== "")) {
    for (const name of word.startsWith("--") ? [word] : Array.from(word.replace(/^-/, ""))) {
      if (isFlag(name)) flags[FLAGS[name]] = true;
      else if (!ALWAYS_ON.has(name))
        fail(
          `flags: ${word} is not known; there are -i, -w, -F, -l, -c, -A, -B and -C with a number (and -n, which is always on)`,
        );
    }
  }
  return { ...flags, ...around };
}

const LONGEST = 2000;

/** Compiles the regular expression, and says what is wrong with it. */
export function compilePattern(text: string, flags: SearchFlags): RegExp {
  if (text === "") fail("pattern: empty");
  if (text.length > LONGEST) fail(`pattern: longer than ${LONGEST} characters`);
  const source = flags.fixed ? escapeRegExp(text) : text;
  const whole = flags.words ? String.raw`(?<!\w)(?:${source})(?!\w)` : source;
  const folded = flags.ignoreCase ? "i" : "";
  const strict = compile(whole, `${folded}u`);
  // Many models write patterns such as `function() {`, which only the lax syntax accepts.
  const compiled = typeof strict === "string" ? compile(whole, folded) : strict;
  return typeof compiled === "string" ? fail(`pattern: ${compiled}`) : compiled;
}

/** Returns the regular expression, or what is wrong with it. */
function compile(source: string, flags: string): RegExp | string {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    return errorMessage(error);
  }
}
