// Finds positions in a backlog's text: of its tasks and their properties (for edits), of JSON pointers (for problems), and
// of errors in the text itself. check.ts knows the meaning of the values.
import { shorten } from "../../system/text/cut.js";
import { walkJson, type Path, type ValueKind, type Visitor } from "./walk.js";

/** Offsets are UTF-16 code units into the text, `end` exclusive. */
export interface Range {
  start: number;
  end: number;
}

/** A property: its key, the position of the key with its quotes, and the range of its value. */
export interface Member extends Range {
  key: string;
  keyStart: number;
  keyEnd: number;
}

/** The positions of all parts that an edit of a backlog can change. */
export interface BacklogLayout {
  /** Without a byte order mark. */
  text: string;
  root: Range;
  members: readonly Member[];
  /** The objects in `tasks`, in file order. */
  tasks: readonly Range[];
}

/** A problem of the text itself, independent of its meaning. */
export interface TextProblem {
  rule: "syntax" | "duplicate-key" | "nesting" | "number";
  pointer: string;
  offset: number;
  message: string;
  suggestion: string | null;
}

export interface LayoutRead {
  /** For a text that is not JSON: the part that could be read. */
  layout: BacklogLayout;
  /** In no particular order. */
  problems: TextProblem[];
}

/** More open brackets than this are a problem. */
export const DEEPEST = 200;

/** Reads a backlog's layout and every problem of its text in one walk. Works for any text, a backlog or not. */
export function readLayout(text: string): LayoutRead {
  const outline = new Outline(text);
  const walked = walkJson(text, outline);
  for (const problem of walked.problems) outline.problems.push({ rule: "syntax", pointer: "", ...problem });
  const { root, members, tasks, problems } = outline;
  return { layout: { text, root, members, tasks }, problems };
}

class Outline implements Visitor {
  root: Range = { start: 0, end: 0 };
  readonly members: Member[] = [];
  readonly tasks: Range[] = [];
  readonly problems: TextProblem[] = [];
  /** The keys seen in the open object of each depth; only one is open at a depth at any time. */
  private readonly seen: Set<string>[] = [];
  private keyRange: Range = { start: 0, end: 0 };

  constructor(private readonly text: string) {}

  open(path: Path, start: number): void {
    const seen = this.seen[path.length];
    if (seen !== undefined) seen.clear();
    else if (path.length < DEEPEST) this.seen.push(new Set());
    else if (path.length === DEEPEST) {
      const message = `nested more than ${DEEPEST} levels deep`;
      this.report("nesting", path, start, { message, suggestion: "flatten it" });
    }
  }

  key(path: Path, start: number, end: number): void {
    if (path.length === 1) this.keyRange = { start, end };
    const seen = this.seen[path.length - 1];
    const key = String(path.at(-1));
    if (seen?.has(key) === true) {
      const message = `the key ${JSON.stringify(key)} is here a second time`;
      this.report("duplicate-key", path, start, { message, suggestion: "keep one of them" });
    } else seen?.add(key);
  }

  value(path: Path, start: number, end: number, kind: ValueKind): void {
    if (path.length === 0) this.root = { start, end };
    else if (path.length === 1 && typeof path[0] === "string")
      this.members.push({ key: path[0], ...ofKey(this.keyRange), start, end });
    else if (path.length === 2 && path[0] === "tasks" && typeof path[1] === "number")
      this.tasks.push({ start, end });
    // Deeper is a problem already, and its pointers would be as long as the text.
    if (kind === "number" && path.length <= DEEPEST) this.number(path, start, end);
  }

  private number(path: Path, start: number, end: number): void {
    const written = this.text.slice(start, end);
    if (roundTrips(written)) return;
    const message = `the number ${shorten(written, 40)} would come back as ${String(Number(written))}`;
    this.report("number", path, start, { message, suggestion: "write it as a string" });
  }

  private report(
    rule: TextProblem["rule"],
    path: Path,
    offset: number,
    words: { message: string; suggestion: string },
  ): void {
    this.problems.push({ rule, pointer: pointerOf(path), offset, ...words });
  }
}

/** Whether reading a JSON number and writing it again gives the same number. */
export function roundTrips(written: string): boolean {
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

/** The members of the object that begins at `start`, in file order. */
export function readMembers(text: string, start: number): Member[] {
  const members: Member[] = [];
  let keyRange: Range = { start: 0, end: 0 };
  const visitor: Visitor = {
    key: (path, from, end) => {
      if (path.length === 1) keyRange = { start: from, end };
    },
    value: (path, from, end) => {
      if (path.length === 1) members.push({ key: String(path[0]), ...ofKey(keyRange), start: from, end });
    },
  };
  walkJson(text, visitor, start);
  return members;
}

function ofKey({ start, end }: Range): { keyStart: number; keyEnd: number } {
  return { keyStart: start, keyEnd: end };
}

/** The JSON pointer (RFC 6901) of a path. */
export function pointerOf(path: Path): string {
  return path.map((part) => "/" + String(part).replaceAll("~", "~0").replaceAll("/", "~1")).join("");
}

interface Wanted {
  at: PointerTarget | undefined;
  inside: Map<string, Wanted>;
}

/** The offsets of a value and of its `key`, or of the value again if it has no key. */
export interface PointerTarget {
  key: number;
  value: number;
}

/** Finds the targets of pointers; one without a target is absent. It walks the whole text: ask once for all of them. */
export function locate(text: string, pointers: Iterable<string>): ReadonlyMap<string, PointerTarget> {
  const root: Wanted = { at: undefined, inside: new Map() };
  const wanted = new Map<string, Wanted>();
  for (const pointer of pointers) wanted.set(pointer, addPointer(root, pointer));
  walkJson(text, new Finder(root));
  const found = new Map<string, PointerTarget>();
  for (const [pointer, { at }] of wanted) if (at !== undefined) found.set(pointer, at);
  return found;
}

function addPointer(root: Wanted, pointer: string): Wanted {
  let node = root;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const next = node.inside.get(key) ?? { at: undefined, inside: new Map<string, Wanted>() };
    node.inside.set(key, next);
    node = next;
  }
  return node;
}

class Finder implements Visitor {
  /** For each depth, the parts wanted from the container that is open. */
  private readonly nodes: (Wanted | undefined)[] = [];
  private keyStart: number | undefined;

  constructor(private readonly root: Wanted) {}

  key(_path: Path, start: number): void {
    this.keyStart = start;
  }

  open(path: Path, start: number): void {
    this.nodes[path.length] = this.note(path, start);
  }

  value(path: Path, start: number, _end: number, kind: ValueKind): void {
    // A container was recorded at its beginning, before the keys inside it.
    if (kind !== "object" && kind !== "array") this.note(path, start);
  }

  private note(path: Path, start: number): Wanted | undefined {
    const last = path.at(-1);
    const node = last === undefined ? this.root : this.nodes[path.length - 1]?.inside.get(String(last));
    // If a key occurs twice, the last one counts, as in JSON.parse.
    if (node !== undefined)
      node.at = { key: typeof last === "string" ? (this.keyStart ?? start) : start, value: start };
    return node;
  }
}
