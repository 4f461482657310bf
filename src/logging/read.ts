// Reading logs: lines in order, a torn last one passed over, a run found by name. Leaves reading one from its end to last-lines.ts.
import { basename, join } from "node:path";
import { errorCode } from "../system/errors.js";
import type { Ports } from "../system/ports.js";
import { parseJson } from "../system/text/json.js";
import { isStepEvent, isStepType, StepEvent, type Sealed } from "./events.js";
import { byStart, RUN_ID } from "./run-id.js";
import { ToldEvent } from "./told-events.js";

type ReadPorts = Pick<Ports, "files">;

/** Bytes read at once: a few first, for many a log is looked at for its first line or its last. */
const FIRST_CHUNK = 1 << 16;
const MOST_CHUNK = 1 << 20;
const LINE_END = 10;

/** A line as it lies in the file: `type` and `seq` are there, the rest is not looked at. */
export interface RawLine {
  text: string;
  seq: number;
  type: string;
  value: Record<string, unknown>;
}

/** The folder of a run: by its id, or the newest without one; `undefined` when there is none. */
export async function findRun(
  { files }: ReadPorts,
  logDir: string,
  run?: string,
): Promise<string | undefined> {
  const runs = join(logDir, "runs");
  const names = (await files.list(runs)).filter((name) => RUN_ID.test(name));
  const wanted =
    run === undefined || run === "last" ? names.sort(byStart).at(-1) : names.find((name) => name === run);
  return wanted === undefined ? undefined : join(runs, wanted);
}

/** The ids of every run with a log, the oldest first. */
export async function listRuns({ files }: ReadPorts, logDir: string): Promise<string[]> {
  return (await files.list(join(logDir, "runs"))).filter((name) => RUN_ID.test(name)).sort(byStart);
}

/** What of a log may be passed over, most of it unread. */
export interface PassedOver {
  /** Lines of which this is true: by their type, and by their text, which is made only when it is asked for. */
  but?: (type: string, text: () => string) => boolean;
  /** Lines that hold none of these texts, as JSON spells them. */
  holding?: readonly string[];
}

/**
 * Every whole line of a run's log from byte `from`, with where the next one begins. A torn last line, or one that is no
 * event, is never fatal: it is passed over. A run that was killed before its first line has no log, and no lines.
 */
export async function* readLines(
  { files }: ReadPorts,
  folder: string,
  from = 0,
  { but, holding }: PassedOver = {},
): AsyncGenerator<RawLine & { end: number }> {
  const path = join(folder, "events.jsonl");
  const texts = holding?.map((text) => Buffer.from(text));
  let at = from;
  let rest: Uint8Array = new Uint8Array();
  // Of a line longer than that as much again each time: what is there of it is copied for each piece.
  for (let size = FIRST_CHUNK; ; size = Math.max(Math.min(size * 2, MOST_CHUNK), rest.length)) {
    const chunk = await orGone(() => files.readRange(path, at + rest.length, size));
    if (chunk === undefined || chunk.length === 0) return;
    const bytes =
      rest.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
        : Buffer.concat([rest, chunk]);
    const next = texts === undefined ? everyLine(bytes, rest.length) : linesHolding(bytes, texts);
    let start = 0;
    for (const [begin, end] of next) {
      const text = (): string => bytes.toString("utf8", begin, end);
      const line = but?.(typeAtFirstSight(bytes, begin), text) === true ? undefined : parseLine(text());
      start = end + 1;
      if (line !== undefined) yield { ...line, end: at + start };
    }
    start = Math.max(start, bytes.lastIndexOf(LINE_END) + 1);
    at += start;
    rest = bytes.subarray(start);
    if (chunk.length < size) return;
  }
}

/** From where to where; the first does not end before `from`. */
function* everyLine(bytes: Buffer, from: number): Generator<[number, number]> {
  let start = 0;
  for (let end = bytes.indexOf(LINE_END, from); end !== -1; end = bytes.indexOf(LINE_END, start)) {
    yield [start, end];
    start = end + 1;
  }
}

/** Each text is looked for on its own: what lies between two of them is gone through as fast as memory is read. */
function* linesHolding(bytes: Buffer, texts: readonly Buffer[]): Generator<[number, number]> {
  const nowhere = bytes.length;
  const find = (text: Buffer, from: number): number => {
    const found = bytes.indexOf(text, from);
    return found === -1 ? nowhere : found;
  };
  const places = texts.map((text) => find(text, 0));
  for (;;) {
    const place = Math.min(nowhere, ...places);
    const end = place === nowhere ? -1 : bytes.indexOf(LINE_END, place);
    if (end === -1) return;
    yield [bytes.lastIndexOf(LINE_END, place) + 1, end];
    for (const [n, text] of texts.entries()) {
      if ((places[n] ?? 0) < end) places[n] = find(text, end);
    }
  }
}

/** `undefined` where there is no log: not yet, or no longer. */
export async function orGone<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Longer than what comes before the type of a line, and the longest type. */
const HEAD = 96;

/** The type, told from how a log is written: `seq` and `timestamp` come before it. Empty where it is not so. */
function typeAtFirstSight(bytes: Buffer, start: number): string {
  const head = bytes.toString("latin1", start, start + HEAD);
  return /^\{"seq":\d+,"timestamp":"[^"]*","type":"(\w+)"/.exec(head)?.[1] ?? "";
}

/** One line, or `undefined` when it is none. */
export function parseLine(text: string): RawLine | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || typeof value["type"] !== "string" || typeof value["seq"] !== "number")
    return undefined;
  return { text, seq: value["seq"], type: value["type"], value };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The event of a line that `step` takes, its index file attached; `undefined` for lines told to readers, and for one that
 * cannot be read as an event, or whose index cannot.
 */
export async function stepEventOf(
  { files }: ReadPorts,
  folder: string,
  line: RawLine,
): Promise<Sealed<StepEvent> | undefined> {
  const parsed = StepEvent.safeParse(line.value);
  const timestamp = line.value["timestamp"];
  if (!parsed.success || typeof timestamp !== "string" || !isStepEvent(parsed.data)) return undefined;
  const stamp = { seq: line.seq, timestamp };
  if (parsed.data.type !== "backlog_read" || parsed.data.index === undefined)
    return { ...parsed.data, ...stamp };
  // It lies beside the log: no other place is looked at, whatever a log from elsewhere names.
  const bytes = await files.read(join(folder, basename(parsed.data.index)));
  const rows = bytes === undefined ? undefined : parseJson(bytes);
  const whole = StepEvent.safeParse({ ...parsed.data, rows });
  return rows === undefined || !whole.success ? undefined : { ...whole.data, ...stamp };
}

/** The event of a line, its index file attached where it has one; `undefined` where it cannot be read as an event. */
export async function eventOf(ports: ReadPorts, folder: string, line: RawLine): Promise<Sealed | undefined> {
  // What it is not need not be proven: that costs more than to read it.
  if (isStepType(line.type)) return stepEventOf(ports, folder, line);
  const { timestamp } = line.value;
  const told = ToldEvent.safeParse(line.value);
  if (!told.success || typeof timestamp !== "string") return undefined;
  return { ...told.data, seq: line.seq, timestamp };
}
