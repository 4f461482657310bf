// A text as it reads once its escapes are resolved and what a terminal does not show is gone, with the place of each character
// in the text as it is. Pure. Knows nothing of secrets.

/** A text, and for each of its characters where its spelling begins and ends in the original. */
export interface Unfolded {
  text: string;
  from: readonly number[];
  to: readonly number[];
}

interface Token {
  length: number;
  /** The text it stands for; "" when nothing is shown. */
  means: string;
}

/** Resolves one kind of spelling. `signs`: a text without a match reads as it is. */
export interface Spelling {
  signs: RegExp;
  /** Sticky. */
  tokens: RegExp;
  /** The same, global. */
  all: RegExp;
  means: (token: string) => string;
}

function spelling(signs: RegExp, source: string, means: (token: string) => string): Spelling {
  return { signs, tokens: new RegExp(source, "y"), all: new RegExp(source, "g"), means };
}

const SHORT: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

const ESCAPE = String.raw`\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|["'\\/bfnrt])`;

/** The escapes of JSON and of the languages that write alike: `\u003c`, `\/`, `\"`, `\x3c`. */
export const ESCAPES = spelling(new RegExp(ESCAPE), ESCAPE, (token) => {
  const kind = token[1] ?? "";
  if (kind === "u" || kind === "x") return String.fromCharCode(Number.parseInt(token.slice(2), 16));
  return SHORT[kind] ?? kind;
});

/** The percent-encoding of URLs. */
export const PERCENT = spelling(/%[0-9a-fA-F]{2}/, "(?:%[0-9a-fA-F]{2})+", (token) => {
  try {
    return decodeURIComponent(token);
  } catch (error) {
    if (error instanceof URIError) return token;
    throw error;
  }
});

const SEQUENCES = String.raw`\u001b\[[0-?]*[ -/]*[@-~]|\u009b[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]`;
const OVERSTRUCK = String.raw`[^\n]\u0008`;
const UNSEEN = String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]|\r(?!\n)`;

/** Colours and other control sequences, overstruck characters, and characters that have no width. */
export const UNSHOWN = spelling(new RegExp(UNSEEN), `(?:${SEQUENCES}|${OVERSTRUCK}|${UNSEEN})`, () => "");

/** The text as it stands: each character is itself. */
export function asItStands(text: string): Unfolded {
  const from = Array.from({ length: text.length }, (_, at) => at);
  return { text, from, to: from.map((at) => at + 1) };
}

/** Resolves a spelling all over a text, fast: without the places. */
export function unfoldText(text: string, { signs, all, means }: Spelling): string {
  return signs.test(text) ? text.replaceAll(all, means) : text;
}

/** The same with the places. */
export function unfold({ text, from, to }: Unfolded, { tokens, means }: Spelling): Unfolded {
  const units: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < text.length;) {
    const { length, means: read } = tokenAt(text, at, tokens, means);
    const [start = 0, end = 0] = [from[at], to[at + length - 1]];
    for (const unit of read.split("")) {
      units.push(unit);
      starts.push(start);
      ends.push(end);
    }
    at += length;
  }
  return { text: units.join(""), from: starts, to: ends };
}

function tokenAt(text: string, at: number, tokens: RegExp, means: (token: string) => string): Token {
  tokens.lastIndex = at;
  const found = tokens.exec(text)?.[0];
  return found === undefined || found === ""
    ? { length: 1, means: text[at] ?? "" }
    : { length: found.length, means: means(found) };
}
