// The last words of a program that failed: the last line that tells anything, with what follows it. Pure.
// Leaves what the words mean to explain-failure.ts.

/** Nothing, brackets, a number, a place in a program, or what underlines it. */
const NO_WORDS = /^(?:at .*|File ".*|\d+:|[\w./\\-]+\.\w{1,5}:\d+(?::\d+)?|[{}[\]()<>,.;^~=_─-]*)$/;
/** An entry of an object that is printed behind an error. */
const ENTRY = /^(?:\s+(?:[a-z_$@][\w$@-]*|'[^']{1,80}')\s*:\s|\s*"[^"]{1,80}"\s*:\s|[\s,]*\w+ \{\s*$)/;
/** An object that stands for itself. */
const OBJECT = /^\[?\{\s*$/;
/** Lines that clients and runtimes print after an error: about a retry, documentation, further logs. */
const AFTERWARDS =
  /^[\s⚡,]*(?:Node\.js v\d|\$ |Bun v\d|(?:retrying|will retry|sleeping|waiting)\b(?! until)|(?:for (?:more|further)|see|visit|docs?|help|hint|tip|note|learn more|if (?:this|you))\b|please (?:check|see|visit|refer|wait|try|retry)\b|\(?(?:request|trace|correlation)[ _-]?id\b|https?:\/\/\S+\s*$|(?:location|stack backtrace|backtrace omitted|run with RUST_\w+|traceback)\b|(?:or )?you can\b|provider returned error\s*$|(?:to (?:increase|raise|upgrade|continue)|upgrade|resets? (?:in|at|on)\b|add (?:more )?(?:credits?|funds))\b)/iu;
/** The words of a program about its own error, above lines that it indents. */
const HEADING = /^[✕✖✗✘×❌■●⎿]?\s*(?:(?:\w+\.)*[A-Z]\w{0,60}(?:Error|Exception):|(?:error|fatal)\b)/iu;
/** Objects behind an error are not longer than this. */
const MOST_LINES = 80;

/** Whether a line tells nothing of what went wrong. */
export function hasNoWords(line: string): boolean {
  return NO_WORDS.test(line.trim());
}

/** The last line that tells anything with all that follows it, then an object behind it, then what the end is indented below. */
export function lastWords(text: string): string[] {
  const lines = text.split("\n");
  const first = Math.max(0, lines.length - MOST_LINES);
  const at = lines.findLastIndex(
    (line, index) => index >= first && !hasNoWords(line) && !ENTRY.test(line) && !AFTERWARDS.test(line),
  );
  const object = lines.findIndex((line, index) => index > at && index >= first && OBJECT.test(line));
  const heading = lines.findLastIndex((line, index) => index >= first && index <= at && /^\S/.test(line));
  const starts = new Set([at, object, ...(HEADING.test(lines[heading] ?? "") ? [heading] : [])]);
  return [...starts].filter((from) => from >= 0).map((from) => lines.slice(from).join("\n"));
}
