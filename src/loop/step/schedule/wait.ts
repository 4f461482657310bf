// Sets the run's one timer for an agent that is backing off. Pure. schedule.ts chooses which agent to wait for.
import { given } from "../../../system/given.js";
import { describeBackoff, type Backoffs } from "./backoff.js";
import type { Rules } from "../../../logging/rules.js";
import type { Decision } from "../decision.js";

/** Waits for an agent and logs it. Returns the reason if that is longer than the run may wait. */
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
  decision.notes.push({ type: "waiting", reason, ...facts, agent, ...given({ remembered }) });
  return undefined;
}
