// Follows the logs of runs for all clients: one look at a log's size for everybody.
import path from "node:path";
import type { Ports } from "../../src/system/ports.js";

const LOOK_EVERY_MS = 50;
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

class Follower {
  /** Bytes of the log; `undefined` once it is gone. */
  size: number | undefined = 0;
  readonly #waiting = new Set<() => void>();
  #looking = false;

  constructor(
    private readonly ports: Pick<Ports, "files" | "clock">,
    readonly file: string,
  ) {}

  /** Resolves when the log has grown beyond `seen`, shrunk or gone, or after `ms`. */
  async grown(seen: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.size !== seen || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        timer.cancel();
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = this.ports.clock.after(ms, wake);
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake);
      void this.#look();
    });
  }

  /** Looks at the size while anybody waits. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    while (this.#waiting.size > 0) {
      await this.look();
      if (this.#waiting.size > 0) await this.ports.clock.sleep(LOOK_EVERY_MS);
    }
    this.#looking = false;
  }

  async look(): Promise<void> {
    const size = (await this.ports.files.stat(this.file).catch(() => undefined))?.size;
    if (size === this.size) return;
    this.size = size;
    for (const wake of [...this.#waiting]) wake();
  }
}

export class LogFollowers {
  readonly #followers = new Map<string, Follower>();
  /** How many clients follow a log. */
  reading = 0;

  constructor(private readonly ports: Pick<Ports, "files" | "clock">) {}

  #of(folder: string): Follower {
    const follower =
      this.#followers.get(folder) ?? new Follower(this.ports, path.join(folder, "events.jsonl"));
    this.#followers.set(folder, follower);
    return follower;
  }

  /** Whole lines whose `seq` is above `after`, as they come; `beat` in silence; until the client has gone. */
  async *lines(folder: string, { after, beatMs, signal, over }: Wish): AsyncGenerator<Followed, void> {
    this.reading++;
    try {
      const follower = this.#of(folder);
      let isOver = false;
      await follower.look();
      let at = await this.#offsetOf(follower, after);
      let rest: Buffer = Buffer.alloc(0);
      let mayBeOver = false;
      /** Of a line that is too long: its beginning, and how many of its bytes went by. */
      let long: { seq: number | undefined; bytes: number } | undefined;
      while (!signal.aborted) {
        const size = follower.size;
        if (size === undefined || size < at) {
          yield "gone";
          return;
        }
        // Never beyond the size that was looked at: the log grows meanwhile.
        const from = at + rest.length;
        const most = Math.min(CHUNK, size - from);
        const chunk = Buffer.from(
          most <= 0 ? [] : await this.ports.files.readRange(follower.file, from, most),
        );
        if (chunk.length === 0) {
          if (beatMs === undefined || isOver) return;
          await follower.grown(size, mayBeOver ? LOOK_EVERY_MS : beatMs, signal);
          const isQuiet = follower.size === size;
          if (isQuiet && !mayBeOver) yield "beat";
          if (!isQuiet && !mayBeOver) continue;
          // Then everything before the end is there to be read.
          isOver = (await over?.isOver()) === true;
          if (isOver) await follower.look();
          continue;
        }
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
  async #offsetOf(follower: Follower, after: number): Promise<number> {
    let [low, high] = [0, follower.size ?? 0];
    if (after <= 0) return 0;
    while (high - low > CHUNK) {
      const middle = low + Math.floor((high - low) / 2);
      const bytes = Buffer.from(await this.ports.files.readRange(follower.file, middle, CHUNK));
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
  /** `undefined`: it ends where the log ends now. */
  beatMs?: number;
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
