// Words for what jsonc-parser finds wrong in a text, up to the place where the meaning becomes unclear: what it reports
// behind that is about its own guesses.

/** A place where the text is not JSON. */
export interface SyntaxProblem {
  offset: number;
  message: string;
  suggestion: string | null;
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

/** Collects the problems of a walk. */
export class SyntaxReport {
  readonly problems: SyntaxProblem[] = [];
  readonly removable: { start: number; end: number; kind: "comment" | "comma" }[] = [];
  /** Whether the meaning of the rest is unclear. */
  stopped = false;
  /** The comma that was read last, if nothing came behind it. */
  private comma: number | undefined;
  /** Whether a word of another language stands where the value is now missing. */
  private foreign = false;

  constructor(private readonly text: string) {}

  /** A key, or the beginning of a value. */
  value(): void {
    this.comma = undefined;
    this.foreign = false;
  }

  separator(character: string, offset: number): void {
    this.comma = character === "," ? offset : undefined;
    this.foreign = false;
  }

  close(offset: number): void {
    if (this.comma !== undefined && offset < this.text.length) {
      this.report(this.comma, "a comma before the closing bracket", "remove it; looper fmt --fix does");
      if (!this.stopped) this.removable.push({ start: this.comma, end: this.comma + 1, kind: "comma" });
    }
    this.value();
  }

  comment(offset: number, length: number): void {
    if (this.stopped) return;
    this.report(offset, "a comment", "remove it: JSON has no comments; looper fmt --fix does");
    // A comment that is not closed swallows text that was probably not meant as one.
    if (this.problems.at(-2)?.offset !== offset)
      this.removable.push({ start: offset, end: offset + length, kind: "comment" });
  }

  /** `depth`: how many brackets are open. */
  error(code: number, { offset, length, depth }: { offset: number; length: number; depth: number }): void {
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
    else if (code !== CODE.value || !this.foreign) this.stop(code, { offset, found, depth });
  }

  private stop(
    code: number,
    { offset, found, depth }: { offset: number; found: string; depth: number },
  ): void {
    const expected = `expected ${EXPECTED[code] ?? NEXT}`;
    if (code === CODE.string) {
      const advice = 'close it with " on the same line; write a line break as \\n';
      this.report(offset, "a string that is not closed", advice);
    } else if (found === "") {
      // The walk has closed the innermost bracket already where it looks for its end.
      const open = depth + (EXPECTED[code] === undefined ? 1 : 0);
      const brackets = open === 1 ? "1 bracket is" : `${String(open)} brackets are`;
      const why = open === 0 ? "there is no value" : `it is cut off: ${brackets} still open`;
      this.report(this.text.length, `the text ends here, but ${why}`, expected);
    } else {
      const hint = found.startsWith("'") ? "; JSON uses double quotes" : "";
      this.report(offset, `unexpected ${JSON.stringify(found)}`, `${expected}${hint}`);
    }
    this.stopped = true;
  }

  private report(offset: number, message: string, suggestion: string): void {
    if (!this.stopped) this.problems.push({ offset, message, suggestion });
  }
}
