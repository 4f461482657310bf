// Finds a run that saw tasks in a task file that has none any more.
import { join } from "node:path";
import { isOfTaskFile, type LogPlace } from "../../logging/is-of-task-file.js";
import { readLines } from "../../logging/read.js";
import type { Ports } from "../../system/ports.js";

type FilePorts = Pick<Ports, "files">;

/** How many of the newest runs are read. */
const ASKED = 3;
/** The line `backlog_read` comes within this many lines. */
const MOST_LINES = 50;

/** The newest of these runs (oldest first) that read tasks from this file; only the last few are read. */
export async function findLastRunWithTasks(
  ports: FilePorts,
  { runs, ...place }: LogPlace & { runs: readonly string[] },
): Promise<string | undefined> {
  for (const run of runs.slice(-ASKED).reverse())
    if (await hasSeenTasks(ports, join(place.logDir, "runs", run), place)) return run;
  return undefined;
}

async function hasSeenTasks(ports: FilePorts, folder: string, place: LogPlace): Promise<boolean> {
  let same = false;
  for await (const line of readLines(ports, folder)) {
    if (line.type === "run_started") same = isOfTaskFile(line.value, place);
    if (line.type === "backlog_read") return same && Number(line.value["tasks"]) > 0;
    if (line.seq > MOST_LINES) return false;
  }
  return false;
}
