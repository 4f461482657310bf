// Tests that are written into source files: kept as they were at the reference while the rest of the file is the attempt's. Pure.
// Examples in documentation are read as doctest of Python, rustdoc and ExUnit do.
// Leaves finding tests in a text to test-regions.ts, and which files are source to sort/sort.ts.
import { familyOf } from "../sort/languages.js";
import { hasTests, testRegions, type Region } from "./test-regions.js";

/** Code that only tests in source have. Outside of a region, it cannot be told apart from the program. */
const TRACE: Readonly<Partial<Record<string, RegExp>>> = {
  js: /\bimport\.meta\.vitest\b/,
  zig: /^[ \t]*test\b[ \t]*(?:[\w"@][^\r\n{]*)?\{/m,
  d: /^[^\r\n/]{0,200}\bunittest\b/m,
  ocaml: /\blet%(?:expect_)?test\b/,
  nim: /\bisMainModule\b|\brunnableExamples\b/,
  lisp: /\((?:deftest|module\+ test)\b/,
};
/** Examples in documentation that a command may run as tests. */
const EXAMPLES: Readonly<Partial<Record<string, RegExp>>> = {
  python: /^[ \t]*>>> /m,
  rust: /^[ \t]*\/\/[/!][ \t]*```/m,
  elixir: /^[ \t]*iex(?:\(\d+\))?> /m,
};

/** The facts about a file besides its texts. */
export interface Usage {
  /** Examples in documentation are run as tests. */
  runsExamples: boolean;
  /** A test runner is given the file. */
  isRun?: boolean;
  /** Texts of tests that were in files which the attempt changed or removed: with them a new file is one that was moved. */
  moved?: ReadonlySet<string>;
}

/**
 * The attempt's text of a source file with the tests in it as at the reference. `undefined`: it has none, or they are as they were.
 * `check`: they cannot be told apart from the rest, so the whole file counts as a check. `before`: empty for a new file.
 */
export function withTestsOf(
  { path, before, after }: { path: string; before: string; after: string },
  { runsExamples, isRun = false, moved = new Set() }: Usage,
): { text: string } | "check" | undefined {
  const family = familyOf(path) ?? "";
  const kept = runsExamples ? withExamplesOf(before, after, family) : after;
  if (kept === undefined) return "check";
  const text = withRegionsOf(before, kept, { family, isRun, moved });
  if (text === undefined) return "check";
  return text === after ? undefined : { text };
}

/** The texts of the tests in a source file. */
export function testTexts({ path, text }: { path: string; text: string }, isRun: boolean): string[] {
  const family = familyOf(path) ?? "";
  const regions = testRegions(text, family, isRun) ?? [];
  if (regions.length === 0 && TRACE[family]?.test(text) === true) return [text.trim()];
  return regions.map(({ from, to }) => text.slice(from, to).trim());
}

/** Whether a source file has examples in its documentation. */
export function hasExamples(path: string, text: string): boolean {
  return EXAMPLES[familyOf(path) ?? ""]?.test(text) === true;
}

interface Place {
  family: string;
  isRun: boolean;
  moved: ReadonlySet<string>;
}

/** The text with the regions of tests as they were; `undefined` where they cannot be told apart. */
function withRegionsOf(before: string, after: string, { family, isRun, moved }: Place): string | undefined {
  const has = (text: string): boolean => hasTests(text, family, isRun);
  if (!(has(before) || has(after) || TRACE[family]?.test(before) === true)) return after;
  const old = testRegions(before, family, isRun);
  const now = testRegions(after, family, isRun);
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
  const isMoved = ({ from, to }: Region): boolean => moved.has(after.slice(from, to).trim());
  const rest = without(
    after,
    now.filter((one) => before !== "" || !isMoved(one)),
  );
  return texts.length === 0 ? rest : `${rest.trimEnd()}\n\n${texts.join("\n\n")}\n`;
}

function without(text: string, regions: readonly Region[]): string {
  let rest = text;
  for (const { from, to } of regions.toReversed()) rest = rest.slice(0, from) + rest.slice(to);
  return rest;
}

/**
 * The text with the examples as they were, those that were added left out; `undefined` where one is gone. As many new ones as old
 * ones are missing: each is an old one that was changed.
 */
function withExamplesOf(before: string, after: string, family: string): string | undefined {
  const mark = EXAMPLES[family];
  if (mark === undefined || !(mark.test(before) || mark.test(after))) return after;
  const left = examplesIn(before, family);
  const added = examplesIn(after, family).filter(({ text }) => {
    const at = left.findIndex((one) => one.text === text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const isChanged = left.length === added.length;
  if (left.length > 0 && !isChanged) return undefined;
  const [lines, old] = [after.split("\n"), before.split("\n")];
  for (const [at, { from, to }] of [...added.entries()].reverse()) {
    const was = isChanged ? left[at] : undefined;
    const now = lines.slice(from, to).map((line) => silent(line, family));
    lines.splice(from, to - from, ...(was === undefined ? now : old.slice(was.from, was.to)));
  }
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
