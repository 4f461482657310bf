// Comments in source that silence a checking tool: what an attempt adds of them is blanked, to see whether the checks pass without.
// Pure. Leaves running the checks to the rooms.
import { familyOf, type Family } from "./families.js";

const JS =
  /@ts-(?:ignore|expect-error|nocheck)\b|\beslint-disable(?:-next-line|-line)?\b|\bbiome-ignore\b|\bprettier-ignore\b|\boxlint-disable\b|\bdeno-lint-ignore\b|\bstylelint-disable\b|\b(?:c8|v8|istanbul|node:coverage)\s+(?:ignore|disable)\b|\$FlowFixMe\b|@flow-ignore\b|\bjshint\s+ignore\b|\bNOSONAR\b/;
const PYTHON =
  /#\s*(?:noqa\b|type:\s*ignore|pyright:\s*(?:ignore|basic|off)|mypy:\s*ignore|pragma:\s*no\s*(?:cover|branch)|pylint:\s*(?:disable|skip-file)|ruff:\s*noqa|flake8:\s*noqa|fmt:\s*(?:off|skip)|isort:\s*skip|nosec\b|NOSONAR\b)/;
const RUST = /#!?\[\s*(?:cfg_attr\([^\]]*)?(?:allow|expect)\s*\(|#!?\[\s*rustfmt::skip|\bcoverage\(off\)/;
const BY_FAMILY: Readonly<Partial<Record<Family, RegExp>>> = {
  js: JS,
  python: PYTHON,
  rust: RUST,
  go: /\/\/\s*(?:nolint\b|lint:(?:file-)?ignore\b|#nosec\b)/,
  ruby: /#\s*(?:rubocop:\s*(?:disable|todo)|:nocov:|steep:ignore|typed:\s*(?:false|ignore))/,
  php: /@phpstan-ignore(?:-(?:next-)?line)?\b|@psalm-suppress\b|\bphpcs:\s*(?:ignore|disable)|@codeCoverageIgnore|@infection-ignore/,
  java: /@SuppressWarnings\b|@SuppressFBWarnings\b|\bCHECKSTYLE[:.]\s*OFF|\bNOPMD\b|\bNOSONAR\b|@Suppress\s*\(|\bktlint-disable\b/,
  c: /\bNOLINT(?:NEXTLINE|BEGIN)?\b|\bcppcheck-suppress\b|#\s*pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored|\b(?:GCOVR?|LCOV)_EXCL_/,
  csharp: /#\s*pragma\s+warning\s+disable|\[\s*(?:\w+:\s*)?SuppressMessage\b|\bExcludeFromCodeCoverage\b/,
  swift: /\bswiftlint:disable\b/,
  shell: /#\s*shellcheck\s+disable\s*=/,
  perl: /##?\s*no\s+critic\b/,
  lua: /--\s*luacheck:\s*(?:ignore|push|no)/,
  elixir: /#\s*credo:disable|@dialyzer\b/,
};

/** A text without the suppressions that were added, and how many these are. */
export interface Unsuppressed {
  text: string;
  count: number;
}

/**
 * The text of a changed source file with each suppression that it adds blanked: the mark alone, so that lines keep their numbers.
 * `undefined`: it adds none. A line that only moved, or that was there as often before, adds none.
 */
export function withoutAddedSuppressions(
  path: string,
  before: string | undefined,
  after: string,
): Unsuppressed | undefined {
  const family = familyOf(path);
  const mark = family === undefined ? undefined : BY_FAMILY[family];
  if (mark?.test(after) !== true) return undefined;
  const every = new RegExp(mark.source, "g");
  const left = new Map<string, number>();
  for (const line of (before ?? "").split("\n")) {
    if (mark.test(line)) left.set(line.trim(), (left.get(line.trim()) ?? 0) + 1);
  }
  let count = 0;
  const lines = after.split("\n").map((line) => {
    if (!mark.test(line)) return line;
    const known = left.get(line.trim()) ?? 0;
    if (known > 0) {
      left.set(line.trim(), known - 1);
      return line;
    }
    count++;
    return blank(line, every);
  });
  return count === 0 ? undefined : { text: lines.join("\n"), count };
}

/** Attributes stand in code, where blanks alone would not do: they become something that means nothing. */
function blank(line: string, mark: RegExp): string {
  if (/^\s*#!?\[.*\]\s*$/.test(line) || /^\s*#\s*pragma\b/.test(line)) return "";
  if (/^\s*@\w+(?:\([^)]*\))?\s*$/.test(line)) return "";
  return line.replace(mark, (found) => found.replaceAll(/[\w$]/g, "x"));
}
