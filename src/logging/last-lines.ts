// Reads the last lines of a run's log from its end, so that the cost does not depend on the log's length.
import { join } from "node:path";
import type { Ports } from "../system/ports.js";
import { orNothing } from "../system/errors.js";
import { parseLine, type RawLine } from "./read.js";

/** Nearly every run's end is in the first. */
const FIRST_CHUNK = 1 << 12;
const MOST_CHUNK = 1 << 22;
const LINE_END = 10;

export interface LastLines {
  /** In the order of the log. */
  lines: RawLine[];
  /** The offset behind the last whole line, where the next one begins. */
  end: number;
}

/**
 * Reads the last `most` lines that are wanted; `undefined` without a log. A half-written last line is skipped. `within`: after about
 * so many bytes no more are looked at.
 */
export async function readLastLines(
  { files }: Pick<Ports, "files">,
  folder: string,
  { most, wanted, within = Infinity }: { most: number; wanted: (line: RawLine) => boolean; within?: number },
): Promise<LastLines | undefined> {
  const path = join(folder, "events.jsonl");
  const size = (await files.stat(path))?.size;
  if (size === undefined) return undefined;
  const found: RawLine[] = [];
  let end: number | undefined;
  // The bytes from `at` to the first known line end: the end of a line that begins before `at`.
  let rest: Buffer = Buffer.alloc(0);
  let at = size;
  const isSought = (): boolean => end === undefined || (found.length < most && size - at < within);
  for (let chunk = FIRST_CHUNK; at > 0 && isSought(); chunk *= 2) {
    const length = Math.min(Math.max(Math.min(chunk, MOST_CHUNK), rest.length), at);
    at -= length;
    const from = at;
    const read = await orNothing(() => files.readRange(path, from, length));
    if (read === undefined) return undefined;
    const bytes = Buffer.concat([read, rest]);
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

/** How many bytes are looked at for the end: only lines of hooks follow it. */
const ENDS_WITHIN = 1 << 18;
const ENDED = "run_ended";

/** Reads the end of a log from its last lines alone. */
export async function readEnd(ports: Pick<Ports, "files">, folder: string): Promise<LogEnd> {
  const find = async (wanted: (line: RawLine) => boolean): Promise<RawLine | undefined> =>
    (await readLastLines(ports, folder, { most: 1, wanted, within: ENDS_WITHIN }))?.lines[0];
  const last = await find(() => true);
  if (last === undefined || last.type === ENDED) return { last, ended: last };
  return { last, ended: await find(({ type }) => type === ENDED) };
}

/** Whether a run's log has its ending; the log of a run that is in progress or was killed does not. */
export async function hasEnded(ports: Pick<Ports, "files">, folder: string): Promise<boolean> {
  return (await readEnd(ports, folder)).ended !== undefined;
}
