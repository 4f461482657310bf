// Feeds a log through `step` again and compares its decisions with the recorded ones.
import { errorMessage } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import { isStepType, type Sealed, type StepEvent } from "../../logging/events/events.js";
import { readLines, readStepEvent } from "../../logging/read.js";
import { START, step } from "../step/step.js";
import type { RunState } from "../step/state.js";
import type { Next } from "../step/decision.js";

/** The result of a replay: the count of equal decisions (0 for an empty log and for a release), or the first line that differs or is missing. */
export type Replayed = { decisions: number } | Difference;

/** A line of the log that differs from the replay. */
export interface Difference {
  seq: number;
  difference: string;
}

/** One event of the run, and its decision. */
export interface ExplainedDecision {
  seq: number;
  event: string;
  next: Next;
}

/** Called with each event and its decision; a returned difference ends the replay. */
export type Follow = (event: Sealed<StepEvent>, next: Next) => Promise<Difference | undefined>;

type ReplayPorts = Pick<Ports, "files">;

/** Replays a whole run. A truncated log is compared as far as it goes. */
export async function replayRun(ports: ReplayPorts, folder: string, follow?: Follow): Promise<Replayed> {
  let decisions = 0;
  let next: Next | undefined;
  let notes: string[] = [];
  let last = 0;
  for await (const line of readLines(ports, folder)) {
    // Lines are numbered from 1 without a gap, so a gap means a line that is missing or cannot be read.
    if (line.seq !== last + 1) {
      const then = `line ${last + 1} is missing or cannot be read`;
      return makeDifference(last + 1, then, `the log continues with ${line.seq}`);
    }
    last = line.seq;
    if (line.type === "decided") {
      const then = toComparable(line.value["effects"], line.value["because"]);
      const now = next === undefined ? "nothing" : toComparable(next.effects, next.because);
      if (then !== now) return makeDifference(line.seq, then, now);
      decisions++;
      notes = (next?.notes ?? []).map((note) => note.type);
      continue;
    }
    const wanted = notes.shift();
    if (wanted !== undefined && wanted !== line.type) {
      return makeDifference(line.seq, `a line ${line.type}`, `a line ${wanted}`);
    }
    if (!isStepType(line.type)) continue;
    const event = await readStepEvent(ports, folder, line);
    if (event === undefined)
      return makeDifference(line.seq, `an event ${line.type}`, "it cannot be read as one");
    // A release makes no decisions.
    if (event.type === "run_started" && event.rules.release !== undefined) return { decisions };
    const taken = tryStep(next?.state ?? START, event);
    if (typeof taken === "string") return makeDifference(line.seq, `an event ${line.type}`, taken);
    next = taken;
    const difference = await follow?.(event, next);
    if (difference !== undefined) return difference;
  }
  return { decisions };
}

/** Describes a line that differs, with its old and its new value. */
export function makeDifference(seq: number, then: string, now: string): Difference {
  return { seq, difference: `then: ${then}\nnow:  ${now}` };
}

/** Calls `step`; returns its error if the event is impossible: a log may be of another version, or edited by hand. */
function tryStep(state: RunState, event: Sealed<StepEvent>): Next | string {
  try {
    return step(state, event);
  } catch (error) {
    return errorMessage(error);
  }
}

/** Replays up to the event with this `seq`, or the last one before it. `last`: the log ends before `seq`, at this line. */
export async function replayAt(
  ports: ReplayPorts,
  folder: string,
  seq: number,
): Promise<ExplainedDecision | { last: number } | undefined> {
  let at: ExplainedDecision | undefined;
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

function toComparable(effects: unknown, because: unknown): string {
  return JSON.stringify({ effects, because });
}
