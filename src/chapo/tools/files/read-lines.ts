// Reads a range of lines from a file of any size, in pieces and with a limit on each line. files-read.ts formats the result.
import type { Files } from "../../../system/ports.js";

const PIECE = 256 * 1024;
/** The number of bytes that are searched for a line; a shell command can read the rest. */
export const FARTHEST = 64 * 1024 * 1024;
/** The most characters kept of one line, and of all lines together. */
const LONGEST_LINE = 2000;
const MOST_CHARACTERS = 200_000;
/** A file with a NUL within this many bytes is treated as binary. */
const BINARY_WITHIN = 8192;

/** Lines of a file, without their line ends. */
export interface SomeLines {
  lines: string[];
  /** The number of lines read from the start of the file; all of its lines if `whole`. */
  seen: number;
  whole: boolean;
  /** The number of truncated lines. */
  shortened: number;
  /** Whether lines were left out because the text is too long. */
  full: boolean;
}

/** Reads up to `limit` lines from line `offset` (from 1) on; `undefined` if the file is binary. */
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
  /** The number of complete lines. */
  #ended = 0;
  /** The start and the full length of the current line. */
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
    // One character more than is shown, because a CR at the end does not count.
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
