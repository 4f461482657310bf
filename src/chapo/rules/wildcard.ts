// Matches patterns with wildcards against texts with unknown parts. Pure. It uses no regular expressions, so that the time is
// at most proportional to the product of both lengths.

import { ANY } from "../../shell/words.js";

/** In a pattern: any number of characters, also none. */
export const STAR = "\ufffe";
/** In a pattern: any one character. */
export const ONE = "\ufffd";

/** Returns whether the pattern matches every text that `ANY` can expand to: `ANY` must be matched by a `STAR`. */
export function covers(pattern: string, text: string): boolean {
  let at = 0;
  let next = 0;
  // The last star and the position in the text when it was reached: after a mismatch the search continues from there.
  let star = -1;
  let met = 0;
  while (next < text.length) {
    const wanted = pattern[at];
    if (wanted === STAR) {
      star = at++;
      met = next;
    } else if (wanted !== undefined && (wanted === text[next] || (wanted === ONE && text[next] !== ANY))) {
      at++;
      next++;
    } else if (star >= 0) {
      at = star + 1;
      next = ++met;
    } else return false;
  }
  while (pattern[at] === STAR) at++;
  return at === pattern.length;
}

/** Returns whether the pattern matches some text that `ANY` can expand to. */
export function overlaps(pattern: string, text: string): boolean {
  let reached = skipStars(pattern, new Set([0]));
  for (const char of text) {
    const further = new Set<number>();
    if (char === ANY) {
      for (let at = Math.min(...reached); at <= pattern.length; at++) further.add(at);
    } else {
      for (const at of reached) {
        const wanted = pattern[at];
        if (wanted === STAR) further.add(at);
        else if (wanted === char || wanted === ONE) further.add(at + 1);
      }
    }
    if (further.size === 0) return false;
    reached = skipStars(pattern, further);
  }
  return reached.has(pattern.length);
}

/** Adds the positions after stars, because a star may match nothing. */
function skipStars(pattern: string, places: Set<number>): Set<number> {
  for (const at of places) if (pattern[at] === STAR) places.add(at + 1);
  return places;
}
