// Typed text as keys, and what is pasted as one text. Leaves the keys to the editor and to talk.ts.
import { StdinBuffer } from "@mariozechner/pi-tui";

/** The keys and pasted texts that the reader passes on. */
export interface InputListener {
  /** One key, as the terminal sends it. */
  onKey(key: string): void;
  /** A whole pasted text, cleaned. `left`: the number of control characters that were left out. */
  onPaste(text: string, left: number): void;
  /** A pasted text that is too long was dropped. */
  onTooLong(characters: number): void;
}

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";
/** The most characters of one paste: more would fill the model's window many times. */
export const MOST_PASTED = 1_000_000;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu;

/** A paste that is not whole yet. */
interface Paste {
  parts: string[];
  length: number;
}

/** Splits what a terminal sends. The library's own reader of pastes looks through all of a paste for each piece of it. */
export class InputReader {
  readonly #listener: InputListener;
  readonly #keys: StdinBuffer;
  /** The beginning of a mark that is not whole yet. */
  #carry = "";
  #paste: Paste | undefined;

  constructor(listener: InputListener) {
    this.#listener = listener;
    this.#keys = new StdinBuffer({ timeout: 25 });
    this.#keys.on("data", (key) => {
      listener.onKey(key);
    });
  }

  /** Takes the next text. */
  take(text: string): void {
    let rest = this.#carry + text;
    this.#carry = "";
    while (rest !== "")
      rest = this.#paste === undefined ? this.#typed(rest) : this.#pasted(rest, this.#paste);
  }

  /** Forgets a key that is not whole. */
  close(): void {
    this.#keys.destroy();
  }

  #typed(text: string): string {
    const begin = text.indexOf(BEGIN);
    if (begin >= 0) {
      if (begin > 0) this.#keys.process(text.slice(0, begin));
      this.#paste = { parts: [], length: 0 };
      return text.slice(begin + BEGIN.length);
    }
    const torn = tornMark(text, BEGIN);
    if (torn < text.length) this.#carry = text.slice(torn);
    if (torn > 0) this.#keys.process(text.slice(0, torn));
    return "";
  }

  #pasted(text: string, paste: Paste): string {
    const end = text.indexOf(END);
    const until = end >= 0 ? end : tornMark(text, END);
    paste.length += until;
    if (paste.length <= MOST_PASTED) paste.parts.push(text.slice(0, until));
    else paste.parts.length = 0;
    if (end < 0) {
      this.#carry = text.slice(until);
      return "";
    }
    this.#paste = undefined;
    if (paste.length > MOST_PASTED) this.#listener.onTooLong(paste.length);
    else this.#finish(paste.parts.join(""));
    return text.slice(end + END.length);
  }

  #finish(text: string): void {
    let left = 0;
    const clean = text.replace(/\r\n?/g, "\n").replace(CONTROL, () => {
      left += 1;
      return "";
    });
    this.#listener.onPaste(clean, left);
  }
}

/** Where a mark may begin at the end of a text; its length: nowhere. A single ESC is a key. */
function tornMark(text: string, mark: string): number {
  const least = mark === BEGIN ? 3 : 1;
  for (let length = Math.min(mark.length - 1, text.length); length >= least; length -= 1)
    if (text.endsWith(mark.slice(0, length))) return text.length - length;
  return text.length;
}
