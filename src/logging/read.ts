// Reads logs: finds a run by its id and returns its lines in order; a half-written last line is skipped.
// last-lines.ts reads a log from its end.
import { basename, join } from "node:path";
import { orNothing } from "../system/errors.js";
import type { Ports } from "../system/ports.js";
import { parseJson, isRecord } from "../system/text/json.js";
import { isStepType, StepEvent, type Sealed } from "./events/events.js";
import { byStart, RUN_ID } from "./run-id.js";
import { ToldEvent } from "./events/told-events.js";

type ReadPorts = Pick<Ports, "files">;

/** Bytes read at once: few at first, because often only a log's first line is needed. */
const FIRST_CHUNK = 1 << 16;
const MOST_CHUNK = 1 << 20;
const LINE_END = 10;

/** A line of the file: it has `type` and `seq`, and the rest is not validated. */
export interface RawLine {
  text: string;
  seq: number;
  type: string;
  value: Record<string, unknown>;
}

/** Finds the folder of a run by its id, or of the newest run without one; `undefined` if there is none. */
export async function findRun(ports: ReadPorts, logDir: string, run = "last"): Promise<string | undefined> {
  const runs = await listRuns(ports, logDir);
  const wanted = run === "last" ? runs.at(-1) : runs.find((name) => name === run);
  return wanted === undefined ? undefined : join(logDir, "runs", wanted);
}

/** Lists the ids of all runs, the oldest first. */
export async function listRuns({ files }: ReadPorts, logDir: string): Promise<string[]> {
  return (await files.list(join(logDir, "runs"))).filter((name) => RUN_ID.test(name)).sort(byStart);
}

/** Lines that a reader does not need; most of them are skipped without being parsed. */
export interface PassedOver {
  /** Skips the lines for which it returns true, by type or by text; `text` decodes the line only when called. */
  but?: (type: string, text: () => string) => boolean;
  /** Skips the lines that contain none of these texts, spelled as in JSON. */
  holding?: readonly string[];
}

/**
 * Reads every whole line of a run's log from byte `from`, with the offset of the next one. A half-written last line and
 * lines that are not events are skipped. A run that was killed before its first line has no log, and no lines.
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
  // For a long line the size doubles each time, because each chunk copies the part of the line read so far.
  for (let size = FIRST_CHUNK; ; size = Math.max(Math.min(size * 2, MOST_CHUNK), rest.length)) {
    const chunk = await orNothing(() => files.readRange(path, at + rest.length, size));
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

/** Yields the start and end of every line; no line ends before `from`. */
function* everyLine(bytes: Buffer, from: number): Generator<[number, number]> {
  let start = 0;
  for (let end = bytes.indexOf(LINE_END, from); end !== -1; end = bytes.indexOf(LINE_END, start)) {
    yield [start, end];
    start = end + 1;
  }
}

/** Yields the lines that contain one of the texts; each text has its own fast search through the bytes. */
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

/** Longer than what comes before the type of a line, and the longest type. */
const HEAD = 96;

/** Reads the type without parsing the line: `seq` and `timestamp` come before it. Empty if a line is written otherwise. */
function typeAtFirstSight(bytes: Buffer, start: number): string {
  const head = bytes.toString("latin1", start, start + HEAD);
  return /^\{"seq":\d+,"timestamp":"[^"]*","type":"(\w+)"/.exec(head)?.[1] ?? "";
}

/** Parses one line; `undefined` if it is not a log line. */
export function parseLine(text: string): RawLine | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || typeof value["type"] !== "string" || typeof value["seq"] !== "number")
    return undefined;
  return { text, seq: value["seq"], type: value["type"], value };
}

/** Reads the event that `step` takes from a line; `undefined` for lines that only readers need. */
export async function readStepEvent(
  ports: ReadPorts,
  folder: string,
  line: RawLine,
): Promise<Sealed<StepEvent> | undefined> {
  const event = isStepType(line.type) ? await readEvent(ports, folder, line) : undefined;
  return event as Sealed<StepEvent> | undefined;
}

/** Reads the event of a line, with the rows of its index file if it has one; `undefined` if line or file are not valid. */
export async function readEvent(
  { files }: ReadPorts,
  folder: string,
  { type, value, seq }: RawLine,
): Promise<Sealed | undefined> {
  const { timestamp } = value;
  if (typeof timestamp !== "string") return undefined;
  const stamp = { seq, timestamp };
  // Choose the schema by type: trying the wrong one costs more than parsing the line.
  const event = (isStepType(type) ? StepEvent : ToldEvent).safeParse(value).data;
  if (event?.type !== "backlog_read" || event.index === undefined) return event && { ...event, ...stamp };
  // The index is always beside the log: a log from another machine must not make us read any other path.
  const rows = parseJson(await files.read(join(folder, basename(event.index))));
  const whole = rows === undefined ? undefined : StepEvent.safeParse({ ...event, rows }).data;
  return whole && { ...whole, ...stamp };
}
