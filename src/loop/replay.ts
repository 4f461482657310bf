// Feeds a log back through `step` and compares what it decides with what was decided then.
import type { Ports } from "../system/ports.js";
import { readLines, stepEventOf } from "../logging/read.js";
import { START, step } from "./step.js";
import type { State } from "./state.js";
import type { Next } from "./turn.js";

/** How a replay came out: every decision the same, or the first that differs. */
export type Replayed = { decisions: number } | { seq: number; difference: string };

type ReplayPorts = Pick<Ports, "files">;

/** Replays a whole run. A log that was cut off is compared as far as it goes. */
export async function replayRun(ports: ReplayPorts, folder: string): Promise<Replayed> {
  let decisions = 0;
  let next: Next | undefined;
  let notes: string[] = [];
  for await (const line of readLines(ports, folder)) {
    if (line.type === "decided") {
      const then = comparable(line.value["effects"], line.value["because"]);
      const now = next === undefined ? "nothing" : comparable(next.effects, next.because);
      if (then !== now) return { seq: line.seq, difference: `then: ${then}\nnow:  ${now}` };
      decisions++;
      notes = (next?.notes ?? []).map((note) => note.type);
      continue;
    }
    const wanted = notes.shift();
    if (wanted !== undefined && wanted !== line.type) {
      return { seq: line.seq, difference: `then: a line ${line.type}\nnow:  a line ${wanted}` };
    }
    const event = await stepEventOf(ports, folder, line);
    if (event !== undefined) next = step(next?.state ?? START, event);
  }
  return { decisions };
}

/** What `step` makes of the event with this `seq` (or the last one before it), and the state after it. */
export async function replayAt(
  ports: ReplayPorts,
  folder: string,
  seq: number,
): Promise<{ seq: number; event: string; next: Next } | undefined> {
  let at: { seq: number; event: string; next: Next } | undefined;
  for await (const line of readLines(ports, folder)) {
    if (line.seq > seq) break;
    const event = await stepEventOf(ports, folder, line);
    if (event === undefined) continue;
    const state: State = at?.next.state ?? START;
    at = { seq: line.seq, event: event.type, next: step(state, event) };
  }
  return at;
}

function comparable(effects: unknown, because: unknown): string {
  return JSON.stringify({ effects, because });
}
