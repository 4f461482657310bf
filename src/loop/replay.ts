// Feeds a log back through `step` and compares what it decides with what was decided then.
import type { Ports } from "../system/ports.js";
import { readLines, stepEventOf } from "../logging/read.js";
import { START, step } from "./step.js";
import type { State } from "./state.js";
import type { Next } from "./turn.js";

/** How a replay came out: every decision the same (none at all: an empty log), or the first line that differs or is missing. */
export type Replayed = { decisions: number } | { seq: number; difference: string };

/** One turn of the run: the event, and what came of it. */
export interface Explained {
  seq: number;
  event: string;
  next: Next;
}

type ReplayPorts = Pick<Ports, "files">;

/** Replays a whole run. A log that was cut off is compared as far as it goes. */
export async function replayRun(ports: ReplayPorts, folder: string): Promise<Replayed> {
  let decisions = 0;
  let next: Next | undefined;
  let notes: string[] = [];
  let last = 0;
  for await (const line of readLines(ports, folder)) {
    if (line.seq !== last + 1) return missing(last, line.seq);
    last = line.seq;
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

/** Lines count from 1 without a gap: one that cannot be read leaves one. */
function missing(last: number, found: number): { seq: number; difference: string } {
  const seq = last + 1;
  return {
    seq,
    difference: `then: line ${seq} is missing or cannot be read\nnow:  the log goes on with ${found}`,
  };
}

/** What `step` makes of the event with this `seq` (or the last one before it), and the state after it. `last`: where the log ended before it. */
export async function replayAt(
  ports: ReplayPorts,
  folder: string,
  seq: number,
): Promise<Explained | { last: number } | undefined> {
  let at: Explained | undefined;
  let last = 0;
  for await (const line of readLines(ports, folder)) {
    last = line.seq;
    if (line.seq > seq) break;
    const event = await stepEventOf(ports, folder, line);
    if (event === undefined) continue;
    const state: State = at?.next.state ?? START;
    at = { seq: line.seq, event: event.type, next: step(state, event) };
  }
  return last < seq ? { last } : at;
}

function comparable(effects: unknown, because: unknown): string {
  return JSON.stringify({ effects, because });
}
