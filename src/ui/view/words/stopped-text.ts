// Describes where the work of an attempt is that an edit stopped: the same text for the run and for the command. Pure.
import type { StoppedAttempt } from "../../../logging/events/told-events.js";

type KeptWork = Pick<StoppedAttempt, "kept" | "rescue">;

const RESCUE = /^refs\/looper\/rescue\//;

/** As `looper rescue` names it. */
export function rescueName(ref: string): string {
  return ref.replace(RESCUE, "");
}

/** Not cleaned. */
export function keptWorkText({ kept, rescue = "" }: KeptWork): string {
  if (kept === "rescue") return `its work is kept: looper rescue show ${rescueName(rescue)}`;
  return kept === "tree" ? "its work stays in the working tree" : "it had changed nothing";
}

/** A line for each attempt that was stopped or whose work became a rescue. Not cleaned. */
export function stoppedText({ task_id: id, agent, attempt = 1, ...work }: StoppedAttempt): string {
  if (agent !== undefined) return `${id}: attempt ${attempt} (${agent}) was stopped; ${keptWorkText(work)}`;
  if (work.kept === "rescue") return `${id}: earlier attempts were put aside; ${keptWorkText(work)}`;
  return work.kept === "tree" ? `${id}: unfinished work, if any, stays in the working tree` : "";
}
