// Tests that are written into source files: kept as they were at the reference while the rest of the file is the attempt's. Pure.
// By the rules of cargo (doc.rust-lang.org/book/ch11-03), vitest (vitest.dev/guide/in-source), doctest of Python, rustdoc, ExUnit.
// Leaves which files are source to classify.ts.
import { familyOf } from "./program/families.js";

const ATTRIBUTES = String.raw`\s*(?:#\[[^\]]*\]\s*)*`;
/** The beginning of a region of tests; the region ends with the brace that its last character opens, or with itself. */
const REGION: Readonly<Partial<Record<string, RegExp>>> = {
  rust: new RegExp(
    String.raw`^[ \t]*#\[cfg\((?:(?:all|any)\([^\]]*\b)?test\b[^\]]*\)\]${ATTRIBUTES}(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*[{;]` +
      String.raw`|^[ \t]*#\[(?:\w+::)*(?:test|rstest|test_case)(?:\([^\]]*\))?\]${ATTRIBUTES}(?:pub\s+)?(?:async\s+)?fn\s+\w+[^{;]*\{`,
    "m",
  ),
  js: /^[ \t]*if\s*\(\s*import\.meta\.vitest(?:\s*!==?\s*(?:undefined|null))?\s*\)\s*\{/m,
};
/** Code that only tests in source have. Outside of a region, it cannot be told apart from the program. */
const TRACE: Readonly<Partial<Record<string, RegExp>>> = { js: /\bimport\.meta\.vitest\b/ };
/** Examples in documentation that a command may run as tests. */
const EXAMPLES: Readonly<Partial<Record<string, RegExp>>> = {
  python: /^[ \t]*>>> /m,
  rust: /^[ \t]*\/\/[/!][ \t]*```/m,
  elixir: /^[ \t]*iex(?:\(\d+\))?> /m,
};

/**
 * The attempt's text of a source file with the tests in it as at the reference. `undefined`: it has none, or they are as they were.
 * `check`: they cannot be told apart from the rest, so the whole file counts as a check. `runsExamples`: whether a command runs the
 * examples in documentation.
 */
export function withTestsOf(
  { path, before, after }: { path: string; before: string; after: string },
  runsExamples: boolean,
): { text: string } | "check" | undefined {
  const family = familyOf(path) ?? "";
  const kept = runsExamples ? withExamplesOf(before, after, family) : after;
  if (kept === undefined) return "check";
  const text = withRegionsOf(before, kept, family);
  if (text === undefined) return "check";
  return text === after ? undefined : { text };
}

/** The text with the regions of tests as they were; `undefined` where they cannot be told apart. */
function withRegionsOf(before: string, after: string, family: string): string | undefined {
  const start = REGION[family];
  if (
    start === undefined ||
    !(start.test(before) || start.test(after) || TRACE[family]?.test(before) === true)
  )
    return after;
  const old = regionsOf(before, start);
  const now = regionsOf(after, start);
  if (old === undefined || now === undefined) return undefined;
  if (TRACE[family]?.test(without(before, old)) === true) return undefined;
  const texts = old.map(({ from, to }) => before.slice(from, to));
  if (texts.join("\n") === now.map(({ from, to }) => after.slice(from, to)).join("\n")) return after;
  if (old.length === now.length) {
    let text = after;
    for (const [at, { from, to }] of [...now.entries()].reverse())
      text = text.slice(0, from) + (texts[at] ?? "") + text.slice(to);
    return text;
  }
  // One that is inside of something else has no place of its own any more.
  if (texts.some((text) => /^[ \t]/.test(text))) return undefined;
  const rest = without(after, now);
  return texts.length === 0 ? rest : `${rest.trimEnd()}\n\n${texts.join("\n\n")}\n`;
}

interface Region {
  from: number;
  to: number;
}

function without(text: string, regions: readonly Region[]): string {
  let rest = text;
  for (const { from, to } of regions.toReversed()) rest = rest.slice(0, from) + rest.slice(to);
  return rest;
}

/** The regions of tests in a text; `undefined` where a brace of one is not closed. */
function regionsOf(text: string, start: RegExp): Region[] | undefined {
  const regions: Region[] = [];
  const every = new RegExp(start.source, "gm");
  for (let found = every.exec(text); found !== null; found = every.exec(text)) {
    const to = found[0].endsWith(";") ? every.lastIndex : endOfBlock(text, every.lastIndex);
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

/** The text with the examples as they were, those that were added left out; `undefined` where one is gone or changed. */
function withExamplesOf(before: string, after: string, family: string): string | undefined {
  const mark = EXAMPLES[family];
  if (mark === undefined || !(mark.test(before) || mark.test(after))) return after;
  const left = examplesIn(before, family).map(({ text }) => text);
  const added = examplesIn(after, family).filter(({ text }) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  if (left.length > 0) return undefined;
  const lines = after.split("\n");
  for (const { from, to } of added)
    for (let at = from; at < to; at++) lines[at] = silent(lines[at] ?? "", family);
  return lines.join("\n");
}

/** A line of an example that runs nothing: in Rust, each runs in a process of its own and may stay. */
function silent(line: string, family: string): string {
  return family === "rust" ? line : (/^[ \t]*/.exec(line)?.[0] ?? "");
}

interface Example {
  text: string;
  /** Its lines. */
  from: number;
  to: number;
}

/** The examples of a text, each with what it is expected to print. */
function examplesIn(text: string, family: string): Example[] {
  const lines = text.split("\n");
  return family === "rust"
    ? fencesIn(lines)
    : promptsIn(lines, family === "python" ? /^\s*>>>/ : /^\s*iex(?:\(\d+\))?>/);
}

function promptsIn(lines: readonly string[], prompt: RegExp): Example[] {
  const found: Example[] = [];
  for (let from = 0; from < lines.length; from++) {
    if (!prompt.test(lines[from] ?? "")) continue;
    let to = from + 1;
    while (to < lines.length && !/^\s*$|^\s*(?:"""|''')/.test(lines[to] ?? "")) to++;
    found.push({ text: trimmed(lines.slice(from, to)), from, to });
    from = to;
  }
  return found;
}

/** Code between fences in documentation, unless the fence says that it does not run. */
function fencesIn(lines: readonly string[]): Example[] {
  const found: Example[] = [];
  let from = -1;
  let runs = false;
  lines.forEach((line, at) => {
    const fence = /^\s*\/\/[/!]\s*```(.*)$/.exec(line)?.[1];
    if (fence === undefined) return;
    if (from < 0) {
      from = at;
      runs = !/\b(?:text|ignore|no_run|compile_fail|console|toml|sh|bash|json)\b/.test(fence);
    } else {
      if (runs) found.push({ text: trimmed(lines.slice(from, at)), from, to: at });
      from = -1;
    }
  });
  return found;
}

function trimmed(lines: readonly string[]): string {
  return lines.map((line) => line.trim()).join("\n");
}
