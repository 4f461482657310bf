// The decisions of this version on the events of a recorded run, line for line, and the run as this version would log it.
// Leaves reading the recorded runs to test/rig/recorded.ts.
import { isStepType } from "../../src/logging/events/events.js";
import { readLines, readStepEvent } from "../../src/logging/read.js";
import { START, step } from "../../src/loop/step/step.js";
import type { Next } from "../../src/loop/step/decision.js";
import { nodePorts } from "../../src/system/processes/node-ports.js";

export interface DecidedAgain {
  /** The log's lines with what is decided now; cut off where the events that follow cannot follow from it. */
  lines: string[];
  /** Each difference, to be read. */
  differences: string[];
}

/** Contract: `folder` is a run's, as `unpackRecorded` writes it. */
export async function decideAgain(folder: string): Promise<DecidedAgain> {
  const ports = nodePorts();
  const again: DecidedAgain = { lines: [], differences: [] };
  let next: Next | undefined;
  let notes: string[] = [];
  const cut = (seq: number, why: string): DecidedAgain => {
    again.differences.push(`line ${seq}: ${why}; nothing after it can be compared`);
    return again;
  };
  for await (const line of readLines(ports, folder)) {
    if (line.type === "decided") {
      const now = { ...line.value, effects: next?.effects, because: next?.because };
      const [was, is] = [line.text, JSON.stringify(now)];
      if (was !== is) again.differences.push(`line ${line.seq}:\nthen: ${was}\nnow:  ${is}`);
      again.lines.push(is);
      notes = (next?.notes ?? []).map((note) => note.type);
      continue;
    }
    const wanted = notes.shift();
    if (wanted !== undefined && wanted !== line.type)
      return cut(line.seq, `then a line ${line.type}, now a line ${wanted}`);
    const event = await readStepEvent(ports, folder, line);
    if (event === undefined && isStepType(line.type))
      return cut(line.seq, `its ${line.type} cannot be read any more`);
    try {
      if (event !== undefined) next = step(next?.state ?? START, event);
    } catch (error) {
      return cut(line.seq, String(error));
    }
    again.lines.push(line.text);
  }
  return again;
}
