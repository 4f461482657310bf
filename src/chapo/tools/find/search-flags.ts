// Parses the flags of a search as models write them, such as `-in` or `--ignore-case`, and compiles the pattern. Pure.
import { escapeRegExp } from "../../../system/text/escape-reg-exp.js";

/** How to interpret the pattern, and what to report. */
export interface SearchFlags {
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

type Flag = "ignoreCase" | "words" | "fixed" | "namesOnly" | "count" | undefined;

/** `undefined` marks a flag that is always on. */
const FLAGS = new Map<string, Flag>([
  ["i", "ignoreCase"],
  ["ignore-case", "ignoreCase"],
  ["w", "words"],
  ["word-regexp", "words"],
  ["F", "fixed"],
  ["fixed-strings", "fixed"],
  ["l", "namesOnly"],
  ["files-with-matches", "namesOnly"],
  ["c", "count"],
  ["count", "count"],
  ["n", undefined],
  ["line-number", undefined],
  ["r", undefined],
  ["R", undefined],
  ["H", undefined],
  ["E", undefined],
]);

/** The most lines of context. */
export const MOST_CONTEXT = 50;
/** `-A 3`, `-A3`, `--context=3`. */
const AROUND = /(?:^|[\s,])(?:-([ABC])|--(after-context|before-context|context))[\s=]*(\d{1,4})(?=$|[\s,])/g;

/** Parses flags, or returns what is wrong with them. `context`: lines around each match. */
export function readFlags(spelled: string, context = 0): SearchFlags | { problem: string } {
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
    const names = word.startsWith("--") ? [word.slice(2)] : Array.from(word.replace(/^-/, ""));
    for (const name of names) {
      if (!FLAGS.has(name))
        return {
          problem: `flags: ${word} is not known; there are -i, -w, -F, -l, -c, -A, -B and -C with a number (and -n, which is always on)`,
        };
      const flag = FLAGS.get(name);
      if (flag !== undefined) flags[flag] = true;
    }
  }
  return { ...flags, ...around };
}

/** A compiled search pattern. */
export interface SearchPattern {
  pattern: RegExp;
  /** The pattern for ripgrep; absent if ripgrep would interpret it differently. */
  source?: string;
}

const LONGEST = 2000;

/** Compiles the regular expression, or returns what is wrong with it. */
export function compilePattern(text: string, flags: SearchFlags): SearchPattern | { problem: string } {
  if (text === "") return { problem: "pattern: empty" };
  if (text.length > LONGEST) return { problem: `pattern: longer than ${LONGEST} characters` };
  const source = flags.fixed ? escapeRegExp(text) : text;
  const whole = flags.words ? String.raw`(?<!\w)(?:${source})(?!\w)` : source;
  const folded = flags.ignoreCase ? "i" : "";
  const strict = compile(whole, `${folded}u`);
  if (strict instanceof RegExp) return { pattern: strict, source };
  // Many models write patterns such as `function() {`, which only the lax syntax accepts.
  const lax = compile(whole, folded);
  return lax instanceof RegExp ? { pattern: lax } : lax;
}

function compile(source: string, flags: string): RegExp | { problem: string } {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    return { problem: `pattern: ${error instanceof Error ? error.message : String(error)}` };
  }
}
