// The last lines of a run's log, read from its end: however long the log is, a few cost no more than a few.
import { join } from "node:path";
import { given } from "../system/given.js";
import type { Ports } from "../system/ports.js";
import { orGone, parseLine, type RawLine } from "./read.js";

const FIRST_CHUNK = 1 << 16;
const MOST_CHUNK = 1 << 22;
const LINE_END = 10;

export interface LastLines {
  /** In the order of the log. */
  lines: RawLine[];
  /** The byte behind the last whole line, where the next one begins. */
  end: number;
}

/** The last `most` lines that are wanted; `undefined` where there is no log. A torn last line is none. */
export async function readLastLines(
  { files }: Pick<Ports, "files">,
  folder: string,
  { most, wanted }: { most: number; wanted: (line: RawLine) => boolean },
): Promise<LastLines | undefined> {
  const path = join(folder, "events.jsonl");
  const size = (await files.stat(path))?.size;
  if (size === undefined) return undefined;
  const found: RawLine[] = [];
  let end: number | undefined;
  // What lies behind `at` and before the first line end that is known: the end of a line that begins before `at`.
  let rest: Buffer = Buffer.alloc(0);
  let at = size;
  for (let chunk = FIRST_CHUNK; at > 0 && (end === undefined || found.length < most); chunk *= 2) {
    const length = Math.min(Math.max(Math.min(chunk, MOST_CHUNK), rest.length), at);
    at -= length;
    const bytes = Buffer.concat([await files.readRange(path, at, length), rest]);
    const last = bytes.lastIndexOf(LINE_END);
    end ??= last === -1 ? undefined : at + last + 1;
    // The first piece is whole only where the log begins with it.
    const first = at === 0 ? 0 : bytes.indexOf(LINE_END) + 1;
    takeLines(bytes.subarray(first, last + 1), { most, wanted, found });
    rest = last === -1 ? bytes : bytes.subarray(0, first);
  }
  return { lines: found.reverse(), end: end ?? 0 };
}

/** Takes whole lines, the last one first. */
function takeLines(
  bytes: Buffer,
  { most, wanted, found }: { most: number; wanted: (line: RawLine) => boolean; found: RawLine[] },
): void {
  for (let to = bytes.length; to > 0 && found.length < most;) {
    const from = to < 2 ? 0 : bytes.lastIndexOf(LINE_END, to - 2) + 1;
    const line = parseLine(bytes.toString("utf8", from, to - 1));
    if (line !== undefined && wanted(line)) found.push(line);
    to = from;
  }
}

/** How a log ends. */
export interface LogEnd {
  /** Its last whole line. */
  last?: RawLine;
  /** The line that says the run ended: of one that goes on, or was killed, there is none. */
  ended?: RawLine;
}

/** Bytes that are looked at: nearly every run's end is in the first, and after it only its hooks are told of. */
const LOOKED_AT = [1 << 12, 1 << 18] as const;

/** Reads how a log ends, from no more than its last lines. */
export async function readEnd({ files }: Pick<Ports, "files">, folder: string): Promise<LogEnd> {
  const path = join(folder, "events.jsonl");
  const size = (await files.stat(path))?.size ?? 0;
  let end: LogEnd = {};
  for (const length of LOOKED_AT) {
    if (size === 0) break;
    const from = Math.max(0, size - length);
    const bytes = await orGone(() => files.readRange(path, from, length));
    const lines = Buffer.from(bytes ?? [])
      .toString("utf8")
      .split("\n")
      .slice(0, -1);
    const last = findLast(lines, () => true);
    const ended = findLast(lines, (line) => line.includes(ENDED), ENDED);
    end = { ...given({ last, ended }) };
    if (ended !== undefined || from === 0) break;
  }
  return end;
}

const ENDED = "run_ended";

/** Whether the log of a run says that it ended. One that goes on, or was killed, does not. */
export async function hasEnded(ports: Pick<Ports, "files">, folder: string): Promise<boolean> {
  return (await readEnd(ports, folder)).ended !== undefined;
}

/** The last line of a type, or of any; `worthIt` spares reading those that cannot be it. */
function findLast(
  lines: readonly string[],
  worthIt: (line: string) => boolean,
  type?: string,
): RawLine | undefined {
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? "";
    const read = worthIt(line) ? parseLine(line) : undefined;
    if (read !== undefined && (type === undefined || read.type === type)) return read;
  }
  return undefined;
}
