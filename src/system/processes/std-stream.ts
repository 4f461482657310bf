// stdout and stderr, each a stream of Node's only once something needs one: to make the first takes as long as to check a
// backlog. Leaves what is written where, and what the loss of a reader means, to cmd/looper.ts.
import { fstatSync, statSync, writeSync, type Stats } from "node:fs";
import { errorCode } from "../errors.js";

/** A stream of the process, as Node makes it. */
export type ProcessStream = NodeJS.WriteStream & { fd: number };

/** So many bytes an empty pipe takes at once: who writes no more than that waits for no reader. */
const ROOM = 65_536;

/** Whether it is a terminal. Node:tty would say the same, and load the whole of node:net for it. */
export function isTty({ isTTY }: { isTTY?: boolean }): boolean {
  return isTTY === true;
}

/** One of them. `make`: what makes Node's stream, asked once. */
export class StdStream {
  readonly #fd: number;
  readonly #make: () => ProcessStream;
  readonly #stats: Stats | undefined;
  #opened: ProcessStream | undefined;
  #room: number;

  constructor(fd: number, make: () => ProcessStream) {
    this.#fd = fd;
    this.#make = make;
    this.#stats = statsOf(fd);
    this.#room = this.#stats === undefined ? 0 : roomIn(this.#stats);
  }

  /** Node's own, from now on. */
  get stream(): ProcessStream {
    return (this.#opened ??= this.#make());
  }

  /** From now on nothing is written at once: what waits for a reader waits beside all else. */
  open(): void {
    this.#opened ??= this.#make();
  }

  /** Node's own, if anything needed it. */
  get opened(): ProcessStream | undefined {
    return this.#opened;
  }

  get isFile(): boolean {
    return this.#stats?.isFile() === true;
  }

  get isTty(): boolean {
    // No stream need be made of what surely is none. What cannot be looked at may be one.
    return (this.#stats === undefined || mayBeTty(this.#stats)) && isTty(this.stream);
  }

  /**
   * Writes as much of a text as possible without a stream, and returns the rest. An error is not reported here: the stream
   * meets the same error when it writes the rest.
   */
  writeAtOnce(text: string): Uint8Array | string {
    if (this.#opened !== undefined || text.length > this.#room) return text;
    const bytes = Buffer.from(text, "utf8");
    if (bytes.length > this.#room) return text;
    this.#room -= bytes.length;
    let done = 0;
    try {
      while (done < bytes.length) done += writeSync(this.#fd, bytes, done);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
    }
    return bytes.subarray(done);
  }
}

/** Bytes that are taken without waiting. A file takes its own from the stream, which tells of a full disk. */
function roomIn(stats: Stats): number {
  if (isNowhere(stats)) return Infinity;
  return stats.isFIFO() || stats.isSocket() ? ROOM : 0;
}

function mayBeTty(stats: Stats): boolean {
  return stats.isCharacterDevice() && !isNowhere(stats);
}

/** Where they send it who want only the exit code. */
function isNowhere(stats: Stats): boolean {
  return stats.isCharacterDevice() && statSync("/dev/null", { throwIfNoEntry: false })?.rdev === stats.rdev;
}

/** `undefined`: it was closed before we began. */
function statsOf(fd: number): Stats | undefined {
  try {
    return fstatSync(fd);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
