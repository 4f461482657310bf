// The flags of a search as models write them, `-in` or `--ignore-case`, and the pattern they make. Pure.

/** How the pattern is meant, and what is told. */
export interface SearchFlags {
  ignoreCase: boolean;
  /** Only whole words. */
  words: boolean;
  /** The pattern is a text. */
  fixed: boolean;
  /** Only the names of the files. */
  namesOnly: boolean;
}

type Flag = keyof SearchFlags | undefined;

/** `undefined`: it is so anyway. */
const FLAGS = new Map<string, Flag>([
  ["i", "ignoreCase"],
  ["ignore-case", "ignoreCase"],
  ["w", "words"],
  ["word-regexp", "words"],
  ["F", "fixed"],
  ["fixed-strings", "fixed"],
  ["l", "namesOnly"],
  ["files-with-matches", "namesOnly"],
  ["n", undefined],
  ["line-number", undefined],
  ["r", undefined],
  ["R", undefined],
  ["H", undefined],
  ["E", undefined],
]);

/** The flags of a text, or what is wrong with it. */
export function readFlags(text: string): SearchFlags | { problem: string } {
  const flags = { ignoreCase: false, words: false, fixed: false, namesOnly: false };
  for (const word of text.split(/[\s,]+/).filter((one) => one !== "")) {
    const names = word.startsWith("--") ? [word.slice(2)] : Array.from(word.replace(/^-/, ""));
    for (const name of names) {
      if (!FLAGS.has(name))
        return {
          problem: `flags: ${word} is not known; there are -i, -w, -F, -l (and -n, which is always on)`,
        };
      const flag = FLAGS.get(name);
      if (flag !== undefined) flags[flag] = true;
    }
  }
  return flags;
}

/** What is looked for. */
export interface SearchPattern {
  pattern: RegExp;
  /** What ripgrep can be asked for; absent where it would understand it otherwise. */
  source?: string;
}

const LONGEST = 2000;

/** The regular expression, or what is wrong with it. */
export function compilePattern(text: string, flags: SearchFlags): SearchPattern | { problem: string } {
  if (text === "") return { problem: "pattern: empty" };
  if (text.length > LONGEST) return { problem: `pattern: longer than ${LONGEST} characters` };
  const source = flags.fixed ? text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`) : text;
  const whole = flags.words ? String.raw`(?<!\w)(?:${source})(?!\w)` : source;
  const folded = flags.ignoreCase ? "i" : "";
  const strict = compile(whole, `${folded}u`);
  if (strict instanceof RegExp) return { pattern: strict, source };
  // `function() {` is a fine pattern to most who write one.
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
