// Follows the logs of runs for all clients: one look at a log's size for everybody.
import path from "node:path";
import { pause } from "../../src/system/pause.js";
import type { Ports } from "../../src/system/ports.js";

const LOOK_EVERY_MS = 50;
const BEAT_MS = 10_000;
const CHUNK = 1 << 20;
/** Of a longer line its number and length are told: its reader asks for it by range. */
const MOST_LINE = 16 << 20;
const LINE_END = 10;

/** A whole line of a log. */
export interface FollowedLine {
  seq: number;
  text: string;
  /** The offset of the next line. */
  end: number;
}

type Followed = FollowedLine | "beat" | "gone";

export class LogFollowers {
  /** The last look at the size of each log, in bytes; `undefined` of one that is gone. */
  readonly #looks = new Map<string, { at: number; size: Promise<number | undefined> }>();
  /** How many clients follow a log. */
  reading = 0;

  constructor(private readonly ports: Pick<Ports, "files" | "clock">) {}

  #sizeOf(file: string, isFresh: boolean): Promise<number | undefined> {
    const { files, clock } = this.ports;
    const at = clock.monotonic();
    const last = this.#looks.get(file);
    if (!isFresh && last !== undefined && at - last.at < LOOK_EVERY_MS) return last.size;
    const size = files.stat(file).then(
      (stat) => stat?.size,
      () => undefined,
    );
    this.#looks.set(file, { at, size });
    return size;
  }

  /** Whole lines whose `seq` is above `after`, as they come; `beat` in silence; until the client has gone. */
  async *lines(folder: string, { after, once, signal, over }: Wish): AsyncGenerator<Followed, void> {
    const file = path.join(folder, "events.jsonl");
    const { clock, files } = this.ports;
    this.reading++;
    try {
      let isOver = false;
      let at = await this.#offsetOf(file, after);
      let rest: Buffer = Buffer.alloc(0);
      let mayBeOver = false;
      let heard = clock.monotonic();
      /** Of a line that is too long: its beginning, and how many of its bytes went by. */
      let long: { seq: number | undefined; bytes: number } | undefined;
      while (!signal.aborted) {
        // Before an end everything that was written is looked at.
        const size = await this.#sizeOf(file, once === true || isOver);
        if (size === undefined || size < at) {
          yield "gone";
          return;
        }
        // Never beyond the size that was looked at: the log grows meanwhile.
        const from = at + rest.length;
        const most = Math.min(CHUNK, size - from);
        const chunk = Buffer.from(most <= 0 ? [] : await files.readRange(file, from, most));
        if (chunk.length === 0) {
          if (once === true || isOver) return;
          await pause(clock, LOOK_EVERY_MS, signal);
          const isSilent = clock.monotonic() - heard >= BEAT_MS;
          if (!isSilent && !mayBeOver) continue;
          if (isSilent) yield "beat";
          heard = isSilent ? clock.monotonic() : heard;
          isOver = (await over?.isOver()) === true;
          continue;
        }
        heard = clock.monotonic();
        const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        let start = 0;
        for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, start)) {
          const text: string = long === undefined ? bytes.toString("utf8", start, end) : leftOut(long, end);
          long = undefined;
          start = end + 1;
          const seq = seqOf(text);
          if (seq === undefined || seq <= after) continue;
          mayBeOver ||= over?.end.test(text) === true;
          yield { seq, text, end: at + start };
        }
        at += start;
        rest = Buffer.from(bytes.subarray(start));
        if (rest.length <= MOST_LINE && long === undefined) continue;
        const seq = long?.seq ?? seqOf(rest.toString("latin1", 0, 40));
        long = { seq, bytes: (long?.bytes ?? 0) + rest.length };
        at += rest.length;
        rest = Buffer.alloc(0);
      }
    } finally {
      this.reading--;
    }
  }

  /** The offset of a line at or before the first one above `after`, by halving the log. */
  async #offsetOf(file: string, after: number): Promise<number> {
    if (after <= 0) return 0;
    let [low, high] = [0, (await this.#sizeOf(file, true)) ?? 0];
    while (high - low > CHUNK) {
      const middle = low + Math.floor((high - low) / 2);
      const bytes = Buffer.from(await this.ports.files.readRange(file, middle, CHUNK));
      const begin = bytes.indexOf(LINE_END) + 1;
      const seq = begin === 0 ? undefined : seqOf(bytes.toString("latin1", begin, begin + 40));
      if (seq === undefined || seq > after) high = middle;
      else low = middle + begin;
    }
    return low;
  }
}

interface Wish {
  after: number;
  /** It ends where the log ends now. */
  once?: true;
  signal: AbortSignal;
  /** Whether nothing more will come: asked in silence, and often after a line that fits `end`. */
  over?: { isOver: () => Promise<boolean>; end: RegExp };
}

/** The line that stands for one that is too long, so that no number is missing. */
function leftOut({ seq, bytes }: { seq: number | undefined; bytes: number }, more: number): string {
  return seq === undefined ? "" : JSON.stringify({ seq, type: "left_out", bytes: bytes + more });
}

/** Every line begins with its number. */
function seqOf(line: string): number | undefined {
  const digits = /^\{"seq":(\d{1,15}),/.exec(line)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
