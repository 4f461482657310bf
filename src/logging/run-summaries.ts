// Summarizes runs: the start and the ending of each, from both ends of its log. The middle is never read.
import { join } from "node:path";
import { given } from "../system/given.js";
import type { Ports } from "../system/ports.js";
import { StepEvent } from "./events/events.js";
import { readEnd } from "./last-lines.js";
import { tolerateMissing, readLines } from "./read.js";

type RunEnded = Extract<StepEvent, { type: "run_ended" }>;

export interface RunSummary {
  run: string;
  /** Absolute path of its folder. */
  folder: string;
  /** RFC 3339; absent if the run was killed before its first line. */
  started?: string;
  /** The workflow of its tasks that name none; absent: `default`. */
  workflow?: string;
  /** Time of its last line, RFC 3339. */
  last?: string;
  /** Absent while the run is in progress, and after it was killed. */
  ended?: Pick<RunEnded, "ending" | "message" | "totals">;
}

/** Summarizes the `most` newest of these runs (ids, the oldest first), the newest first. */
export async function summarizeRuns(
  ports: Pick<Ports, "files">,
  logDir: string,
  { runs, most }: { runs: readonly string[]; most: number },
): Promise<RunSummary[]> {
  const summaries: RunSummary[] = [];
  // One after the other: there may be more runs than files that can be open.
  for (const run of runs.toReversed().slice(0, most))
    summaries.push(await summarize(ports, run, join(logDir, "runs", run)));
  return summaries;
}

/** More bytes than a first line has up to the end of its rules, unless they name many commands. */
const HEAD = 8192;

/** Reads the start without parsing the line: `seq` and `timestamp` come first. */
async function startAtFirstSight(
  { files }: Pick<Ports, "files">,
  folder: string,
): Promise<{ started?: string; workflow?: string }> {
  const bytes = await tolerateMissing(() => files.readRange(join(folder, "events.jsonl"), 0, HEAD));
  const [line = ""] = Buffer.from(bytes ?? [])
    .toString("latin1")
    .split("\n");
  const started = /^\{"seq":\d+,"timestamp":"([^"]*)"/.exec(line)?.[1];
  // In a text of others the quotes would be escaped.
  return given({ started, workflow: /[,{]"workflow":"([^"\\]*)"/.exec(line)?.[1] });
}

async function startOf(ports: Pick<Ports, "files">, folder: string): Promise<unknown> {
  for await (const { value } of readLines(ports, folder)) return value["timestamp"];
  return undefined;
}

async function summarize(ports: Pick<Ports, "files">, run: string, folder: string): Promise<RunSummary> {
  const end = await readEnd(ports, folder);
  // If the last line is whole, the first is too.
  const seen = end.last === undefined ? {} : await startAtFirstSight(ports, folder);
  const started = seen.started ?? (await startOf(ports, folder));
  const last = end.last?.value["timestamp"];
  const event = StepEvent.safeParse(end.ended?.value).data;
  const ended = event?.type === "run_ended" ? event : undefined;
  return {
    run,
    folder,
    ...(typeof started === "string" ? { started } : {}),
    workflow: seen.workflow,
    ...(typeof last === "string" ? { last } : {}),
    ended,
  };
}
