// What lines that were added to a test do to those that were there: skip them, end before them, close them off. Pure, and
// told from a few words and how lines are indented: the cold room runs the old text as well, so nothing rests on this alone.
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

/** More differences than this are not looked at line by line. */
const MOST_EDITS = 20_000;

/** Lines that were added in one place. */
interface Hunk {
  /** From 1, in the new text. */
  number: number;
  /** All of them, as they are. */
  lines: readonly string[];
  /** Those that are no comment, blank or import. */
  code: readonly string[];
  /** The first old line of code behind them; `undefined`: nothing follows. */
  next: string | undefined;
}

/** Additions that take something from the tests there were. Contract: nothing else was done to the text. */
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

/** The line that does harm. */
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

/** Blocks that may be put around tests: they only give them a heading. */
const GROUP =
  /\b(?:describe|suite|context|group|class|module|namespace|mod|impl|struct|object|RSpec|feature|rule)\b/;

/** Says something of the test that follows, be it a line or more below. */
const MARK = /^\s*(?:@|#?\[)/;

/** Whether a line of Python is the head of a block that an old line is in now. */
function isHeadOf(next: string, head: string): boolean {
  return /:\s*(?:#|$)/.test(unquoted(head)) && indentOf(next) > indentOf(head) && !/^\s*class\b/.test(head);
}

/** Leaves the block it stands in. */
const LEAVES =
  /^(?:(?:if|elif|else|unless|while|for)\b.*[\s);:{])?(?:return\b|break\b|continue\b|(?:self\s*\.\s*)?skipTest\s*\(|raise\s+(?:unittest\.)?SkipTest|pytest\s*\.\s*(?:skip|xfail|importorskip)\s*\(|(?:t|ctx|this|context|test|tc)\s*\.\s*(?:skip|todo|Skip|Skipf|SkipNow)\s*\((?!.*[{(]\s*$)|(?:skip|pending)\b(?!\s*[=:(.])|.*\bexit\s+77\b|\{\s*(?:skip|todo)\s*:)/;
const CONTROL =
  /^(?:\}\s*)?(?:if|elif|else|for|while|do|switch|case|default|try|except|catch|finally|with|unless|until|begin|rescue|ensure|then|\{)\b|^\{/;

/** Whether it leaves a block in which old lines follow: not a function or a test that is new as a whole. */
function leavesOld(code: readonly string[], at: number, next: string): boolean {
  const line = code[at] ?? "";
  // `t.skip("name", () => …)` is a new test of its own; what a function on the line leaves is the function.
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

/** A name that the old text defines once, and the new one again in the same place: only the last counts. */
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
