// Finds added lines in a test that disable its old lines: that skip them, return before them, or enclose them. Pure. Judges
// by some words and the indentation only; the cold room runs the old text as well, so the gate does not depend on this.
import { diffArrays } from "diff";
import { toText } from "../../git/base/bytes.js";
import { hereDocuments, openersLeft, textLeftOpen } from "./tamper-blocks.js";
import {
  codeLines,
  familyOf,
  hasExit,
  hasOnly,
  hasSkip,
  plainLine,
  unquoted,
  type Family,
} from "./tamper-lines.js";
import type { Tampering } from "../verdict.js";

/** More differences than this are not examined line by line. */
const MOST_EDITS = 20_000;

/** Consecutive added lines. */
interface Hunk {
  /** The number of the first line in the new text, from 1. */
  number: number;
  /** All lines, unchanged. */
  lines: readonly string[];
  /** The lines of code: without comments, blank lines and imports. */
  code: readonly string[];
  /** The first old line of code behind them; `undefined` at the end of the text. */
  next: string | undefined;
}

/** Finds additions that disable parts of existing tests. Contract: the text has only additions. */
export function findSkips(path: string, before: string, after: string): Tampering[] {
  const family = familyOf(path, after);
  if (family === "data") return [];
  for (const hunk of hunksOf(path, before, after)) {
    const line = harmIn(hunk, family);
    if (line === undefined) continue;
    const number = hunk.number + Math.max(0, hunk.lines.indexOf(line));
    return [
      {
        path,
        what: "skipped",
        detail: `line ${number} leaves tests out: ${toText(line.trim()).slice(0, 200)}`,
      },
    ];
  }
  const twice = definedAgain(before, after, family);
  if (twice === undefined) return [];
  return [{ path, what: "weakened", detail: `${toText(twice)} is defined once more, and hides the first` }];
}

function hunksOf(path: string, before: string, after: string): Hunk[] {
  const old = before.split("\n").map(plainLine);
  const raw = after.split("\n");
  const parts = diffArrays(old, raw.map(plainLine), { maxEditLength: MOST_EDITS });
  if (parts === undefined) return [{ number: 1, lines: raw, code: raw, next: undefined }];
  const code = new Set(codeLines(path, after).map(({ number }) => number - 1));
  const isOld = new Set<number>();
  const added: { from: number; to: number }[] = [];
  let at = 0;
  for (const part of parts) {
    if (part.removed) continue;
    if (part.added) added.push({ from: at, to: at + part.value.length });
    else for (let line = at; line < at + part.value.length; line++) isOld.add(line);
    at += part.value.length;
  }
  return added.map(({ from, to }) => ({
    number: from + 1,
    lines: raw.slice(from, to),
    code: raw.slice(from, to).filter((_, index) => code.has(from + index)),
    next: raw.find((_, index) => index >= to && isOld.has(index) && code.has(index)),
  }));
}

/** Finds the line that disables old lines. */
function harmIn(hunk: Hunk, family: Family): string | undefined {
  const code = family === "shell" || family === "ruby" ? hereDocuments(hunk.code, family).outside : hunk.code;
  const anywhere = code.find(
    (line) => hasOnly(line) || hasExit(line) || /^\s*pytestmark\b.*(?:skip|xfail)/.test(line),
  );
  if (anywhere !== undefined) return anywhere;
  const { next } = hunk;
  if (next === undefined) return undefined;
  const text = textLeftOpen(hunk.lines, family);
  if (text !== undefined) return text;
  const opener = openersLeft(code, family).find((line) => !GROUP.test(unquoted(line)) || hasSkip(line));
  if (opener !== undefined) return opener;
  const mark = code.slice(code.findLastIndex((line) => !MARK.test(line)) + 1).find(hasSkip);
  if (mark !== undefined) return mark;
  const last = code.at(-1);
  if (last !== undefined && family === "indents" && isHeadOf(next, last)) return last;
  return code.find((line, at) => LEAVES.test(unquoted(line).trim()) && leavesOld(code, at, next));
}

/** Blocks that may be added around tests, because they only group them. */
const GROUP =
  /\b(?:describe|suite|context|group|class|module|namespace|mod|impl|struct|object|RSpec|feature|rule)\b/;

/** A decorator or attribute, which applies to the next test, even some lines below. */
const MARK = /^\s*(?:@|#?\[)/;

/** Whether an added line of Python opens a block that now contains an old line. */
function isHeadOf(next: string, head: string): boolean {
  return /:\s*(?:#|$)/.test(unquoted(head)) && indentOf(next) > indentOf(head) && !/^\s*class\b/.test(head);
}

/** Statements that leave the block around them. */
const LEAVES =
  /^(?:(?:if|elif|else|unless|while|for)\b.*[\s);:{])?(?:return\b|break\b|continue\b|(?:self\s*\.\s*)?skipTest\s*\(|raise\s+(?:unittest\.)?SkipTest|pytest\s*\.\s*(?:skip|xfail|importorskip)\s*\(|(?:t|ctx|this|context|test|tc)\s*\.\s*(?:skip|todo|Skip|Skipf|SkipNow)\s*\((?!.*[{(]\s*$)|(?:skip|pending)\b(?!\s*[=:(.])|.*\bexit\s+77\b|\{\s*(?:skip|todo)\s*:)/;
const CONTROL =
  /^(?:\}\s*)?(?:if|elif|else|for|while|do|switch|case|default|try|except|catch|finally|with|unless|until|begin|rescue|ensure|then|\{)\b|^\{/;

/** Whether a line leaves a block with old lines behind it, and not a function or test that is entirely new. */
function leavesOld(code: readonly string[], at: number, next: string): boolean {
  const line = code[at] ?? "";
  // `t.skip("name", () => …)` is a new test, and a return in a function on the line leaves only that function.
  if (/^\s*(?!return\b)\S.*(?:=>|\bfunction\b)/.test(unquoted(line))) return false;
  let indent = indentOf(line);
  for (let above = at - 1; above >= 0; above--) {
    const other = code[above] ?? "";
    if (indentOf(other) >= indent) continue;
    indent = indentOf(other);
    if (!CONTROL.test(other.trim())) return false;
  }
  return indentOf(next) >= indent && !/^\s*[)}\]]/.test(next);
}

function indentOf(line: string): number {
  const blank = line.slice(0, line.length - line.trimStart().length);
  return blank.replaceAll("\t", "    ").length;
}

/** Finds a name that the old text defines once and the new text twice in the same scope: only the last one counts. */
function definedAgain(before: string, after: string, family: Family): string | undefined {
  if (family !== "indents" && family !== "shell") return undefined;
  const define =
    family === "indents"
      ? /^(\s*)(?:async\s+)?(?:def|class)\s+(\w+)/
      : /^(\s*)(?:function\s+)?(\w[\w-]*)\s*\(\)/;
  const old = countNames(before, define);
  for (const [name, count] of countNames(after, define)) {
    const had = old.get(name) ?? 0;
    if (had > 0 && count > had) return name;
  }
  return undefined;
}

function countNames(text: string, define: RegExp): Map<string, number> {
  const counts = new Map<string, number>();
  const within: { indent: number; name: string }[] = [];
  for (const line of text.split("\n")) {
    const [, blank, name] = define.exec(line) ?? [];
    if (blank === undefined || name === undefined) continue;
    while ((within.at(-1)?.indent ?? -1) >= blank.length) within.pop();
    within.push({ indent: blank.length, name });
    const full = within.map((one) => one.name).join(".");
    counts.set(full, (counts.get(full) ?? 0) + 1);
  }
  return counts;
}
