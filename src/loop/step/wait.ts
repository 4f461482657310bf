// The one timer, set for an agent that is paused. Pure. Leaves who is waited for to schedule.ts.
import { describeBackoff, type Backoffs } from "./backoff.js";
import type { Rules } from "../../logging/rules.js";
import type { Decision } from "./decision.js";

/** Waits for an agent, and says so; answers why not where that is longer than a run may wait. */
export function waitFor(
  { rules, backoffs, began }: { rules: Rules; backoffs: Backoffs; began: number },
  { waitsFor: agent, until }: { waitsFor: string; until: number },
  decision: Decision,
): string | undefined {
  const { reason = "", remembered } = backoffs.get(agent) ?? {};
  const facts = describeBackoff(backoffs, agent, until);
  const when = facts.until;
  const most = rules.max_wait_ms;
  if (most !== undefined && until - decision.at > most) {
    return `${agent} is ${reason} until ${when}, longer than loop.max_wait allows`;
  }
  const { max_duration_ms } = rules.budget;
  if (max_duration_ms !== undefined && until - began >= max_duration_ms) {
    return `${agent} is ${reason} until ${when}, longer than loop.max_duration allows the run`;
  }
  decision.because = { rule: "wait", picked: agent, why: reason };
  decision.wakeAt = until;
  const told = remembered === undefined ? {} : { remembered };
  decision.notes.push({ type: "waiting", reason, ...facts, agent, ...told });
  return undefined;
}
