// What became of the runs there are: how each began and ended, from both ends of its log. Leaves the middle alone, however long.
import { join } from "node:path";
import { given } from "../system/given.js";
import type { Ports } from "../system/ports.js";
import { StepEvent } from "./events.js";
import { readEnd } from "./last-lines.js";
import { orGone, readLines } from "./read.js";

type RunEnded = Extract<StepEvent, { type: "run_ended" }>;

export interface RunSummary {
  run: string;
  /** Of its log, absolute. */
  folder: string;
  /** RFC 3339; absent where a run was killed before its first line. */
  started?: string;
  /** Of the last line; RFC 3339. */
  last?: string;
  /** Absent of a run that goes on, or was killed. */
  ended?: Pick<RunEnded, "ending" | "message" | "totals">;
}

/** The newest of these runs (ids, the oldest first), at most so many, the newest first. */
export async function summarizeRuns(
  ports: Pick<Ports, "files">,
  logDir: string,
  { runs, most }: { runs: readonly string[]; most: number },
): Promise<RunSummary[]> {
  const summaries: RunSummary[] = [];
  // One after the other: there may be more of them than files that can be open.
  for (const run of runs.toReversed().slice(0, most))
    summaries.push(await summarize(ports, run, join(logDir, "runs", run)));
  return summaries;
}

/** Longer than what comes before the end of a line's timestamp. */
const HEAD = 96;

/** Told from how a log is written: `seq` and `timestamp` come first. */
async function startAtFirstSight(
  { files }: Pick<Ports, "files">,
  folder: string,
): Promise<string | undefined> {
  const bytes = await orGone(() => files.readRange(join(folder, "events.jsonl"), 0, HEAD));
  return /^\{"seq":\d+,"timestamp":"([^"]*)"/.exec(Buffer.from(bytes ?? []).toString("latin1"))?.[1];
}

async function startOf(ports: Pick<Ports, "files">, folder: string): Promise<unknown> {
  for await (const { value } of readLines(ports, folder)) return value["timestamp"];
  return undefined;
}

async function summarize(ports: Pick<Ports, "files">, run: string, folder: string): Promise<RunSummary> {
  const end = await readEnd(ports, folder);
  // Where the last line is whole, the first is.
  const started = (end.last && (await startAtFirstSight(ports, folder))) ?? (await startOf(ports, folder));
  const last = end.last?.value["timestamp"];
  const event = StepEvent.safeParse(end.ended?.value).data;
  const ended = event?.type === "run_ended" ? event : undefined;
  return {
    ...{ run, folder },
    ...(typeof started === "string" ? { started } : {}),
    ...(typeof last === "string" ? { last } : {}),
    ...given({ ended }),
  };
}
