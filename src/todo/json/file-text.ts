// The text of a task file, taken apart into the rows of its tasks and the text around them, so that an edit of one row leaves
// every other byte alone. Also finds what JSON.parse would lose or refuse, and the places of values. check.ts knows the meaning.
import { parseTree, visit, type JSONVisitor, type Node } from "jsonc-parser";
import { shorten } from "../../system/text/cut.js";
import { SyntaxReport, type SyntaxProblem } from "./syntax.js";

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
export interface TextProblem {
  rule: "syntax" | "duplicate-key" | "nesting" | "number";
  pointer: string;
  /** In UTF-16 code units. */
  offset: number;
  message: string;
  suggestion: string | null;
}

export interface TextRead {
  /** For a text that is not JSON: the rows before the error. */
  file: FileText;
  /** In no particular order. A text that is nested too deep is not read further. */
  problems: TextProblem[];
  /** Comments and commas before a closing bracket, in file order: without them nothing changes its meaning. */
  removable: SyntaxReport["removable"];
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
  const { problems, syntax } = reader;
  const said = syntax.problems.map((one: SyntaxProblem) => ({
    rule: "syntax" as const,
    pointer: "",
    ...one,
  }));
  return { file: reader.file(), problems: [...problems, ...said], removable: syntax.removable };
}

/** The text of a file. */
export function joinText({ head, rows, gaps, tail }: FileText): string {
  const parts = [head, gaps[0] ?? ""];
  for (const [at, row] of rows.entries()) parts.push(row, gaps[at + 1] ?? "");
  parts.push(tail);
  return parts.join("");
}

/** Ends the walk: the library would use as much stack as the text is deep. */
class TooDeep extends Error {}

type PathOf = () => readonly (string | number)[];
/** The arguments of the library behind an offset. */
type More = [length: number, line: number, column: number, path: PathOf];

class Reader implements JSONVisitor {
  readonly problems: TextProblem[] = [];
  readonly syntax: SyntaxReport;
  private depth = 0;
  /** The keys seen in the open object of each depth. */
  private readonly seen: Set<string>[] = [];
  /** The last key of the root, if that is an object. */
  private rootKey: string | undefined;
  /** The offsets of the list's inside, and of its rows. */
  private list: { start: number; end: number; rows: { start: number; end: number }[] } | undefined;
  private inList = false;
  private rowStart = 0;

  constructor(private readonly text: string) {
    this.syntax = new SyntaxReport(text);
  }

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
    if (this.depth !== 2 || this.rootKey !== "tasks" || this.syntax.stopped) return;
    // Of two lists the last one counts, as in JSON.parse.
    this.list = { start: offset + 1, end: this.text.length, rows: [] };
    this.inList = true;
  };

  onObjectProperty = (key: string, offset: number, ...[, , , path]: More): void => {
    this.syntax.value();
    if (this.syntax.stopped) return;
    if (this.depth === 1) this.rootKey = key;
    const seen = this.seen[this.depth];
    if (seen?.has(key) === true) {
      const message = `the key ${JSON.stringify(key)} is here a second time`;
      const suggestion = "keep one of them";
      this.problems.push({
        rule: "duplicate-key",
        pointer: pointerOf([...path(), key]),
        offset,
        message,
        suggestion,
      });
    } else seen?.add(key);
  };

  onLiteralValue = (value: unknown, offset: number, ...[length, , , path]: More): void => {
    this.syntax.value();
    if (this.syntax.stopped) return;
    if (this.inList && this.depth === 2) this.list?.rows.push({ start: offset, end: offset + length });
    if (typeof value !== "number") return;
    const written = this.text.slice(offset, offset + length);
    if (roundTrips(written)) return;
    const message = `the number ${shorten(written, 40)} would come back as ${String(Number(written))}`;
    this.problems.push({
      rule: "number",
      pointer: pointerOf(path()),
      offset,
      message,
      suggestion: "write it as a string",
    });
  };

  onObjectEnd = (offset: number): void => {
    this.close(offset);
  };

  onArrayEnd = (offset: number): void => {
    if (this.inList && this.depth === 2 && !this.syntax.stopped) {
      this.inList = false;
      if (this.list !== undefined) this.list.end = offset;
    }
    this.close(offset);
  };

  onSeparator = (character: string, offset: number): void => {
    this.syntax.separator(character, offset);
  };

  onComment = (offset: number, length: number): void => {
    this.syntax.comment(offset, length);
  };

  onError = (code: number, offset: number, length: number): void => {
    this.syntax.error(code, { offset, length, depth: this.depth });
  };

  private open(offset: number, path: PathOf): void {
    this.syntax.value();
    if (this.inList && this.depth === 2) this.rowStart = offset;
    if (++this.depth <= DEEPEST) return;
    const message = `nested more than ${String(DEEPEST)} levels deep`;
    this.problems.push({
      rule: "nesting",
      pointer: pointerOf(path()),
      offset,
      message,
      suggestion: "flatten it",
    });
    throw new TooDeep();
  }

  private close(offset: number): void {
    this.syntax.close(offset);
    this.depth--;
    if (this.inList && this.depth === 2 && !this.syntax.stopped)
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
