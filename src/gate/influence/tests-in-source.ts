// Tests that are written into source files: kept as they were at the reference while the rest of the file is the attempt's. Pure.
// Leaves which files are source to classify.ts.
import { familyOf } from "./families.js";

/** What begins a region of tests; it ends with the brace that its first one opens. */
const REGION: Readonly<Partial<Record<string, RegExp>>> = {
  rust: /^[ \t]*#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?mod\s+\w+\s*\{/m,
  js: /^[ \t]*if\s*\(\s*import\.meta\.vitest\s*\)\s*\{/m,
};
/** Examples in documentation that a command may run as tests. */
const EXAMPLES: Readonly<Partial<Record<string, RegExp>>> = {
  python: /^[ \t]*>>> /m,
  rust: /^[ \t]*\/\/[/!][ \t]*```(?!\w*(?:text|ignore|no_run))/m,
  elixir: /^[ \t]*iex> /m,
};

/**
 * The attempt's text of a source file with the tests in it as at the reference. `undefined`: there were none, or they are as they were.
 * `check`: they cannot be told apart from the rest, so the whole file counts as a check. `runsExamples`: whether a command runs the
 * examples in documentation.
 */
export function withTestsOf(
  { path, before, after }: { path: string; before: string; after: string },
  runsExamples: boolean,
): { text: string } | "check" | undefined {
  const family = familyOf(path) ?? "";
  const examples = EXAMPLES[family];
  if (
    runsExamples &&
    examples?.test(before) === true &&
    examplesOf(before, family) !== examplesOf(after, family)
  )
    return "check";
  const start = REGION[family];
  if (start === undefined || !start.test(before)) return undefined;
  const old = regionsOf(before, start);
  const now = regionsOf(after, start);
  if (old === undefined || now === undefined) return "check";
  const texts = old.map(({ from, to }) => before.slice(from, to));
  if (texts.join("\n") === now.map(({ from, to }) => after.slice(from, to)).join("\n")) return undefined;
  let rest = after;
  for (const { from, to } of now.toReversed()) rest = rest.slice(0, from) + rest.slice(to);
  return { text: `${rest.trimEnd()}\n\n${texts.join("\n\n")}\n` };
}

interface Region {
  from: number;
  to: number;
}

/** The regions of tests in a text; `undefined` where a brace of one is not closed. */
function regionsOf(text: string, start: RegExp): Region[] | undefined {
  const regions: Region[] = [];
  const every = new RegExp(start.source, "gm");
  for (let found = every.exec(text); found !== null; found = every.exec(text)) {
    const to = endOfBlock(text, every.lastIndex);
    if (to === undefined) return undefined;
    regions.push({ from: found.index, to });
    every.lastIndex = to;
  }
  return regions;
}

/** Comments, texts and single characters, in which braces mean nothing; and braces. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|r(#*)"[\s\S]*?"\1|"(?:\\[\s\S]|[^"\\])*"|'(?:\\.|[^'\\\n])'|`(?:\\[\s\S]|[^`\\])*`|[{}]/g;

/** Where the block ends whose brace was opened right before `from`. */
function endOfBlock(text: string, from: number): number | undefined {
  TOKEN.lastIndex = from;
  let depth = 1;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    if (token[0] === "{") depth++;
    if (token[0] === "}" && --depth === 0) return TOKEN.lastIndex;
  }
  return undefined;
}

/** The lines of examples, each with what it is expected to print. */
function examplesOf(text: string, family: string): string {
  if (family === "rust")
    return [...text.matchAll(/^[ \t]*\/\/[/!](.*)$/gm)].map(([, line = ""]) => line.trim()).join("\n");
  const mark = family === "python" ? ">>>" : "iex>";
  const lines = text.split("\n");
  const kept = lines.filter((_, at) => {
    const start = lines
      .slice(0, at + 1)
      .findLastIndex((one) => one.trim() === "" || one.trim().startsWith(mark));
    return start >= 0 && lines[start]?.trim().startsWith(mark) === true;
  });
  return kept.map((line) => line.trim()).join("\n");
}
