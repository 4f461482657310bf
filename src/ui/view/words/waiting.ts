// Describes a wait: its end, duration, agent and reason. Pure.
import type { RunEvent } from "../../../logging/events/events.js";
import { showDuration, showMoment } from "./amounts.js";
import { clean } from "../../text.js";

type Waiting = Omit<Extract<RunEvent, { type: "waiting" }>, "type">;

/** One line; `now`: epoch ms. */
export function waitingText({ reason, until, agent, until_why: why }: Waiting, now: number): string {
  if (until === undefined) return `waiting for ${clean(reason)}`;
  const at = Date.parse(until);
  const when = Number.isNaN(at)
    ? clean(until)
    : `${showMoment(at, now)} (${showDuration(Math.max(0, at - now))})`;
  const whom = agent === undefined ? "" : ` for ${clean(agent)}`;
  return `waiting until ${when}${whom}: ${clean(reason)}${why === undefined ? "" : ` (${clean(why)})`}`;
}

/** The hint on a wait that an earlier run reported; empty for other waits. */
export function aroundWaiting({ agent, remembered }: Waiting): string {
  if (agent === undefined || remembered === undefined) return "";
  return `an earlier run was told so of ${clean(agent)}; another agent or model is asked now: --agent NAME, --model NAME`;
}
