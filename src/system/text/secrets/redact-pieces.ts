// Redacts a text that comes in pieces of any size, such that no secret is told in halves. Pure. Leaves what a secret is to
// redact.ts.
import type { Redact } from "./redact.js";

/** Redacts a text that arrives in pieces, and releases what can no longer be part of a secret. */
export interface PieceRedactor {
  /** Takes the next piece; "" where more must come before anything can be told. */
  take(piece: string): string;
  /** The rest, once no more comes. */
  end(): string;
}

/** Characters told before that decide over what comes: `Bearer `. */
const CONTEXT = 100;
/** A word longer than this is told all the same. */
const LONGEST_WORD = 8 * 1024;

/** Words are told once they are whole, a key of several lines once its last line is there. A secret with spaces in it is found only whole. */
export function redactPieces(redact: Redact): PieceRedactor {
  let before = "";
  let waiting = "";
  const tell = (length: number): string => {
    const text = waiting.slice(0, length);
    const [told, all] = [redact(before), redact(before + text)];
    before = (before + text).slice(-CONTEXT);
    waiting = waiting.slice(length);
    return all.startsWith(told) ? all.slice(told.length) : redact(text);
  };
  return {
    take: (piece) => {
      waiting += piece;
      return tell(keysWhole(waiting, wordsEnd(waiting)));
    },
    end: () => tell(waiting.length),
  };
}

/** Characters that no secret contains: white space, and letters of other scripts. Colour codes may be inside a secret. */
const BETWEEN_WORDS =
  /[\t\n\v\f\r \u00a0-\u00ac\u00ae-\u061b\u061d-\u180d\u180f-\u200a\u2010-\u2029\u202f-\u205f\u2070-\ufdff\ufe10-\ufefe\uff00-\uffff]/;

/** The start of the last word, which the next piece may continue. */
function wordsEnd(text: string): number {
  for (let at = text.length; at > 0; at--) {
    if (BETWEEN_WORDS.test(text[at - 1] ?? "")) return at;
    if (text.length - at >= LONGEST_WORD) return text.length - LONGEST_WORD / 2;
  }
  return 0;
}

/** The place moved such that the last key is whole before it, or all behind it. */
function keysWhole(text: string, place: number): number {
  const begin = text.lastIndexOf("-----BEGIN");
  if (begin < 0) return place;
  const end = /-----END [A-Z ]*-----/.exec(text.slice(begin));
  return end === null ? Math.min(place, begin) : Math.max(place, begin + end.index + end[0].length);
}
