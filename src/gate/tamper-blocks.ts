// Where blocks, comments and quotes of several lines begin and end in a few lines of a test. Pure and rough, by families of
// languages. Leaves what it means to tamper-additions.ts.
import { never } from "../system/never.js";
import { unquoted, type Family } from "./tamper-lines.js";

/** The lines that open a block which none of the lines closes, outermost first. */
export function openersLeft(lines: readonly string[], family: Family): string[] {
  switch (family) {
    case "braces":
    case "indents":
      return leftOpen(lines, (line) => bracketsOf(unquoted(line).replace(/\/\/.*$/, "")));
    case "shell":
      return leftOpen(lines, (line) => wordsOf(unquoted(line), SHELL_OPENS, SHELL_CLOSES));
    case "ruby":
      return leftOpen(lines, (line) => wordsOf(unquoted(line), RUBY_OPENS, /^end$/));
    case "data":
      return [];
    default:
      return never(family);
  }
}

const SHELL_OPENS = /^(?:if|case|do|\{)$/;
const SHELL_CLOSES = /^(?:fi|esac|done|\})$/;
const RUBY_OPENS = /^(?:do|def|class|module|begin|case|if\^|unless\^|while\^|until\^|for\^)$/;

function bracketsOf(line: string): (1 | -1)[] {
  const brackets = line.replaceAll(/\/(?:[^/\\\n]|\\.)+\/[a-z]*/g, "").match(/[{}()[\]]/g) ?? [];
  return brackets.map((bracket) => ("{([".includes(bracket) ? 1 : -1));
}

/** A word that begins its line is marked by `^`: behind a statement, `if` and its like open nothing. */
function wordsOf(line: string, opens: RegExp, closes: RegExp): (1 | -1)[] {
  const all = line.replace(/(?:^|\s)#.*$/, "").match(/[\w]+|[{}]/g) ?? [];
  return all.flatMap((word, at): (1 | -1)[] => {
    if (closes.test(word)) return [-1];
    return opens.test(word) || (at === 0 && opens.test(`${word}^`)) ? [1] : [];
  });
}

function leftOpen(lines: readonly string[], turnsOf: (line: string) => (1 | -1)[]): string[] {
  const open: string[] = [];
  for (const line of lines) {
    for (const turn of turnsOf(line)) {
      if (turn === 1) open.push(line);
      else open.pop();
    }
  }
  return open;
}

/** The line that begins a comment, a long string or a text of its own that none of the lines ends. */
export function textLeftOpen(lines: readonly string[], family: Family): string | undefined {
  switch (family) {
    case "braces":
      return lastUneven(
        lines.map((line) => [line, unquoted(line).replace(/\/\/.*$/, "")]),
        /\/\*/g,
        /\*\//g,
      );
    case "indents":
      return [/"""/g, /'''/g].map((quotes) => lastOdd(lines, quotes)).find((line) => line !== undefined);
    case "shell":
      return hereLeftOpen(lines);
    case "ruby":
      return lines.find((line) => /^(?:=begin|__END__)\b/.test(line)) !== undefined && !lines.includes("=end")
        ? "=begin"
        : hereLeftOpen(lines);
    case "data":
      return undefined;
    default:
      return never(family);
  }
}

function lastUneven(
  lines: readonly (readonly [line: string, bare: string])[],
  opens: RegExp,
  closes: RegExp,
): string | undefined {
  let depth = 0;
  let last: string | undefined;
  for (const [line, bare] of lines) {
    const more = [...bare.matchAll(opens)].length - [...bare.matchAll(closes)].length;
    if (more > 0) last = line;
    depth += more;
  }
  return depth > 0 ? last : undefined;
}

function lastOdd(lines: readonly string[], quotes: RegExp): string | undefined {
  const having = lines.filter((line) => [...line.matchAll(quotes)].length % 2 === 1);
  return having.length % 2 === 1 ? having.at(-1) : undefined;
}

function hereLeftOpen(lines: readonly string[]): string | undefined {
  return hereDocuments(lines).open;
}

/** The lines outside here-documents, and the line that begins one which does not end. */
export function hereDocuments(lines: readonly string[]): { outside: string[]; open: string | undefined } {
  const outside: string[] = [];
  let open: { line: string; end: string } | undefined;
  for (const line of lines) {
    if (open === undefined) {
      outside.push(line);
      const end = /<<[-~]?\s*["'\\]?(\w+)/.exec(line)?.[1];
      if (end !== undefined) open = { line, end };
    } else if (line.trim() === open.end) {
      open = undefined;
    }
  }
  return { outside, open: open?.line };
}
