// Summarizes runs: the start and the ending of each, from both ends of its log. The middle is never read.
import { join } from "node:path";
import { textField } from "../agents/fields.js";
import type { Ports } from "../system/ports.js";
import { StepEvent } from "./events/events.js";
import { readEnd } from "./last-lines.js";
import { readLines } from "./read.js";

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

async function summarize(ports: Pick<Ports, "files">, run: string, folder: string): Promise<RunSummary> {
  const end = await readEnd(ports, folder);
  const event = StepEvent.safeParse(end.ended?.value).data;
  const summary: RunSummary = {
    run,
    folder,
    last: textField(end.last?.value, "timestamp"),
    ended: event?.type === "run_ended" ? event : undefined,
  };
  for await (const { value } of readLines(ports, folder)) {
    const workflow = textField(value["rules"], "workflow");
    return { ...summary, started: textField(value, "timestamp"), workflow };
  }
  return summary;
}
