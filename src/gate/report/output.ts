// What is kept of a command's output: the last 64 KiB to be read by people and agents, the first 16 MiB to be parsed.
// Leaves what a report in it says to report.ts.
import { stripControlSequences } from "../../system/text/control-sequences.js";
import { wholeLinesFrom } from "./cut.js";

const MOST_HELD = 64 * 1024;
const MOST_TAIL = 8 * 1024;
/** Of held text whose beginning is lost, this much may be the rest of a secret that no pattern finds any more. */
const UNSAFE_HEAD = 10 * 1024;

/** The last bytes of a stream, whatever its length. */
export class LastBytes {
  #held = Buffer.alloc(0);
  #used = 0;
  #dropped = false;

  /** The chunk may be reused afterwards. */
  add(chunk: Uint8Array): void {
    const piece = chunk.subarray(Math.max(0, chunk.length - MOST_HELD));
    if (this.#held.length === 0) this.#held = Buffer.alloc(2 * MOST_HELD);
    if (this.#used + piece.length > this.#held.length) {
      const kept = MOST_HELD - piece.length;
      this.#held.copyWithin(0, this.#used - kept, this.#used);
      this.#used = kept;
      this.#dropped = true;
    }
    if (piece.length < chunk.length) this.#dropped = true;
    this.#held.set(piece, this.#used);
    this.#used += piece.length;
  }

  /**
   * What may be read of it: no control sequences, no secrets, whole lines where possible, and at its end the `notes`;
   * at most 8 KiB, of which the notes take theirs first.
   */
  tail(redact: (text: string) => string, notes: readonly string[]): string {
    const start = Math.max(0, this.#used - MOST_HELD);
    const headless = this.#dropped || start > 0;
    const text = redact(readable(this.#held.toString("utf8", start, this.#used)));
    const safe = withLineEnd(headless ? text.slice(UNSAFE_HEAD) : text);
    const noted = notes.map((note) => `[${note}]\n`).join("");
    return wholeLinesFrom(safe, MOST_TAIL - Buffer.byteLength(noted), headless) + noted;
  }
}

/** The first bytes of a stream; `whole` is false once there were more than `most`. */
export class FirstBytes {
  readonly #most: number;
  #held = Buffer.alloc(0);
  #used = 0;
  whole = true;

  constructor(most: number) {
    this.#most = most;
  }

  /** The chunk may be reused afterwards. */
  add(chunk: Uint8Array): void {
    if (!this.whole) return;
    const needed = this.#used + chunk.length;
    if (needed > this.#most) {
      this.whole = false;
      this.#held = Buffer.alloc(0);
      return;
    }
    if (needed > this.#held.length) {
      const bigger = Buffer.alloc(Math.min(this.#most, Math.max(needed, 2 * this.#held.length)));
      this.#held.copy(bigger, 0, 0, this.#used);
      this.#held = bigger;
    }
    this.#held.set(chunk, this.#used);
    this.#used = needed;
  }

  /** Nothing once there were more than `most`. */
  bytes(): Uint8Array {
    return this.#held.subarray(0, this.whole ? this.#used : 0);
  }
}

// Tabs and line ends stay; no other control character does: terminals and prompts would make something of them.
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** Text without control sequences; what a progress bar wrote over becomes lines of its own. */
function readable(text: string): string {
  return stripControlSequences(text).replaceAll("\r\n", "\n").replaceAll("\r", "\n").replaceAll(CONTROL, "");
}

function withLineEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
