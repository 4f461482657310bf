// Finds the JSON objects in a text that is mostly something else. Leaves what they mean to extract.ts.
//
// Contract: linear in the text, whatever is in it, and without recursion. An attempt judges every object it enters, and
// none that is judged is tried again. So a later attempt can only begin at a brace that an earlier one took for part of a
// string, and such a one sees strings where the earlier saw structure: no place is read by more than two.

/** A JSON object: `text.slice(start, end)` is valid JSON. */
export interface Span {
  start: number;
  end: number;
}

/** An object that has one of the keys looked for, but stops being JSON at offset `at`. */
export interface Broken {
  start: number;
  at: number;
}

interface Frame {
  /** Where its brace stands; -1 for an array. */
  start: number;
  /** first: a member or the end; item: a member; value: what follows a colon; next: a comma or the end. */
  expect: "first" | "item" | "value" | "next";
  marked: boolean;
}

interface Scan {
  text: string;
  keys: readonly string[];
  /** By offset of a brace: 0 not looked at, -1 no object begins there, else the object's end. */
  ends: Int32Array;
  stack: Frame[];
  broken: Broken | undefined;
}

/** The outermost objects in order, and the last one begun that has one of the keys and is not valid JSON. */
export function findObjects(
  text: string,
  ...keys: readonly string[]
): { objects: Span[]; broken: Broken | undefined } {
  const scan: Scan = { text, keys, ends: new Int32Array(text.length + 1), stack: [], broken: undefined };
  const objects: Span[] = [];
  for (let start = text.indexOf("{"); start !== -1;) {
    if (scan.ends[start] === 0) scanFrom(scan, start);
    const end = scan.ends[start] ?? -1;
    if (end > 0) objects.push({ start, end });
    start = text.indexOf("{", end > 0 ? end : start + 1);
  }
  return { objects, broken: scan.broken };
}

function scanFrom(scan: Scan, start: number): void {
  scan.stack = [{ start, expect: "first", marked: false }];
  let at = start + 1;
  for (let frame = scan.stack.at(-1); frame !== undefined; frame = scan.stack.at(-1)) {
    at = skipSpace(scan.text, at);
    const next = step(scan, frame, at);
    if (next === -1) {
      fail(scan, at);
      return;
    }
    at = next;
  }
}

/** None of the objects begun is one: each would be read the same way on its own. */
function fail(scan: Scan, at: number): void {
  for (const frame of scan.stack) {
    if (frame.start === -1) continue;
    scan.ends[frame.start] = -1;
    if (frame.marked && scan.broken?.at !== at && frame.start >= (scan.broken?.start ?? 0))
      scan.broken = { start: frame.start, at };
  }
}

/** Reads one thing; the offset after it, or -1 where JSON ends. */
function step(scan: Scan, frame: Frame, at: number): number {
  const isObject = frame.start !== -1;
  const char = scan.text[at];
  if (frame.expect !== "item" && frame.expect !== "value" && char === (isObject ? "}" : "]")) {
    scan.stack.pop();
    if (isObject) scan.ends[frame.start] = at + 1;
    return at + 1;
  }
  if (frame.expect === "next") {
    frame.expect = "item";
    return char === "," ? at + 1 : -1;
  }
  if (isObject && frame.expect !== "value") return readKey(scan, frame, at);
  frame.expect = "next";
  return readValue(scan, at);
}

function readKey(scan: Scan, frame: Frame, at: number): number {
  const end = readString(scan.text, at);
  if (end === -1) return -1;
  if (scan.keys.includes(scan.text.slice(at + 1, end - 1))) frame.marked = true;
  const colon = skipSpace(scan.text, end);
  frame.expect = "value";
  return scan.text[colon] === ":" ? colon + 1 : -1;
}

function readValue(scan: Scan, at: number): number {
  switch (scan.text.charAt(at)) {
    case "{":
      scan.stack.push({ start: at, expect: "first", marked: false });
      return at + 1;
    case "[":
      scan.stack.push({ start: -1, expect: "first", marked: false });
      return at + 1;
    case '"':
      return readString(scan.text, at);
    default:
      return readWord(scan.text, at);
  }
}

const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function readWord(text: string, at: number): number {
  WORD.lastIndex = at;
  return WORD.test(text) ? WORD.lastIndex : -1;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function readString(text: string, start: number): number {
  if (text[start] !== '"') return -1;
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return -1;
    if (code === 0x5c) {
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) return -1;
      at = ESCAPE.lastIndex;
    } else {
      at += 1;
    }
  }
  return -1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && " \t\n\r".includes(text.charAt(at))) at += 1;
  return at;
}
