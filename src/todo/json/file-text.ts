// The text of a task file, taken apart into the rows of its tasks and the text around them, so that an edit of one row leaves
// every other byte alone. Also finds what JSON.parse would lose or refuse, and the places of values. check.ts knows the meaning.
import { parseTree, visit, type JSONVisitor, type Node } from "jsonc-parser";
import { shorten } from "../../system/text/cut.js";
import type { UnplacedProblem } from "../model/problem.js";

/** Without a byte order mark. Joined in this order, the parts are the text. */
export interface FileText {
  /** Up to the bracket that opens the list of tasks; the whole text if it has no such list. */
  head: string;
  /** The text of each value in the list, in file order. */
  rows: readonly string[];
  /** The text before the first row, between two rows, and behind the last: one more than there are rows. */
  gaps: readonly string[];
  /** From the bracket that closes the list. */
  tail: string;
}

/** A problem of the text itself, independent of its meaning. */
export interface TextProblem extends Omit<UnplacedProblem, "atKey"> {
  rule: "syntax" | "duplicate-key" | "nesting" | "number";
  /** In UTF-16 code units. */
  offset: number;
}

export interface TextRead {
  /** For a text that is not JSON: the rows before the error. */
  file: FileText;
  /** In no particular order. A text that is nested too deep is not read further. */
  problems: TextProblem[];
  /** Comments and commas before a closing bracket, in file order: without them nothing changes its meaning. */
  removable: { start: number; end: number; kind: "comment" | "comma" }[];
}

/** More open brackets than this are a problem. */
const DEEPEST = 200;

/** Reads any text in one walk. */
export function readText(text: string): TextRead {
  const reader = new Reader(text);
  try {
    visit(text, reader, { allowTrailingComma: true });
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
  }
  return { file: reader.file(), problems: reader.problems, removable: reader.removable };
}

/** The text of a file. */
export function joinText({ head, rows, gaps, tail }: FileText): string {
  const parts = [head, gaps[0] ?? ""];
  for (const [at, row] of rows.entries()) parts.push(row, gaps[at + 1] ?? "");
  parts.push(tail);
  return parts.join("");
}

/** Values of jsonc-parser's `ParseErrorCode`, whose declaration cannot be imported. */
const CODE = {
  symbol: 1,
  key: 3,
  value: 4,
  colon: 5,
  comma: 6,
  end: 9,
  comment: 11,
  string: 12,
} as const;

/** Mistakes inside a number or a string; the walk continues behind them. */
const INSIDE: Readonly<Record<number, [string, string]>> = {
  2: ["a number that is not complete", "write it as 1, 1.5 or 1e3"],
  13: ["a number that is not complete", "write it as 1, 1.5 or 1e3"],
  14: ["a \\u escape without four hexadecimal digits", "write it as \\u00e9"],
  15: ["an escape that JSON does not know", 'known are \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX'],
  16: ["a control character in a string", "write it as an escape, such as \\t"],
};

const EXPECTED: Readonly<Record<number, string>> = {
  [CODE.symbol]: "a value, or a key in double quotes",
  [CODE.key]: "a key in double quotes",
  [CODE.value]: "a value",
  [CODE.colon]: "a colon after the key",
  [CODE.end]: "nothing more: the first value was complete",
};
const NEXT = "a comma or the closing bracket";

/** Words of other languages for a value, and their JSON. */
const FOREIGN: Readonly<Record<string, string>> = {
  True: "true",
  False: "false",
  None: "null",
  undefined: "null",
  NaN: "null",
  nil: "null",
};

/** Ends the walk: the library would use as much stack as the text is deep. */
class TooDeep extends Error {}

type PathOf = () => readonly (string | number)[];
/** The arguments of the library behind an offset. */
type More = [length: number, line: number, column: number, path: PathOf];

class Reader implements JSONVisitor {
  readonly problems: TextProblem[] = [];
  readonly removable: TextRead["removable"] = [];
  /** Whether the meaning of the rest is unclear: what the library reports there is about its own guesses. */
  private stopped = false;
  /** The comma that was read last, if nothing came behind it. */
  private comma: number | undefined;
  /** Whether a word of another language stands where the value is now missing. */
  private foreign = false;
  /** How many brackets are open. */
  private depth = 0;
  /** The keys seen in the open object of each depth. */
  private readonly seen: Set<string>[] = [];
  /** The last key of the root, if that is an object. */
  private rootKey: string | undefined;
  /** The offsets of the list's inside, and of its rows. */
  private list: { start: number; end: number; rows: { start: number; end: number }[] } | undefined;
  private inList = false;
  private rowStart = 0;

  constructor(private readonly text: string) {}

  file(): FileText {
    const { text, list } = this;
    if (list === undefined) return { head: text, rows: [], gaps: [""], tail: "" };
    const { start, end, rows } = list;
    const bounds = [start, ...rows.map((row) => row.end)];
    return {
      head: text.slice(0, start),
      rows: rows.map((row) => text.slice(row.start, row.end)),
      gaps: bounds.map((from, at) => text.slice(from, rows[at]?.start ?? end)),
      tail: text.slice(end),
    };
  }

  onObjectBegin = (offset: number, ...[, , , path]: More): void => {
    this.open(offset, path);
    const seen = this.seen[this.depth];
    if (seen === undefined) this.seen[this.depth] = new Set();
    else seen.clear();
  };

  onArrayBegin = (offset: number, ...[, , , path]: More): void => {
    this.open(offset, path);
    if (this.depth !== 2 || this.rootKey !== "tasks" || this.stopped) return;
    // Of two lists the last one counts, as in JSON.parse.
    this.list = { start: offset + 1, end: this.text.length, rows: [] };
    this.inList = true;
  };

  onObjectProperty = (key: string, offset: number, ...[, , , path]: More): void => {
    this.value();
    if (this.stopped) return;
    if (this.depth === 1) this.rootKey = key;
    const seen = this.seen[this.depth];
    if (seen?.has(key) === true) {
      const at = { rule: "duplicate-key", path: [...path(), key] } as const;
      this.report(offset, `the key ${JSON.stringify(key)} is here a second time`, "keep one of them", at);
    } else seen?.add(key);
  };

  onLiteralValue = (value: unknown, offset: number, ...[length, , , path]: More): void => {
    this.value();
    if (this.stopped) return;
    if (this.inList && this.depth === 2) this.list?.rows.push({ start: offset, end: offset + length });
    const written = this.text.slice(offset, offset + length);
    if (typeof value !== "number" || roundTrips(written)) return;
    const message = `the number ${shorten(written, 40)} would come back as ${String(Number(written))}`;
    this.report(offset, message, "write it as a string", { rule: "number", path: path() });
  };

  onObjectEnd = (offset: number): void => {
    this.close(offset);
  };

  onArrayEnd = (offset: number): void => {
    if (this.inList && this.depth === 2 && !this.stopped) {
      this.inList = false;
      if (this.list !== undefined) this.list.end = offset;
    }
    this.close(offset);
  };

  onSeparator = (character: string, offset: number): void => {
    this.value();
    if (character === ",") this.comma = offset;
  };

  onComment = (offset: number, length: number): void => {
    if (this.stopped) return;
    this.report(offset, "a comment", "remove it: JSON has no comments; looper fmt --fix does");
    // A comment that is not closed swallows text that was probably not meant as one.
    if (this.problems.at(-2)?.offset !== offset)
      this.removable.push({ start: offset, end: offset + length, kind: "comment" });
  };

  onError = (code: number, offset: number, length: number): void => {
    const inside = INSIDE[code];
    const found = this.text.slice(offset, offset + Math.min(length, 40));
    if (inside !== undefined) this.report(offset, ...inside);
    else if (code === CODE.comment)
      this.report(offset, "a comment that is not closed", "remove it: JSON has no comments");
    else if (code === CODE.symbol && Object.hasOwn(FOREIGN, found)) {
      this.report(offset, `${found} is not a JSON value`, `write ${FOREIGN[found] ?? ""}`);
      this.value();
      this.foreign = true;
    } else if (code === CODE.comma && /^["[{]/u.test(found))
      this.report(offset, "a comma is missing before this", "put a comma between them");
    else if (code !== CODE.value || !this.foreign) this.stop(code, offset, found);
  };

  private stop(code: number, offset: number, found: string): void {
    const expected = `expected ${EXPECTED[code] ?? NEXT}`;
    if (code === CODE.string) {
      const advice = 'close it with " on the same line; write a line break as \\n';
      this.report(offset, "a string that is not closed", advice);
    } else if (found === "") {
      // The walk has closed the innermost bracket already where it looks for its end.
      const open = this.depth + (EXPECTED[code] === undefined ? 1 : 0);
      const brackets = open === 1 ? "1 bracket is" : `${String(open)} brackets are`;
      const why = open === 0 ? "there is no value" : `it is cut off: ${brackets} still open`;
      this.report(this.text.length, `the text ends here, but ${why}`, expected);
    } else {
      const hint = found.startsWith("'") ? "; JSON uses double quotes" : "";
      this.report(offset, `unexpected ${JSON.stringify(found)}`, `${expected}${hint}`);
    }
    this.stopped = true;
  }

  private report(
    offset: number,
    message: string,
    suggestion: string,
    at: { rule: TextProblem["rule"]; path: readonly (string | number)[] } = { rule: "syntax", path: [] },
  ): void {
    const pointer = pointerOf(at.path);
    if (!this.stopped) this.problems.push({ rule: at.rule, pointer, offset, message, suggestion });
  }

  /** A key, or the beginning of a value. */
  private value(): void {
    this.comma = undefined;
    this.foreign = false;
  }

  private open(offset: number, path: PathOf): void {
    this.value();
    if (this.inList && this.depth === 2) this.rowStart = offset;
    if (++this.depth <= DEEPEST) return;
    const message = `nested more than ${String(DEEPEST)} levels deep`;
    const pointer = pointerOf(path());
    this.problems.push({ rule: "nesting", pointer, offset, message, suggestion: "flatten it" });
    throw new TooDeep();
  }

  private close(offset: number): void {
    const { comma, stopped } = this;
    if (comma !== undefined && offset < this.text.length && !stopped) {
      this.report(comma, "a comma before the closing bracket", "remove it; looper fmt --fix does");
      this.removable.push({ start: comma, end: comma + 1, kind: "comma" });
    }
    this.value();
    this.depth--;
    if (this.inList && this.depth === 2 && !stopped)
      this.list?.rows.push({ start: this.rowStart, end: offset + 1 });
  }
}

/** Whether reading a JSON number and writing it again gives the same number. */
function roundTrips(written: string): boolean {
  if (written.length <= 15 && !/e/i.test(written)) return true;
  const value = Number(written);
  return Number.isFinite(value) && decimal(written) === decimal(String(value));
}

/** A number's digits without zeros at either end, and its exponent. */
function decimal(written: string): string {
  const parts = /^-?(\d+)(?:\.(\d*))?(?:e(.*))?$/i.exec(written);
  const [, whole = "", fraction = "", power = "0"] = parts ?? [];
  const digits = whole + fraction;
  let from = 0;
  let to = digits.length;
  while (from < to && digits[from] === "0") from++;
  while (to > from && digits[to - 1] === "0") to--;
  if (from === to) return "0";
  return `${digits.slice(from, to)}e${Number(power) - fraction.length + digits.length - to}`;
}

/** The JSON pointer (RFC 6901) of a path. */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((part) => "/" + String(part).replaceAll("~", "~0").replaceAll("/", "~1")).join("");
}

/** The offsets of a value and of its `key`, or of the value again if it has no key. */
export interface PointerTarget {
  key: number;
  value: number;
}

/** Returns a function that finds the target of a pointer in a text that is JSON; `undefined` for one that leads nowhere. */
export function locator({
  head,
  rows,
  gaps,
  tail,
}: FileText): (pointer: string) => PointerTarget | undefined {
  const starts: number[] = [];
  let end = head.length;
  for (const [at, row] of rows.entries()) {
    starts.push(end + (gaps[at] ?? "").length);
    end = (starts[at] ?? 0) + row.length;
  }
  const inside = end + (gaps.at(-1) ?? "").length - head.length;
  const trees = new Map<number | undefined, Node | undefined>();
  const treeOf = (row: number | undefined): Node | undefined => {
    if (!trees.has(row)) trees.set(row, parseTree(row === undefined ? head + tail : (rows[row] ?? "")));
    return trees.get(row);
  };
  return (pointer) => {
    const parts = pointer
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const row = parts[0] === "tasks" && parts[1] !== undefined ? Number(parts[1]) : undefined;
    const inRow = row !== undefined && rows[row] !== undefined;
    const node = descend(treeOf(inRow ? row : undefined), inRow ? parts.slice(2) : parts);
    if (node === undefined) return undefined;
    const place = (offset: number): number =>
      inRow ? (starts[row] ?? 0) + offset : offset < head.length ? offset : offset + inside;
    const { offset, parent } = node;
    return { key: place(parent?.type === "property" ? parent.offset : offset), value: place(offset) };
  };
}

/** If a key occurs twice, the last one counts, as in JSON.parse. */
function descend(node: Node | undefined, parts: readonly string[]): Node | undefined {
  let at = node;
  for (const part of parts) {
    if (at?.type === "object")
      at = at.children?.findLast((one) => one.children?.[0]?.value === part)?.children?.[1];
    else at = at?.type === "array" ? at.children?.[Number(part)] : undefined;
  }
  return at;
}
