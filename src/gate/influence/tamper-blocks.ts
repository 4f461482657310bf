// Finds blocks, comments and strings that a few lines of a test leave open. Pure and approximate, by families of languages.
// tamper-additions.ts judges the result.
import { never } from "../../system/never.js";
import { unquoted, type Family } from "./tamper-lines.js";

type Turn = 1 | -1;

/** Finds the lines that open a block which none of the lines closes, outermost first. */
export function openersLeft(lines: readonly string[], family: Family): string[] {
  switch (family) {
    case "braces":
      return leftOpen(lines, (line) => bracketsOf(bareScript(line)));
    case "indents":
      return leftOpen(lines, (line) => bracketsOf(unquoted(line).replace(/#.*/, "")));
    case "shell":
      return leftOpen(lines, shellTurns);
    case "ruby":
      return leftOpen(lines, rubyTurns);
    case "data":
      return [];
    default:
      return never(family);
  }
}

/** Strings, closed comments and regular expressions; the first to begin contains the others. A slash after a value divides. */
const SCRIPT_TEXTS =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\*.*?\*\/|\/\/.*|(?<=(?:^|[(,=:[!&|?{;>]|\breturn) ?)\/(?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+\//g;

function bareScript(line: string): string {
  return line.trim().replace(SCRIPT_TEXTS, "");
}

/** A line of shell or Ruby without strings and comment. */
function bareCommand(line: string): string {
  return unquoted(line).replace(/(?:^|\s)#.*/, "");
}

function bracketsOf(bare: string): Turn[] {
  return Array.from(bare.matchAll(/[{}()[\]]/g), ([bracket]) => ("{([".includes(bracket) ? 1 : -1));
}

/** A word counts only at the beginning of a command; in Perl, which looks similar, `if (…) {` is a block by its braces. */
function shellTurns(line: string): Turn[] {
  const bare = bareCommand(line);
  const words = bare.match(/[;&|(){}]|[^\s;&|(){}]+/g) ?? [];
  const isPattern = /^[^()]*\)/.test(bare);
  const isPerl = /(?:\)|\bdo)\s*\{/.test(bare);
  return words.flatMap((word, at): Turn[] => {
    if (word === "{") return [1];
    if (word === "}") return [-1];
    const previous = words[at - 1] ?? ";";
    const ends = /[;&|(]/.test(previous) || (isPattern && previous === ")");
    if (/^(?:fi|esac|done)$/.test(word)) return ends ? [-1] : [];
    if (word !== "case" && (isPerl || !/^(?:if|do)$/.test(word))) return [];
    return ends || /^(?:then|do|else|!|\{)$/.test(previous) ? [1] : [];
  });
}

/** Neither `if` and similar words behind a statement open a block, nor a `do` at the end of a block's head. */
function rubyTurns(line: string): Turn[] {
  const bare = bareCommand(line);
  // Elixir: `def sum(a), do: a` does not have an `end`.
  if (/\bdo:/.test(bare)) return [];
  const turns: Turn[] = [];
  let hasHead = false;
  for (const [at, word] of (bare.match(/[\w.:@$?!]+|\S/g) ?? []).entries()) {
    const isHead =
      /^(?:def|class|module|begin|case)$/.test(word) ||
      (at === 0 && /^(?:if|unless|while|until|for)$/.test(word));
    if (/^end(?:\.|$)/.test(word)) turns.push(-1);
    else if (isHead || (word === "do" && !hasHead)) turns.push(1);
    hasHead ||= isHead;
  }
  return turns;
}

function leftOpen(lines: readonly string[], turnsOf: (line: string) => Turn[]): string[] {
  const open: string[] = [];
  for (const line of lines) {
    for (const turn of turnsOf(line)) {
      if (turn === 1) open.push(line);
      else open.pop();
    }
  }
  return open;
}

/** Finds the line that begins a comment, a long string or the data after `__END__`, which none of the lines ends. */
export function textLeftOpen(lines: readonly string[], family: Family): string | undefined {
  switch (family) {
    case "braces":
      return lastUneven(lines, { opens: /\/\*/, closes: /\*\//, bare: bareScript });
    case "indents":
      return [/"""/g, /'''/g].map((quotes) => lastOdd(lines, quotes)).find((line) => line !== undefined);
    // Perl, which looks like shell, ends its code as Ruby does.
    case "shell":
    case "ruby":
      return (
        lines.find((line) => line.trimEnd() === "__END__") ??
        lastUneven(lines, { opens: /^=begin\b/, closes: /^=end\b/, bare: (line) => line }) ??
        hereDocuments(lines, family).open
      );
    case "data":
      return undefined;
    default:
      return never(family);
  }
}

/** Finds the last line that opens a text which no later line closes; `bare` removes texts closed on their own line. */
function lastUneven(
  lines: readonly string[],
  { opens, closes, bare }: { opens: RegExp; closes: RegExp; bare: (line: string) => string },
): string | undefined {
  let open: string | undefined;
  for (const line of lines) {
    const text = bare(line);
    if (opens.test(text)) open = line;
    else if (closes.test(text)) open = undefined;
  }
  return open;
}

function lastOdd(lines: readonly string[], quotes: RegExp): string | undefined {
  const having = lines.filter((line) => [...line.matchAll(quotes)].length % 2 === 1);
  return having.length % 2 === 1 ? having.at(-1) : undefined;
}

/** The start of a here-document with its end word; `xs << x` and Elixir's `<<1, 2>>` do not begin one. */
const HERE = {
  shell: /<<[-~]?\s*["'\\]?([A-Za-z_]\w*)/,
  ruby: /(?<![\w\])}])<<(?:[-~]["'`]?|["'`]?(?=[A-Z]))(\w+)(?!.*>>)/,
};

/** Splits off here-documents: returns the lines outside, and the line that begins an unfinished one. */
export function hereDocuments(
  lines: readonly string[],
  family: keyof typeof HERE,
): { outside: string[]; open: string | undefined } {
  const outside: string[] = [];
  let open: { line: string; end: string } | undefined;
  for (const line of lines) {
    if (open === undefined) {
      outside.push(line);
      const end = beginsHere(line) ? HERE[family].exec(line)?.[1] : undefined;
      if (end !== undefined) open = { line, end };
    } else if (line.trim() === open.end) {
      open = undefined;
    }
  }
  return { outside, open: open?.line };
}

/** Whether the line has a real `<<`: not in quotes, not `<<<`, and not in `$((1 << n))`. */
function beginsHere(line: string): boolean {
  const bare = bareCommand(line);
  const before = bare.slice(0, bare.search(/(?<!<)<<(?!<)|$/));
  return before !== bare && before.lastIndexOf("((") <= before.lastIndexOf("))");
}
