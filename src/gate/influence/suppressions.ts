// Comments and attributes in source that silence a checking tool: what an attempt adds of them is blanked, to
// see whether the checks pass without. By the tools' documentation of what they obey; one list for all
// languages. Pure. Leaves running the checks to the rooms.
import { familyOf } from "../sort/languages.js";

/** Words of comments, of which only these are blanked. */
const COMMENTS = [
  // JavaScript, CSS, HTML
  /@ts-(?:ignore|expect-error|nocheck)\b|\beslint-disable(?:-next-line|-line)?\b|\beslint\s{1,9}(?=[\w@/"'-]{1,99}\s{0,9}:)/gi,
  /\b(?:tslint|stylelint|oxlint|jscs|standard)[-:]disable\b|\b(?:biome|rome|prettier|dprint|deno-lint|deno-fmt|svelte|html-validate)-ignore\b/gi,
  /\b(?:c8|v8|istanbul|node:coverage)\s{1,9}(?:ignore|disable)\b|\$Flow(?:FixMe|Ignore|IgnoreNext|ExpectedError)\b|@flow-ignore\b|\bjshint\s{1,9}ignore\b|@knipignore\b/gi,
  // Python
  /#\s{0,9}(?:noqa\b|type:\s{0,9}ignore|pyright:\s{0,9}(?:ignore|basic|off|report)|mypy:\s{0,9}(?:ignore|disable|allow)|pyre-(?:ignore|fixme|unsafe)|pytype:\s{0,9}(?:disable|skip)|pragma:\s{0,9}no\s{0,9}(?:cover|branch)|coverage:\s{0,9}ignore)/gi,
  /#\s{0,9}(?:pylint:\s{0,9}(?:disable|skip-file)|ruff:\s{0,9}(?:noqa|ignore|disable)|flake8:\s{0,9}noqa|(?:fmt|autopep8):\s{0,9}(?:off|skip)|yapf:\s{0,9}disable|isort:\s{0,9}(?:skip|off)|nosec\b|codespell:\s{0,9}ignore)/gi,
  // Go, Ruby, PHP
  /\/\/\s{0,9}(?:nolint\b|lint:(?:file-)?ignore\b|#?nosec\b|coverage:ignore\b|revive:disable\b|exhaustive:ignore\b|gosec:disable\b)/gi,
  /#\s{0,9}(?:(?:rubocop|standard):\s{0,9}(?:disable|todo)|:nocov:|simplecov:disable|steep:ignore|typed:\s{0,9}(?:false|ignore)|:reek:|brakeman:ignore)/gi,
  /@phpstan-ignore(?:-(?:next-)?line)?\b|@(?:psalm|phan)-suppress\b|\bphpcs:\s{0,9}(?:ignore(?:File)?|disable)|@codingStandardsIgnore\w*|@codeCoverageIgnore\w*|@infection-ignore/gi,
  // Java, C, .NET, Swift
  /\bCHECKSTYLE[:.]\s{0,9}OFF|\bNOPMD\b|\bNOSONAR\b|@?\bnoinspection\b|\b(?:ktlint-disable|spotless:off)\b|@formatter:off\b|\bscala(?:style|fix|fmt):\s{0,9}off\b|\$COVERAGE-OFF\$/gi,
  /\bNOLINT(?:NEXTLINE|BEGIN)?\b|\bcppcheck-suppress\b|\b(?:GCOVR?|LCOV|grcov)[_-]EXCL\w*|\bkcov-ignore\b|\bclang-format\s{1,9}off\b|\bcoverity\[/gi,
  /\bReSharper\s{1,9}disable\b|\bswiftlint:disable\b|\bswift-format-ignore\b|\bperiphery:ignore\b/gi,
  // shell, Perl, Lua, Elixir, Markdown, YAML
  /#\s{0,9}(?:shellcheck\s{1,9}disable\s{0,9}=|shfmt:ignore|no\s{1,9}critic\b|uncoverable\b|credo:disable|coveralls-ignore|sobelow_skip|yamllint\s{1,9}disable|nosemgrep)/gi,
  /--\s{0,9}(?:luacheck:\s{0,9}(?:ignore|push|no)|stylua:\s{0,9}ignore|@diagnostic\s{1,9}disable|selene:\s{0,9}allow)/gi,
  /<!--\s{0,9}(?:markdownlint-(?:disable|configure|capture)|vale\s{1,9}off|lint\s{1,9}disable|textlint-disable|cspell:ignore)/gi,
];

/** Attributes and pragmas, which are code and go as a whole. */
const ATTRIBUTES = [
  // Rust
  /#!?\[\s*(?:cfg_attr\([^[\]]{0,200})?(?:(?:allow|expect)\s*\(|rustfmt::skip|coverage\(off\)|no_coverage)/g,
  // Java, Kotlin, Scala, PHP
  /@(?:file:)?(?:SuppressWarnings|SuppressFBWarnings|SuppressLint|Suppress|Generated|nowarn)\b/g,
  // C: pragmas, and lines that say that what follows is of a system header
  /#\s{0,9}pragma(?:\s|\\\n){1,99}(?:(?:GCC|clang)(?:\s|\\\n){1,99}(?:diagnostic(?:\s|\\\n){1,99}ignored|system_header)|warning\s*\(\s*(?:disable|push\s*,\s*\d))/g,
  /\b_Pragma\s*\(\s*"(?:(?:GCC|clang)\s+(?:diagnostic\s+ignored|system_header)|warning\s*\(\s*disable)/g,
  /(?<=^|\n)[ \t]*#[ \t]*(?:line[ \t]+)?\d+[ \t]+"[^"\n]*"[ \t\d]{0,99}\b3\b/g,
  // .NET, Elixir, Perl
  /#\s*pragma\s+warning\s+disable|\[\s*(?:\w+:\s*)?(?:[\w.]+\.)?(?:SuppressMessage|ExcludeFromCodeCoverage|UnconditionalSuppressMessage)\b/g,
  /@dialyzer\b/g,
  /(?<=^|[;{])[ \t]*no[ \t]+(?:warnings|strict)\b/gm,
];

/** Files of no language that tools check all the same. */
const CHECKED = /\.(?:css|scss|less|json5|jsonc|html|md|ya?ml)$/i;

/**
 * The text of a changed source file with each suppression that it adds blanked: the mark alone, so that lines keep their numbers.
 * `undefined`: it adds none. One that only moved, or that was there as often before, is not added.
 */
export function withoutAddedSuppressions(
  path: string,
  before: string | undefined,
  after: string,
): string | undefined {
  if (familyOf(path) === undefined && !CHECKED.test(path)) return undefined;
  const known = find(before ?? "").map(({ key }) => key);
  const added = find(after).filter(({ key }) => {
    const at = known.indexOf(key);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
  if (added.length === 0) return undefined;
  const pieces = added.map(({ from, to, isCode }, at) => {
    const mark = after.slice(from, to);
    const blank = isCode ? mark.replaceAll(/[^\n]/g, "") : mark.replaceAll(/[\w$]/g, "x");
    return after.slice(added[at - 1]?.to ?? 0, from) + blank;
  });
  return pieces.join("") + after.slice(added.at(-1)?.to);
}

/** A suppression in a text. */
interface Suppression {
  from: number;
  to: number;
  /** Its own text, of a comment with the rest of the line; it does not depend on the place in the file. */
  key: string;
  isCode: boolean;
}

/** The suppressions of a text, in order and apart. */
function find(text: string): Suppression[] {
  const matches = (marks: readonly RegExp[]): RegExpExecArray[] =>
    marks.flatMap((one) => [...text.matchAll(one)]);
  const lineBefore = (at: number): string => text.slice(text.lastIndexOf("\n", at) + 1, at);
  const code = matches(ATTRIBUTES).map(({ 0: mark, index }): Suppression => {
    const to = endOfAttribute(text, index, mark);
    // An attribute that is alone on its line leaves an empty line.
    const from = lineBefore(index).trim() === "" ? index - lineBefore(index).length : index;
    return { from, to, key: text.slice(index, to).trim(), isCode: true };
  });
  const comments = matches(COMMENTS)
    .filter(({ index }) => !isInText(lineBefore(index)))
    .map(({ 0: mark, index: from }): Suppression => {
      const to = from + mark.length;
      return { from, to, key: text.slice(from, endOfLine(text, to)).trim(), isCode: false };
    });
  let end = 0;
  return [...code, ...comments]
    .sort((one, other) => one.from - other.from)
    .filter(({ from, to }) => {
      const isApart = from >= end;
      if (isApart) end = to;
      return isApart;
    });
}

/** A pragma ends with its line, one of Perl with its semicolon, an attribute with its last bracket. */
function endOfAttribute(text: string, from: number, mark: string): number {
  const to = from + mark.length;
  if (/^\s*#(?!!?\[)|^@dialyzer/.test(mark)) return endOfLine(text, to);
  if (/^\s*no\s/.test(mark)) return text.indexOf(";", to) + 1 || endOfLine(text, to);
  const bracket = mark.search(/[[(]/);
  let depth = 0;
  for (let at = bracket < 0 ? to : from + bracket; at < text.length; at++) {
    if ("[({".includes(text.charAt(at))) depth++;
    else if ("])}".includes(text.charAt(at))) depth--;
    else if (depth === 0) return to;
    if (depth === 0) return at + 1;
  }
  return to;
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
