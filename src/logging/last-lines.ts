// Reads the last lines of a run's log from its end, so that the cost does not depend on the log's length.
import { join } from "node:path";
import type { Ports } from "../system/ports.js";
import { tolerateMissing, parseLine, type RawLine } from "./read.js";

const FIRST_CHUNK = 1 << 16;
const MOST_CHUNK = 1 << 22;
const LINE_END = 10;

export interface LastLines {
  /** In the order of the log. */
  lines: RawLine[];
  /** The offset behind the last whole line, where the next one begins. */
  end: number;
}

/** Reads the last `most` lines that are wanted; `undefined` without a log. A half-written last line is skipped. */
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
  // The bytes from `at` to the first known line end: the end of a line that begins before `at`.
  let rest: Buffer = Buffer.alloc(0);
  let at = size;
  for (let chunk = FIRST_CHUNK; at > 0 && (end === undefined || found.length < most); chunk *= 2) {
    const length = Math.min(Math.max(Math.min(chunk, MOST_CHUNK), rest.length), at);
    at -= length;
    const bytes = Buffer.concat([await files.readRange(path, at, length), rest]);
    const last = bytes.lastIndexOf(LINE_END);
    end ??= last === -1 ? undefined : at + last + 1;
    // The first line of a chunk is whole only at the beginning of the log.
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

/** The end of a log. */
export interface LogEnd {
  /** Its last whole line. */
  last?: RawLine;
  /** Its line `run_ended`; absent while the run is in progress, and after it was killed. */
  ended?: RawLine;
}

/** How many bytes are read: nearly every run's end is in the first 4 KB; only lines of hooks follow it. */
const LOOKED_AT = [1 << 12, 1 << 18] as const;

/** Reads the end of a log from its last lines alone. */
export async function readEnd({ files }: Pick<Ports, "files">, folder: string): Promise<LogEnd> {
  const path = join(folder, "events.jsonl");
  const size = (await files.stat(path))?.size ?? 0;
  let end: LogEnd = {};
  for (const length of LOOKED_AT) {
    if (size === 0) break;
    const from = Math.max(0, size - length);
    const bytes = await tolerateMissing(() => files.readRange(path, from, length));
    const lines = Buffer.from(bytes ?? [])
      .toString("utf8")
      .split("\n")
      .slice(0, -1);
    const last = findLast(lines, () => true);
    const ended = findLast(lines, (line) => line.includes(ENDED), ENDED);
    end = { last, ended };
    if (ended !== undefined || from === 0) break;
  }
  return end;
}

const ENDED = "run_ended";

/** Whether a run's log has its ending; the log of a run that is in progress or was killed does not. */
export async function hasEnded(ports: Pick<Ports, "files">, folder: string): Promise<boolean> {
  return (await readEnd(ports, folder)).ended !== undefined;
}

/** Finds the last line of a type, or of any; only lines that `worthIt` accepts are parsed. */
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
