// Walks JSON text once, with a stack of its own: any depth, no recursion, linear. It reports text that is not JSON, and
// continues where the meaning is clear. Leaves meaning to its visitors (layout.ts).
import { createScanner, type JSONScanner } from "jsonc-parser";
import { never } from "../../system/never.js";

/** The path of a value: keys and indices from the root. The walk reuses one array: copy it to keep it. */
export type Path = readonly (string | number)[];

/** The events of `walkJson`. Offsets are UTF-16 code units into the text; `end` is exclusive. */
export interface Visitor {
  /** A key; the path ends with it. */
  key?(path: Path, start: number, end: number): void;
  /** An object or array begins; every event until its `value` is inside it. */
  open?(path: Path, start: number): void;
  /** A value is complete. */
  value?(path: Path, start: number, end: number, kind: ValueKind): void;
}

export type ValueKind = "object" | "array" | "string" | "number" | "literal";

/** A place where the text is not JSON. */
export interface SyntaxProblem {
  offset: number;
  message: string;
  suggestion: string | null;
}

export interface WalkResult {
  problems: SyntaxProblem[];
  /** Comments and commas before a closing bracket, in file order: without them nothing changes its meaning. */
  removable: { start: number; end: number; kind: "comment" | "comma" }[];
  /** Whether the walk reached the end of the value; the visitor has received all events up to there. */
  complete: boolean;
}

/** The values of jsonc-parser's `SyntaxKind`, whose declaration cannot be imported. */
const TOKEN = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  null: 7,
  true: 8,
  false: 9,
  string: 10,
  number: 11,
  lineComment: 12,
  blockComment: 13,
  unknown: 16,
  end: 17,
} as const;

const NO_ERROR = 0;
/** The values of its `ScanError`, as sentences. The second stops the walk: the end of the string cannot be known. */
const NOT_CLOSED = 2;
const SCAN_ERRORS: Readonly<Record<number, [string, string]>> = {
  1: ["a comment that is not closed", "remove it: JSON has no comments"],
  2: ["a string that is not closed", 'close it with " on the same line; write a line break as \\n'],
  3: ["a number that is not complete", "write it as 1, 1.5 or 1e3"],
  4: ["a \\u escape without four hexadecimal digits", "write it as \\u00e9"],
  5: ["an escape that JSON does not know", 'known are \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX'],
  6: ["a control character in a string", "write it as an escape, such as \\t"],
};

/** Words of other languages for a value, and their JSON. */
const FOREIGN: Readonly<Record<string, string>> = {
  True: "true",
  False: "false",
  None: "null",
  undefined: "null",
  NaN: "null",
  nil: "null",
};

type State =
  | "root"
  | "first-item"
  | "item"
  | "first-key"
  | "key"
  | "colon"
  | "member"
  | "after-value"
  | "end";

const EXPECTED: Record<State, string> = {
  root: "a value",
  "first-item": "a value or ]",
  item: "a value",
  "first-key": "a key in double quotes or }",
  key: "a key in double quotes",
  colon: "a colon after the key",
  member: "a value after the colon",
  "after-value": "a comma or the closing bracket",
  end: "nothing more: the first value was complete",
};

/** Walks the value of a text; with `from`, the value that begins there, ignoring the text after it. */
export function walkJson(text: string, visitor: Visitor, from?: number): WalkResult {
  const walk = new Walk(text, visitor, from);
  return { complete: walk.run(), problems: walk.problems, removable: walk.removable };
}

class Walk {
  readonly problems: SyntaxProblem[] = [];
  readonly removable: WalkResult["removable"] = [];
  private readonly scanner: JSONScanner;
  private readonly path: (string | number)[] = [];
  /** Where each open container began. */
  private readonly starts: number[] = [];
  private state: State = "root";
  private comma = 0;

  constructor(
    private readonly text: string,
    private readonly visitor: Visitor,
    private readonly from: number | undefined,
  ) {
    this.scanner = createScanner(text, false);
    this.scanner.setPosition(from ?? 0);
  }

  /** Whether the value was complete. */
  run(): boolean {
    for (;;) {
      if (this.state === "end" && this.from !== undefined) return true;
      const token = this.nextToken();
      if (token === TOKEN.end) return this.state === "end" || this.cutOff();
      if (!this.take(token)) return false;
    }
  }

  /** The next token that counts. White space is skipped here: the scanner would build a string of it. */
  private nextToken(): number {
    for (;;) {
      let at = this.scanner.getPosition();
      let code = this.text.charCodeAt(at);
      while (code === 32 || code === 10 || code === 13 || code === 9) code = this.text.charCodeAt(++at);
      this.scanner.setPosition(at);
      const token: number = this.scanner.scan();
      if (token !== TOKEN.lineComment && token !== TOKEN.blockComment) return token;
      this.report(at, "a comment", "remove it: JSON has no comments; looper fmt --fix does");
      // An unclosed comment swallows text that was probably not meant as a comment.
      const error: number = this.scanner.getTokenError();
      if (error === NO_ERROR)
        this.removable.push({ start: at, end: this.scanner.getPosition(), kind: "comment" });
    }
  }

  /** Takes one token; false where its meaning is unclear. */
  private take(token: number): boolean {
    switch (this.state) {
      case "root":
      case "first-item":
      case "item":
      case "member":
        return this.takeValue(token);
      case "first-key":
      case "key":
        return this.takeKey(token);
      case "colon":
        if (token !== TOKEN.colon) return this.unexpected();
        this.state = "member";
        return true;
      case "after-value":
        return this.takeAfterValue(token);
      case "end":
        return this.unexpected();
      default:
        return never(this.state);
    }
  }

  private takeValue(token: number): boolean {
    const start = this.scanner.getTokenOffset();
    switch (token) {
      case TOKEN.openBrace:
        return this.open(start, "", "first-key");
      case TOKEN.openBracket:
        return this.open(start, 0, "first-item");
      case TOKEN.closeBracket:
        if (this.state === "item") this.trailingComma();
        return this.state === "root" || this.state === "member" ? this.unexpected() : this.close("array");
      case TOKEN.string:
        return this.scalar(start, "string");
      case TOKEN.number:
        return this.scalar(start, "number");
      case TOKEN.null:
      case TOKEN.true:
      case TOKEN.false:
        return this.scalar(start, "literal");
      default:
        return this.foreign(start);
    }
  }

  private takeKey(token: number): boolean {
    if (token === TOKEN.closeBrace) {
      if (this.state === "key") this.trailingComma();
      return this.close("object");
    }
    if (token !== TOKEN.string) return this.unexpected();
    this.path[this.path.length - 1] = this.scanner.getTokenValue();
    this.visitor.key?.(this.path, this.scanner.getTokenOffset(), this.scanner.getPosition());
    this.state = "colon";
    return this.sound();
  }

  private takeAfterValue(token: number): boolean {
    const inArray = typeof this.path.at(-1) === "number";
    if (token === TOKEN.comma) {
      this.comma = this.scanner.getTokenOffset();
      this.nextMember();
      return true;
    }
    if (token === (inArray ? TOKEN.closeBracket : TOKEN.closeBrace))
      return this.close(inArray ? "array" : "object");
    const another = inArray ? token === TOKEN.openBrace || token === TOKEN.openBracket : false;
    if (token !== TOKEN.string && !another) return this.unexpected();
    this.report(this.scanner.getTokenOffset(), "a comma is missing before this", "put a comma between them");
    this.nextMember();
    return this.take(token);
  }

  private nextMember(): void {
    const last = this.path.length - 1;
    const index = this.path[last];
    if (typeof index === "number") this.path[last] = index + 1;
    this.state = typeof index === "number" ? "item" : "key";
  }

  private open(start: number, first: string | number, state: State): boolean {
    this.visitor.open?.(this.path, start);
    this.starts.push(start);
    this.path.push(first);
    this.state = state;
    return true;
  }

  private close(kind: "object" | "array"): boolean {
    const start = this.starts.pop() ?? 0;
    this.path.pop();
    return this.complete(start, kind);
  }

  private scalar(start: number, kind: ValueKind): boolean {
    return this.sound() && this.complete(start, kind);
  }

  private complete(start: number, kind: ValueKind): boolean {
    this.visitor.value?.(this.path, start, this.scanner.getPosition(), kind);
    this.state = this.starts.length === 0 ? "end" : "after-value";
    return true;
  }

  private foreign(start: number): boolean {
    const word = this.scanner.getTokenValue();
    const meant = Object.hasOwn(FOREIGN, word) ? FOREIGN[word] : undefined;
    if (meant === undefined) return this.unexpected();
    this.report(start, `${word} is not a JSON value`, `write ${meant}`);
    return this.complete(start, "literal");
  }

  /** Reports what is wrong inside a string or number; false when its end is not known. */
  private sound(): boolean {
    const error: number = this.scanner.getTokenError();
    const words = SCAN_ERRORS[error];
    if (words !== undefined) this.report(this.scanner.getTokenOffset(), ...words);
    return error !== NOT_CLOSED;
  }

  private trailingComma(): void {
    this.report(this.comma, "a comma before the closing bracket", "remove it; looper fmt --fix does");
    this.removable.push({ start: this.comma, end: this.comma + 1, kind: "comma" });
  }

  private cutOff(): false {
    const open = this.starts.length;
    const brackets = open === 1 ? "1 bracket is" : `${open} brackets are`;
    const why = open === 0 ? "there is no value" : `it is cut off: ${brackets} still open`;
    const expected = `expected ${EXPECTED[this.state]}`;
    this.report(this.text.length, `the text ends here, but ${why}`, expected);
    return false;
  }

  private unexpected(): false {
    const offset = this.scanner.getTokenOffset();
    const found = this.text.slice(offset, Math.min(this.scanner.getPosition(), offset + 40));
    const hint = found.startsWith("'") ? "; JSON uses double quotes" : "";
    this.report(offset, `unexpected ${JSON.stringify(found)}`, `expected ${EXPECTED[this.state]}${hint}`);
    return false;
  }

  private report(offset: number, message: string, suggestion: string): void {
    this.problems.push({ offset, message, suggestion });
  }
}
