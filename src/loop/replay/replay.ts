// Feeds a log back through `step` and compares what it decides with what was decided then.
import { errorMessage } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import { isStepType, type Sealed, type StepEvent } from "../../logging/events.js";
import { readLines, readStepEvent } from "../../logging/read.js";
import { START, step } from "../step/step.js";
import type { RunState } from "../step/state.js";
import type { Next } from "../step/decision.js";

/** How a replay came out: every decision the same (none at all: an empty log), or the first line that differs or is missing. */
export type Replayed = { decisions: number } | Difference;

/** A line of the log that says something else than what is so now. */
export interface Difference {
  seq: number;
  difference: string;
}

/** One turn of the run: the event, and what came of it. */
export interface Explained {
  seq: number;
  event: string;
  next: Next;
}

/** Told of each event that `step` took, and what it decided; a difference ends the replay. */
export type Follow = (event: Sealed<StepEvent>, next: Next) => Promise<Difference | undefined>;

type ReplayPorts = Pick<Ports, "files">;

/** Replays a whole run. A log that was cut off is compared as far as it goes. */
export async function replayRun(ports: ReplayPorts, folder: string, follow?: Follow): Promise<Replayed> {
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
      if (then !== now) return differs(line.seq, then, now);
      decisions++;
      notes = (next?.notes ?? []).map((note) => note.type);
      continue;
    }
    const wanted = notes.shift();
    if (wanted !== undefined && wanted !== line.type) {
      return differs(line.seq, `a line ${line.type}`, `a line ${wanted}`);
    }
    if (!isStepType(line.type)) continue;
    const event = await readStepEvent(ports, folder, line);
    if (event === undefined) return differs(line.seq, `an event ${line.type}`, "it cannot be read as one");
    const taken = take(next?.state ?? START, event);
    if (typeof taken === "string") return differs(line.seq, `an event ${line.type}`, taken);
    next = taken;
    const difference = await follow?.(event, next);
    if (difference !== undefined) return difference;
  }
  return { decisions };
}

/** The line that differs, with what it said and what is so now. */
export function differs(seq: number, then: string, now: string): Difference {
  return { seq, difference: `then: ${then}\nnow:  ${now}` };
}

/** What `step` makes of an event, or why it could not have come: a log may be of another version, or changed by hand. */
function take(state: RunState, event: Sealed<StepEvent>): Next | string {
  try {
    return step(state, event);
  } catch (error) {
    return errorMessage(error);
  }
}

/** Lines count from 1 without a gap: one that cannot be read leaves one. */
function missing(last: number, found: number): Difference {
  const seq = last + 1;
  return differs(seq, `line ${seq} is missing or cannot be read`, `the log goes on with ${found}`);
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
    const event = await readStepEvent(ports, folder, line);
    if (event === undefined) continue;
    const state: RunState = at?.next.state ?? START;
    at = { seq: line.seq, event: event.type, next: step(state, event) };
  }
  return last < seq ? { last } : at;
}

function comparable(effects: unknown, because: unknown): string {
  return JSON.stringify({ effects, because });
}
