// Some lines of a file of any size: read piece by piece, never whole, every line bounded. Leaves what a model is told to
// files-read.ts.
import type { Files } from "../../../system/ports.js";

const PIECE = 256 * 1024;
/** Bytes a search for a line goes through; what lies behind is for a shell. */
export const FARTHEST = 64 * 1024 * 1024;
/** Characters kept of a line, and of all lines together. */
const LONGEST_LINE = 2000;
const MOST_CHARACTERS = 200_000;
/** A file with a NUL this early is no text. */
const BINARY_WITHIN = 8192;

/** Lines of a file, without their ends. */
export interface SomeLines {
  lines: string[];
  /** Lines from the start of the file to where reading ended; all there are when `whole`. */
  seen: number;
  whole: boolean;
  /** Lines of which only the start is here. */
  shortened: number;
  /** Fewer lines than were asked for, as they are so long. */
  full: boolean;
}

/** Up to `limit` lines from line `offset` (from 1) on; `undefined` where it is no text. */
export async function readLines(
  files: Files,
  { path, size }: { path: string; size: number },
  { offset, limit }: { offset: number; limit: number },
): Promise<SomeLines | undefined> {
  const reader = new LineReader(offset, limit);
  const decoder = new TextDecoder();
  const end = Math.min(size, FARTHEST);
  for (let at = 0; at < end; at += PIECE) {
    const bytes = await files.readRange(path, at, Math.min(PIECE, end - at));
    if (at === 0 && bytes.subarray(0, BINARY_WITHIN).includes(0)) return undefined;
    reader.take(decoder.decode(bytes, { stream: true }));
    if (bytes.length === 0) break;
  }
  return reader.end(size <= FARTHEST);
}

class LineReader {
  readonly #first: number;
  readonly #last: number;
  readonly #lines: string[] = [];
  #characters = 0;
  #shortened = 0;
  #full = false;
  /** Lines that ended. */
  #ended = 0;
  /** The start of the line at hand, and how long it is. */
  #start = "";
  #length = 0;

  constructor(offset: number, limit: number) {
    this.#first = offset;
    this.#last = offset + limit - 1;
  }

  take(text: string): void {
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      this.#add(text.slice(from, at));
      this.#endLine();
      from = at + 1;
    }
    this.#add(text.slice(from));
  }

  end(whole: boolean): SomeLines {
    if (this.#length > 0) this.#endLine();
    return {
      lines: this.#lines,
      seen: this.#ended,
      whole,
      shortened: this.#shortened,
      full: this.#full,
    };
  }

  #add(part: string): void {
    this.#length += part.length;
    // One more than is shown: the CR at its end does not count.
    if (this.#start.length <= LONGEST_LINE)
      this.#start += part.slice(0, LONGEST_LINE + 1 - this.#start.length);
  }

  #endLine(): void {
    this.#ended++;
    if (this.#ended >= this.#first && this.#ended <= this.#last && !this.#full) this.#keep();
    this.#start = "";
    this.#length = 0;
  }

  #keep(): void {
    const line = this.#start.length === this.#length ? this.#start.replace(/\r$/, "") : this.#start;
    const kept = line.slice(0, LONGEST_LINE);
    if (this.#characters + kept.length > MOST_CHARACTERS) {
      this.#full = true;
      return;
    }
    const cut = line.length > LONGEST_LINE;
    if (cut) this.#shortened++;
    this.#characters += kept.length;
    this.#lines.push(cut ? `${kept}… [cut: the line has ${this.#length} characters]` : kept);
  }
}
