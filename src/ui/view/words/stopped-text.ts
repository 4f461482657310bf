// Describes where the work of an attempt is that an edit stopped. Pure.
import type { RunEvent } from "../../../logging/events/events.js";

type KeptWork = Pick<Extract<RunEvent, { type: "attempt_stopped" }>, "kept" | "rescue">;

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
