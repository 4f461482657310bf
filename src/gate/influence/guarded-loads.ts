// Which new files a check loads only if they are there: it ran without them, so that they cannot be what the task was to make.
// By the guard around the name: `try`, `eval`, `__has_include`, a question for the file. Pure; texts are read by patterns.
// Leaves files that commands ask for to checks/protected-commands.ts.
import { posix } from "node:path";
import { escapeRegExp } from "../../system/text/escape-reg-exp.js";
import type { Family } from "./program/families.js";

/** A text that names a file, and the language of the text. */
export interface Loader {
  text: string;
  family: Family | undefined;
}

/** Asks whether a file is there, or loads it without an error where it is not. */
const ASKS =
  /\b(?:exists(?:Sync|_ok)?|file_exists|is_?file|is_readable|is_dir|access(?:Sync)?|l?stat(?:Sync)?|find_spec|find_loader|suppress|isfile|lexists|pcall|can_load)\s*\(|\bpcall\s*\(|\b__has_include\b|\bFile\.(?:exist|file|readable)\?|\[[ \t]+-[efrsx][ \t]|\btest[ \t]+-[efrsx][ \t]|(?<=[(\s!])-[efrs][ \t]+["'$]/;
/** On the same line, the failure of the load is dropped. */
const DROPS =
  /[&2]>[ \t]*\/dev\/null|\|\|[ \t]*(?:true|:)(?![\w-])|\.catch\s*\(|\brescue\b|@(?:include|require)|\beval\s*(?:["'(]|qq?\b)|^\s*try\s*:|\bif[ \t]+(?:![ \t]*)?(?:\.|source)[ \t]/;
/** Perl's `do FILE` only returns nothing where there is no file. */
const DOES = /\bdo\s*(?:\(\s*)?["'][^"'\n]*$/;
/** The file must be there. */
const DEMANDS = /\b(?:assert\w*|expect|should)\b|\bif\b[\s([]*(?:!|not\b)|\bunless\b/i;
const FAILS = /\b(?:throw|raise|fail|die|exit|abort|reject|croak|confess)\b/;
/** Words that a name without folder and extension follows where it is loaded. */
const LOADS =
  /\b(?:\w*import\w*|from|require\w*|use|include\w*|load\w*|source|find_spec|autoload)\b[^\n;]*$|^\s*\.\s+$/;

/** Whether a text loads a file only if it is there. `path`: from the top, of a file that the text ran without. */
export function loadsIfThere(loader: Loader, path: string): boolean {
  return mentionsOf(loader, path).some((at) => isGuarded(loader, at) || isAskedByName(loader, at));
}

/** Where a text names a file, as a path or as a module. */
function mentionsOf({ text }: Loader, path: string): number[] {
  const inside = path.slice(0, path.length - posix.extname(path).length);
  const isIndex = /(?:^|\/)(?:index|__init__|mod|init)$/.test(inside) && inside.includes("/");
  const parts = (isIndex ? posix.dirname(inside) : inside).split("/");
  const stem = parts.at(-1) ?? "";
  const places = [...text.matchAll(new RegExp(`(?<![\\w-])${escapeRegExp(stem)}(?![\\w-])`, "g"))];
  return places.map(({ index }) => index).filter((at) => leadsTo(text, at, stem, parts));
}

/** Whether the name around a place is that of the file, by the end of its path. */
function leadsTo(text: string, at: number, stem: string, parts: readonly string[]): boolean {
  const [before = ""] = /[\w.:/\\@]*$/.exec(text.slice(Math.max(0, at - 200), at)) ?? [];
  const [after = ""] = /^[\w.:/\\]*/.exec(text.slice(at + stem.length, at + stem.length + 100)) ?? [];
  const folders = before.split(/::|[./\\]/).filter((one) => one !== "" && one !== "@");
  const isEnd = folders.every((one, index) => parts.at(index - folders.length - 1) === one);
  const isPath = before.includes("/") || folders.length > 0 || /^\.[a-z]\w*/i.test(after);
  return isEnd && (isPath || LOADS.test(lineBefore(text, at)));
}

/** Whether the failure of a load is caught, or the file is asked for before. */
function isGuarded({ text, family }: Loader, at: number): boolean {
  const line = lineAround(text, at);
  const before = lineBefore(text, at);
  // A static import of JavaScript fails whatever is around it.
  if (family === "js" && /^\s*(?:import|export)\b[^(]*$/.test(before)) return false;
  if (asksFirst(line) || (DROPS.test(line) && !FAILS.test(line))) return true;
  if (family === "perl" && DOES.test(before)) return !FAILS.test(line.slice(before.length));
  return isInBraces(text, at) || isInIndented(text, at);
}

/** A question that decides what is done, and not one that must be answered with yes. */
function asksFirst(line: string): boolean {
  if (!ASKS.test(line) || FAILS.test(line) || DEMANDS.test(line)) return false;
  return /\bif\b|&&|\?|\band\b|\bsuppress\b|\bpcall\b|__has_include/.test(line);
}

/** A place or an answer in a variable counts where the variable is used: `if (existsSync(at)) await import(at)`. */
function isAskedByName(loader: Loader, at: number): boolean {
  const { text } = loader;
  const before = lineBefore(text, at);
  const [, name] = /(?:^|[\s;({])\$?(\w+)\s*:?=(?!=)[^=]*$/.exec(before) ?? [];
  if (name === undefined || LOADS.test(before)) return false;
  const isAnswer = ASKS.test(lineAround(text, at));
  const uses = [...text.matchAll(new RegExp(`(?<![\\w-])${name}(?![\\w-])`, "g"))];
  return uses.some(({ index }) => {
    if (index <= at) return false;
    if (!isAnswer) return isGuarded(loader, index);
    return /\bif\s*(?:\(\s*)?$/.test(lineBefore(text, index)) || /^\w+\s*(?:\?|&&)/.test(text.slice(index));
  });
}

/** Whether one of the blocks around a place catches its failure, or is entered only where a file is there. */
function isInBraces(text: string, at: number): boolean {
  let depth = 0;
  for (let open = at; open > Math.max(0, at - 4000); open--) {
    const character = text.charAt(open);
    if (character === "}") depth++;
    if (character !== "{" || depth-- > 0) continue;
    depth = 0;
    const head = text.slice(Math.max(0, open - 160), open).replace(/^[^]*[;{}]/, "");
    if (asksFirst(head)) return true;
    if (/\b(?:try|eval)\s*$/.test(head) && !failsAfter(text.slice(closeOf(text, at)))) return true;
  }
  return false;
}

/** The place behind the brace that closes the block around a place. */
function closeOf(text: string, at: number): number {
  let depth = 0;
  for (let close = at; close < text.length; close++) {
    const character = text.charAt(close);
    if (character === "{") depth++;
    else if (character === "}" && --depth < 0) return close + 1;
  }
  return text.length;
}

/** Whether the code that handles a failure fails in every case. */
function failsAfter(rest: string): boolean {
  const handler = /^\s*(?:catch\b[^{]*\{[^}]*\}?|(?:or|\|\|)[^\n;]*|(?:;\s*)?(?:if|die)\b[^;]*)/.exec(
    rest,
  )?.[0];
  return handler !== undefined && FAILS.test(handler) && !/\bif\b[^{]{0,400}\bcode\b/.test(handler);
}

/** The same for languages with blocks by indentation or words: Python, Ruby, shell. */
function isInIndented(text: string, at: number): boolean {
  const lines = text.split("\n");
  const here = text.slice(0, at).split("\n").length - 1;
  let width = indentOf(lines[here] ?? "");
  for (let index = here - 1; index >= 0 && width > 0; index--) {
    const line = lines[index] ?? "";
    if (line.trim() === "" || indentOf(line) >= width) continue;
    width = indentOf(line);
    if (/^\s*(?:if|with)\b/.test(line) && asksFirst(line)) return true;
    if (/^\s*(?:try\s*:|begin\b)/.test(line) && dropsBelow(lines.slice(here + 1), width)) return true;
  }
  return false;
}

/** Whether the block that begins at a width has a handler that does not fail. */
function dropsBelow(lines: readonly string[], width: number): boolean {
  const start = lines.findIndex((line) => indentOf(line) === width && /^\s*(?:except|rescue)\b/.test(line));
  if (start < 0) return false;
  const body = lines.slice(start + 1);
  const length = body.findIndex((line) => line.trim() !== "" && indentOf(line) <= width);
  const handler = length < 0 ? body : body.slice(0, length);
  return !handler.some((line) => indentOf(line) > width && FAILS.test(line) && !/\bif\b/.test(line));
}

function indentOf(line: string): number {
  return /^[ \t]*/.exec(line)?.[0].length ?? 0;
}

function lineBefore(text: string, at: number): string {
  return text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
}

function lineAround(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return lineBefore(text, at) + text.slice(at, end < 0 ? text.length : end);
}
