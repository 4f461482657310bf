// Keeps a command's output: the last 64 KiB for people and agents, and the first 16 MiB for parsing.
// report.ts parses it.
import { stripControlSequences } from "../../system/text/control-sequences.js";
import { cutToLastLines } from "./cut.js";

const MOST_HELD = 64 * 1024;
const MOST_PIECES = 64;
const MOST_TAIL = 8 * 1024;
/** How much at the start of cut text may be the rest of a secret that no pattern recognises any more. */
const UNSAFE_HEAD = 10 * 1024;

/** The last bytes of a stream, whatever its length. */
export class LastBytes {
  #held: Buffer[] = [];
  #used = 0;

  /** The chunk may be reused afterwards. */
  add(chunk: Uint8Array): void {
    this.#held.push(Buffer.from(chunk));
    this.#used += chunk.length;
    // Joined only once in a while, so that many small chunks cost no more than few.
    if (this.#held.length > MOST_PIECES || chunk.length > MOST_HELD) this.#held = [this.#bytes()];
  }

  #bytes(): Buffer {
    return Buffer.concat(this.#held).subarray(-MOST_HELD);
  }

  /** Whether the text is in the bytes that are kept. */
  has(text: string): boolean {
    return this.#bytes().includes(text);
  }

  /**
   * Returns the readable end of the output: without control sequences and secrets, in whole lines if
   * possible, with the `notes` behind it; at most 8 KiB including the notes.
   */
  tail(redact: (text: string) => string, notes: readonly string[]): string {
    const headless = this.#used > MOST_HELD;
    const text = redact(readable(this.#bytes().toString("utf8")));
    const safe = withLineEnd(headless ? text.slice(UNSAFE_HEAD) : text);
    const noted = notes.map((note) => `[${note}]\n`).join("");
    return cutToLastLines(safe, MOST_TAIL - Buffer.byteLength(noted), headless) + noted;
  }
}

/** The first bytes of a stream; `whole` is false once there were more than `most`. */
export class FirstBytes {
  readonly #most: number;
  #held: Buffer[] = [];
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get whole(): boolean {
    return this.#used <= this.#most;
  }

  /** The chunk may be reused afterwards. */
  add(chunk: Uint8Array): void {
    this.#used += chunk.length;
    if (this.whole) this.#held.push(Buffer.from(chunk));
    else this.#held = [];
  }

  /** Empty once there were more than `most`. */
  bytes(): Uint8Array {
    return Buffer.concat(this.#held);
  }
}

// Tabs and line ends stay. Other control characters are removed, because terminals and prompts would interpret them.
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** Removes control sequences; each state of a progress bar becomes a line of its own. */
function readable(text: string): string {
  return stripControlSequences(text).replaceAll("\r\n", "\n").replaceAll("\r", "\n").replaceAll(CONTROL, "");
}

function withLineEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
