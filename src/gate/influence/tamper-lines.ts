// Finds the lines of code in a test: not blank lines, comments or imports. Pure and approximate, with a pattern for each
// language. tamper.ts compares them.
import { posix } from "node:path";

export interface CodeLine {
  /** The line number, from 1. */
  number: number;
  /** Without white space around it and a comma at its end, so that a list may grow. */
  text: string;
}

/** The family of a language, by its syntax of blocks and comments. */
export type Family = "braces" | "indents" | "shell" | "ruby" | "data";

interface Language {
  family: Family;
  comment: RegExp;
  imports: RegExp | undefined;
  /** Import statements of several lines. */
  importBlocks: RegExp | undefined;
}

const JS: Language = {
  family: "braces",
  comment: /^(?:\/\/|(?!.*\*\/\s*\S)(?:\/\*|\*(?:\s|\/|$)))/,
  imports:
    /^(?:import\b\s*["'{*\w$][^;]*|export\s[^;=()"']*\sfrom\s+["'][^;]*|(?:const|let|var)\s[\w{},:\s]+=\s*(?:await\s+import|require)\(\s*["'][^"']*["']\s*\));?(?:\s*\/\/.*)?$/,
  importBlocks: /^[ \t]*import\s+(?:type\s+)?(?:\w+\s*,\s*)?\{[^{}'"`;]*\}\s*from\s*["'][^"'\n]*["'];?/gm,
};
const C_LIKE: Language = {
  family: "braces",
  comment: JS.comment,
  imports:
    /^(?:import|using|use|package|namespace|include|require(?:_once)?|mod|extern crate|#include)\b[^(){}=;]*;?(?:\s*\/\/.*)?$/,
  importBlocks:
    /^(?:import\s*\([^()]*\)|[ \t]*(?:use|import)\s+[\w:.\\]+[:.\\]\{[^(){}=;]*(?:\{[^(){}=;]*\}[^(){}=;]*)*\};?)/gm,
};
const PYTHON: Language = {
  family: "indents",
  comment: /^#/,
  imports: /^(?:from\s+[\w.]+\s+import\b|import\s+[\w.])[^;()]*$/,
  importBlocks: /^[ \t]*from\s+[\w.]+\s+import\s*\([^()]*\)/gm,
};
const RUBY: Language = {
  family: "ruby",
  comment: /^#(?!!)/,
  imports: /^(?:require|require_relative|load)\b(?!\s*[.=])[^;]*$/,
  importBlocks: undefined,
};
const SHELL: Language = { family: "shell", comment: /^#(?!!)/, imports: undefined, importBlocks: undefined };
const DATA: Language = { family: "data", comment: /(?!)/, imports: undefined, importBlocks: undefined };

const LANGUAGES: readonly (readonly [RegExp, Language])[] = [
  [/\.(?:[cm]?[jt]sx?|vue|svelte)$/i, JS],
  [/\.(?:java|kt|kts|scala|groovy|go|rs|cs|php|swift|dart|c|cc|cpp|h|hpp|m)$/i, C_LIKE],
  [/\.pyi?$/i, PYTHON],
  [/\.(?:rb|exs?|cr)$/i, RUBY],
  [/\.(?:sh|bash|zsh|bats|t|pl|mk)$/i, SHELL],
];

/** Finds the lines of code. In an unknown language no line counts as a comment. */
export function codeLines(path: string, text: string): CodeLine[] {
  const { comment, imports, importBlocks } = languageOf(path, text);
  const plain =
    importBlocks === undefined
      ? text
      : text.replace(importBlocks, (block) => "\n".repeat(block.split("\n").length - 1));
  return plain
    .split("\n")
    .map((line, index) => ({ number: index + 1, text: plainLine(line) }))
    .filter((line) => line.text !== "" && !comment.test(line.text) && imports?.test(line.text) !== true);
}

/** Removes white space around a line and a comma at its end. */
export function plainLine(line: string): string {
  return line.trim().replace(/,$/, "");
}

/** The family of a text's language. */
export function familyOf(path: string, text: string): Family {
  return languageOf(path, text).family;
}

function languageOf(path: string, text: string): Language {
  const known = LANGUAGES.find(([names]) => names.test(posix.basename(path)))?.[1];
  if (known !== undefined) return known;
  const shebang = /^#!.*/.exec(text)?.[0];
  if (shebang === undefined) return DATA;
  return shebang.includes("python") ? PYTHON : shebang.includes("node") ? JS : SHELL;
}

/** Removes the content of quotes from a line. */
export function unquoted(line: string): string {
  return line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '""');
}

const SKIPS = [
  // JavaScript
  /\b(?:it|test|describe|suite|context|specify|t|this|ctx)(?:\s*\.\s*(?:concurrent|sequential|serial|parallel))?\s*\.\s*(?:skip|todo|fixme|failing|fails|skipIf|runIf)\b/,
  /\b(?:xit|xdescribe|xtest|xcontext|xspecify)\b\s*[(.]/,
  /\b(?:skip|todo|pending)\s*:(?!\s*(?:false|undefined)\b)/,
  // Python
  /@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b/,
  /\bpytest\s*\.\s*(?:mark\s*\.\s*(?:skip|skipif|xfail)|skip|xfail|importorskip)\b/,
  /\b(?:self\s*\.\s*skipTest|SkipTest)\s*\(/,
  // Java, Kotlin, C#, Go, Rust, PHP, Ruby, shell
  /@(?:Disabled|Ignore|Ignored|DisabledIf|DisabledOnOs)\b/,
  /\[\s*(?:Ignore|Fact\s*\(\s*Skip|Theory\s*\(\s*Skip)\b/,
  /\bt\s*\.\s*(?:Skip|Skipf|SkipNow)\s*\(/,
  /#\[\s*ignore\b/,
  /\bmark(?:TestSkipped|TestIncomplete|AsSkipped)\b/,
  /^\s*(?:skip|pending)\b(?!\s*[=:(.])/,
  /\bexit\s+77\b/,
] as const;

/** Marks that keep all other tests from running. */
const ONLY =
  /\b(?:it|test|describe|suite|context|specify)(?:\s*\.\s*(?:concurrent|sequential|serial|parallel))?\s*\.\s*only\b|(?:^|[;{}]|=>)\s*f(?:it|describe|context|test)\s*\((?![^()]*\)\s*\{)|\bonly\s*:\s*true\b/;

/** Whether the line skips a test. */
export function hasSkip(line: string): boolean {
  const bare = unquoted(line);
  return SKIPS.some((skip) => skip.test(bare)) || hasOnly(line);
}

/** Whether the line skips all other tests. */
export function hasOnly(line: string): boolean {
  return ONLY.test(unquoted(line));
}

/** Statements that end the whole program with exit code 0. */
const EXIT =
  /\bprocess\s*\.\s*(?:exit|reallyExit)\s*\(\s*0?\s*\)|\bprocess\s*\.\s*exitCode\s*=\s*0|\b(?:sys\s*\.\s*exit|os\s*\.\s*_exit|SystemExit|System\s*\.\s*exit|os\s*\.\s*Exit)\s*\(\s*0?\s*\)|(?<![.\w])(?:quit|exit!?)\s*\(\s*0?\s*\)|^\s*exit!?\s*(?:0|$)|(?:;|&&|\|\||\bthen\b)\s*exit\s*(?:0|;|$)|\braise\s+SystemExit\s*$/;

/** Whether the line ends the program with exit code 0. */
export function hasExit(line: string): boolean {
  return EXIT.test(unquoted(line));
}
