// Patterns with wildcards held against texts, some of which are not known in full. Pure, and without regular expressions: no
// pattern and no text makes it slow beyond their product.

import { ANY } from "../../shell/words.js";

/** In a pattern: any characters, none included. */
export const STAR = "\ufffe";
/** In a pattern: any one character. */
export const ONE = "\ufffd";

/** Whether all that the text can stand for is what the pattern means: `ANY` must fall to a `STAR`. */
export function covers(pattern: string, text: string): boolean {
  let at = 0;
  let next = 0;
  // Where the last star stands, and how far the text was when it was met: the place to go on from after a miss.
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

/** Whether something the text can stand for is what the pattern means. */
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

/** Where one can be in the pattern: a star may stand for nothing. */
function skipStars(pattern: string, places: Set<number>): Set<number> {
  for (const at of places) if (pattern[at] === STAR) places.add(at + 1);
  return places;
}
