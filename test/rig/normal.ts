// Normalizes the parts of a run that may differ from one time to the next, so that two runs can be compared byte for byte.
import type { Rig } from "./rig.js";

/** Facts of the machine and the moment, by where they stand in a line of the log. */
const MOMENTARY: ReadonlySet<string> = new Set(["timestamp", "duration_ms", "pid"]);

/** A text without absolute paths, run ids, dates and commit ids, each replaced by a word for what it was. */
export function withoutMoment(text: string, rig: Rig): string {
  return text
    .replaceAll(rig.root, "ROOT")
    .replaceAll(/\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(-\d+)?/g, "RUN")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME")
    .replaceAll(/\b([0-9a-f]{40}|[0-9a-f]{64})\b/g, "COMMIT");
}

/** A run's log as text, without the moment. */
export function normalLog(rig: Rig, run?: string): string {
  const lines = rig
    .events(run)
    .map((line) => JSON.stringify(line, (key, value: unknown) => (MOMENTARY.has(key) ? key : value)));
  return withoutMoment(lines.join("\n"), rig);
}
