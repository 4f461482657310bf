// Comments in source that silence a checking tool: what an attempt adds of them is blanked, to see whether the checks pass without.
// By the tools' documentation of what they obey. Pure. Leaves running the checks to the rooms.
import { posix } from "node:path";
import { familyOf, type Family } from "../sort/languages.js";

const JS =
  /@ts-(?:ignore|expect-error|nocheck)\b|\beslint-disable(?:-next-line|-line)?\b|\beslint\s{1,9}(?=[\w@/"'-]{1,99}\s{0,9}:)|\b(?:tslint|stylelint|oxlint|jscs|standard)[-:]disable\b|\b(?:biome|rome|prettier|dprint|deno-lint|deno-fmt|svelte|html-validate)-ignore\b|\b(?:c8|v8|istanbul|node:coverage)\s+(?:ignore|disable)\b|\$Flow(?:FixMe|Ignore|IgnoreNext|ExpectedError)\b|@flow-ignore\b|\bjshint\s+ignore\b|@knipignore\b|\bNOSONAR\b/;
const PYTHON =
  /#\s*(?:noqa\b|type:\s*ignore|pyright:\s*(?:ignore|basic|off|report)|mypy:\s*(?:ignore|disable|allow)|pyre-(?:ignore|fixme|unsafe)|pytype:\s*(?:disable|skip)|pragma:\s*no\s*(?:cover|branch)|coverage:\s*ignore|pylint:\s*(?:disable|skip-file)|ruff:\s*(?:noqa|ignore|disable)|flake8:\s*noqa|(?:fmt|autopep8):\s*(?:off|skip)|yapf:\s*disable|isort:\s*(?:skip|off)|nosec\b|codespell:\s*ignore|NOSONAR\b)/i;
const RUST =
  /#!?\[\s*(?:cfg_attr\([^\]]{0,200})?(?:(?:allow|expect)\s*\(|rustfmt::skip|coverage\(off\)|no_coverage)|\bkcov-ignore\b|\b(?:GCOVR?|LCOV|grcov)[_-]excl/i;
const BY_FAMILY: Readonly<Partial<Record<Family, RegExp>>> = {
  js: JS,
  python: PYTHON,
  rust: RUST,
  go: /\/\/\s*(?:nolint\b(?!ing)|lint:(?:file-)?ignore\b|#?nosec\b|coverage:ignore\b|revive:disable\b|exhaustive:ignore\b|gosec:disable\b)/,
  ruby: /#\s*(?:(?:rubocop|standard):\s*(?:disable|todo)|:nocov:|simplecov:disable|steep:ignore|typed:\s*(?:false|ignore)|:reek:|brakeman:ignore)/,
  php: /@phpstan-ignore(?:-(?:next-)?line)?\b|@(?:psalm|phan)-suppress\b|\bphpcs:\s*(?:ignore(?:File)?|disable)|@codingStandardsIgnore\w*|@codeCoverageIgnore\w*|@infection-ignore|@SuppressWarnings\b|@noinspection\b/,
  java: /@(?:file:)?(?:SuppressWarnings|SuppressFBWarnings|SuppressLint|Suppress|Generated|nowarn)\b|\bCHECKSTYLE[:.]\s*OFF|\bNOPMD\b|\bNOSONAR\b|\bnoinspection\b|\b(?:ktlint-disable|spotless:off)\b|@formatter:off\b|\bscala(?:style|fix|fmt):\s*off\b|\$COVERAGE-OFF\$/,
  c: /\bNOLINT(?:NEXTLINE|BEGIN)?\b|\bcppcheck-suppress\b|#\s{0,9}pragma(?:\s|\\\n){1,99}(?:(?:GCC|clang)(?:\s|\\\n){1,99}(?:diagnostic(?:\s|\\\n){1,99}ignored|system_header)|warning\s*\(\s*(?:disable|push\s*,\s*\d))|\b_Pragma\s*\(\s*"(?:(?:GCC|clang)\s+(?:diagnostic\s+ignored|system_header)|warning\s*\(\s*disable)|(?<=^|\n)[ \t]*#[ \t]*(?:line[ \t]+)?\d+[ \t]+"[^"\n]*"[ \t\d]{0,99}\b3\b|\b(?:GCOVR?|LCOV)_EXCL_\w+|\bclang-format\s+off\b|\bcoverity\[/,
  csharp:
    /#\s*pragma\s+warning\s+disable|\[\s*(?:\w+:\s*)?(?:[\w.]+\.)?(?:SuppressMessage|ExcludeFromCodeCoverage|UnconditionalSuppressMessage)\b|\bReSharper\s+disable\b/,
  swift: /\bswiftlint:disable\b|\bswift-format-ignore\b|\bperiphery:ignore\b/,
  shell: /#\s*(?:shellcheck\s+disable\s*=|kcov-ignore|shfmt:ignore)/,
  perl: /##?\s*no\s+critic\b|#\s*uncoverable\b|(?<=^|[;{]\s{0,99})no\s+(?:warnings|strict)\b[^;\n]*;/m,
  lua: /--\s*(?:luacheck:\s*(?:ignore|push|no)|stylua:\s*ignore|@diagnostic\s+disable|selene:\s*allow)/,
  elixir: /#\s*(?:credo:disable|coveralls-ignore|sobelow_skip)|@dialyzer\b/,
};

/** Files of no language that tools check all the same. */
const BY_EXTENSION: Readonly<Record<string, RegExp>> = {
  ".css": JS,
  ".scss": JS,
  ".less": JS,
  ".json5": JS,
  ".jsonc": JS,
  ".html": JS,
  ".md":
    /<!--\s*(?:markdownlint-(?:disable|configure|capture)|prettier-ignore|vale\s+off|lint\s+disable|textlint-disable|cspell:ignore)/,
  ".yml": /#\s*(?:yamllint\s+disable|noqa\b|prettier-ignore|nosemgrep)/,
  ".yaml": /#\s*(?:yamllint\s+disable|noqa\b|prettier-ignore|nosemgrep)/,
};

/** A text without the suppressions that were added, and how many these are. */
export interface Unsuppressed {
  text: string;
  count: number;
}

/**
 * The text of a changed source file with each suppression that it adds blanked: the mark alone, so that lines keep their numbers.
 * `undefined`: it adds none. One that only moved, or that was there as often before, is not added.
 */
export function withoutAddedSuppressions(
  path: string,
  before: string | undefined,
  after: string,
): Unsuppressed | undefined {
  const family = familyOf(path);
  const mark = family === undefined ? extraMark(path) : BY_FAMILY[family];
  if (mark?.test(after) !== true) return undefined;
  const left = new Map<string, number>();
  for (const { key } of find(before ?? "", mark, family)) left.set(key, (left.get(key) ?? 0) + 1);
  const added = find(after, mark, family).filter(({ key }) => {
    const known = left.get(key) ?? 0;
    left.set(key, known - 1);
    return known <= 0;
  });
  if (added.length === 0) return undefined;
  const pieces: string[] = [];
  let at = 0;
  for (const { from, to, isCode } of added) {
    pieces.push(after.slice(at, from), blank(after.slice(from, to), isCode));
    at = to;
  }
  return { text: [...pieces, after.slice(at)].join(""), count: added.length };
}

function extraMark(path: string): RegExp | undefined {
  const extension = posix.extname(path).toLowerCase();
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
}

/** A suppression in a text. */
interface Suppression {
  from: number;
  to: number;
  /** Its own text, which does not depend on its place in the file. */
  key: string;
  /** An attribute or a pragma: part of the code, so it goes as a whole. */
  isCode: boolean;
}

function find(text: string, mark: RegExp, family: Family | undefined): Suppression[] {
  const found: Suppression[] = [];
  const every = new RegExp(mark.source, `${mark.flags}g`);
  for (let one = every.exec(text); one !== null; one = every.exec(text)) {
    const from = one.index;
    const lineStart = text.lastIndexOf("\n", from) + 1;
    const isCode = isAttribute(one[0], family);
    const to = isCode ? endOfAttribute(text, from, one[0].length) : from + one[0].length;
    every.lastIndex = Math.max(to, from + 1);
    if (!isCode && isInText(text.slice(lineStart, from))) continue;
    const end = isCode ? to : endOfLine(text, to);
    const key = text.slice(from, end).trim();
    // An attribute that is alone on its line leaves an empty line.
    const isAlone =
      isCode && text.slice(lineStart, from).trim() === "" && /^[ \t]*(?:\n|$)/.test(text.slice(to, to + 200));
    found.push(
      isAlone ? { from: lineStart, to: endOfLine(text, to), key, isCode } : { from, to, key, isCode },
    );
  }
  return found;
}

const WITH_ATTRIBUTES: ReadonlySet<Family | undefined> = new Set([
  "rust",
  "java",
  "csharp",
  "c",
  "elixir",
  "perl",
]);

function isAttribute(mark: string, family: Family | undefined): boolean {
  return (
    WITH_ATTRIBUTES.has(family) &&
    /^\s*(?:#!?\[|@(?!formatter)|\[|#\s*(?:pragma|line|\d)|_Pragma|no\s)/.test(mark)
  );
}

/** An attribute ends with its last bracket, a pragma of C with its line, one of Perl with its semicolon. */
function endOfAttribute(text: string, from: number, length: number): number {
  if (/^no\s/.test(text.slice(from, from + 3))) return text.indexOf(";", from) + 1;
  if (/^\s*#\s*(?:pragma|line|\d)|^@dialyzer/.test(text.slice(from, from + 20)))
    return endOfLine(text, from + length);
  const open = /^(?:#!?|@[\w:.]+\s*|_Pragma\s*)(?=[[(])/.exec(text.slice(from, from + 100))?.[0];
  let depth = 0;
  for (let at = from + (open ?? "").length; at < text.length; at++) {
    if ("[({".includes(text.charAt(at))) depth++;
    else if ("])}".includes(text.charAt(at)) && --depth <= 0) return at + 1;
    else if (depth === 0) break;
  }
  return from + (/^[@#![\]\w:.]+/.exec(text.slice(from))?.[0].length ?? 1);
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** Whether what follows on a line is inside a text, with no comment begun before it. */
function isInText(before: string): boolean {
  if (/\/\/|\/\*|#|--|<!--|^\s*\*/.test(before)) return false;
  let quote = "";
  for (let at = 0; at < before.length; at++) {
    const character = before.charAt(at);
    if (quote === "" && /["'`]/.test(character)) quote = character;
    else if (character === quote) quote = "";
    else if (quote !== "" && character === "\\") at++;
  }
  return quote !== "";
}

function blank(found: string, isCode: boolean): string {
  return isCode ? found.replaceAll(/[^\n]/g, "") : found.replaceAll(/[\w$]/g, "x");
}
