// Truncates texts to a number of characters, never inside a surrogate pair, and states how much is missing. Pure.
import { keepEnd, keepStart } from "../../../system/text/cut.js";

/** Keeps the beginning of a text, followed by the number of characters left out. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = keepStart(text, most);
  return `${kept}… (${text.length - kept.length} more characters)`;
}

/** Keeps both ends of a text, two thirds of it from the beginning. `where` is added to the note in the middle. */
export function clipMiddle(text: string, most: number, where = ""): string {
  if (text.length <= most) return text;
  const head = keepStart(text, Math.floor((most * 2) / 3));
  const tail = keepEnd(text, most - head.length);
  const left = text.length - head.length - tail.length;
  return `${head}\n[… ${left} of ${text.length} characters are left out here${where} …]\n${tail}`;
}
