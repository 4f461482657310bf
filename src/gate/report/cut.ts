// Cuts texts to a number of bytes, never inside a character. Pure.
import { characterEnd, characterStart } from "../../system/text/utf8.js";

const MARK = "…";
const LEFT_OUT = "[… the beginning is left out]\n";

/** The beginning of a text, as one line. */
export function cutLine(text: string, most: number): string {
  return cutText(text.replaceAll(/\s+/gu, " ").trim(), most);
}

/** The beginning of a name of a test, a command or a path. */
export function cutName(text: string): string {
  return cutLine(text, 160);
}

/** The beginning of a text, with a mark if it was cut; at most `most` bytes. */
export function cutText(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const bytes = Buffer.from(text.slice(0, most));
  return bytes.toString("utf8", 0, characterEnd(bytes, most - Buffer.byteLength(MARK))) + MARK;
}

/** The end of a text, behind a mark and in whole lines unless the last is too long; at most `most` bytes. */
export function cutToLastLines(text: string, most: number, isCut = false): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most && !isCut) return text;
  const room = most - Buffer.byteLength(LEFT_OUT);
  if (room <= 0) return "";
  const kept = bytes.subarray(Math.max(0, bytes.length - room));
  const line = kept.indexOf(10) + 1;
  return LEFT_OUT + kept.toString("utf8", characterStart(kept, line < kept.length ? line : 0));
}
