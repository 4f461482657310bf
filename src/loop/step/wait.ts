// The one timer, set for an agent that is paused. Pure. Leaves who is waited for to schedule.ts.
import { untilOf, type Pauses } from "./backoff.js";
import type { Rules } from "../../logging/rules.js";
import type { Turn } from "./decision.js";

/** Waits for an agent, and says so; answers why not where that is longer than a run may wait. */
export function waitFor(
  { rules, pauses, began }: { rules: Rules; pauses: Pauses; began: number },
  { waitsFor: agent, until }: { waitsFor: string; until: number },
  turn: Turn,
): string | undefined {
  const { reason = "", remembered } = pauses.get(agent) ?? {};
  const facts = untilOf(pauses, agent, until);
  const when = facts.until;
  const most = rules.max_wait_ms;
  if (most !== undefined && until - turn.at > most) {
    return `${agent} is ${reason} until ${when}, longer than loop.max_wait allows`;
  }
  const { max_duration_ms } = rules.budget;
  if (max_duration_ms !== undefined && until - began >= max_duration_ms) {
    return `${agent} is ${reason} until ${when}, longer than loop.max_duration allows the run`;
  }
  turn.because = { rule: "wait", picked: agent, why: reason };
  turn.wakeAt = until;
  const told = remembered === undefined ? {} : { remembered };
  turn.notes.push({ type: "waiting", reason, ...facts, agent, ...told });
  return undefined;
}
