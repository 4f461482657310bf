// Finds the layout of a text that JSON.parse accepted, by searching for quotes only, which is fast.
// layout.ts walks a text that may have errors.
import { DEEPEST, readLayout, roundTrips, type BacklogLayout, type Member, type Range } from "./layout.js";

/**
 * Finds the offsets of every part in the text of a backlog with this value. `undefined` if a key may occur twice, brackets
 * are nested too deep, or a number would not round-trip. Contract: `value` is JSON.parse(`text`).
 */
export function outlineOf(text: string, value: unknown): BacklogLayout | undefined {
  const read = new Outline(text).read();
  // If a key occurs twice in the text, the value has it only once.
  return read !== undefined && read.keys === countKeys(value) ? read.layout : undefined;
}

/** Finds the offsets of every part in the text of a backlog. Contract: the backlog is valid. */
export function layoutOf(text: string): BacklogLayout {
  return new Outline(text).read()?.layout ?? readLayout(text).layout;
}

/** Counts the keys of all objects in a value. The depth of recursion is limited. */
function countKeys(value: unknown): number {
  let keys = 0;
  if (Array.isArray(value)) for (const one of value) keys += typeof one === "object" ? countKeys(one) : 0;
  else if (isObject(value)) {
    // Half of what Object.values costs.
    for (const key in value) keys += 1 + (typeof value[key] === "object" ? countKeys(value[key]) : 0);
  }
  return keys;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const NINE = 57;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

class Outline {
  private readonly members: Member[] = [];
  private readonly tasks: Range[] = [];
  private readonly root: Range = { start: 0, end: 0 };
  /** Where the open task began. */
  private taskStart = 0;
  private inTasks = false;

  constructor(private readonly text: string) {}

  read(): { layout: BacklogLayout; keys: number } | undefined {
    const { text, members, tasks, root } = this;
    let depth = 0;
    let keys = 0;
    /** The last string, which is a key where a colon follows, and the end of the last value. */
    let string = 0;
    let end = 0;
    for (let at = 0; ;) {
      let code = text.charCodeAt(at);
      while (code <= SPACE) code = text.charCodeAt(++at);
      if (code === QUOTE) {
        string = at;
        at = end = endOfString(text, at);
      } else if (code === COMMA) {
        if (depth === 1) this.finish(end);
        at++;
      } else if (code === COLON) {
        keys++;
        at++;
        if (depth === 1) this.begin({ start: string, end }, at);
      } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        if (depth === DEEPEST) return undefined;
        if (depth === 0) root.start = at;
        else if (depth === 2) this.taskStart = at;
        depth++;
        at++;
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        if (--depth === 0) this.finish(end);
        end = ++at;
        if (depth === 2 && this.inTasks) tasks.push({ start: this.taskStart, end });
      } else if (at < text.length) {
        end = endOfScalar(text, at);
        if (code <= NINE && !roundTrips(text.slice(at, end))) return undefined;
        at = end;
      } else break;
    }
    root.end = end;
    return { layout: { text, root, members, tasks }, keys };
  }

  /** A member of the root begins: its value comes next. */
  private begin(key: Range, from: number): void {
    const { text, members } = this;
    let start = from;
    while (text.charCodeAt(start) <= SPACE) start++;
    const name: unknown = JSON.parse(text.slice(key.start, key.end));
    members.push({ key: String(name), keyStart: key.start, keyEnd: key.end, start, end: start });
    this.inTasks = name === "tasks";
  }

  private finish(end: number): void {
    const last = this.members.at(-1);
    if (last !== undefined) last.end = end;
  }
}

/** Behind the closing quote of the string that begins here. */
function endOfString(text: string, start: number): number {
  for (let at = start; ;) {
    at = text.indexOf('"', at + 1);
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    // Behind an even number of backslashes.
    if ((at - before) % 2 === 1) return at + 1;
  }
}

/** Behind the number or the word that begins here. */
function endOfScalar(text: string, start: number): number {
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    // Only these characters can follow a number or word; `charCodeAt` is NaN at the end of the text.
    if (!(code > COMMA) || code === CLOSE_BRACKET || code === CLOSE_BRACE) return at;
  }
}
