import type { Rules } from "../../../logging/rules.js";
import { findBackoffEnd, type Backoffs } from "./backoff.js";
import type { JobKind } from "../state.js";

/**
 * Chooses the agent of a phase (contract §4): `--agent`, then the task's agent, then the phase's role, then the schedule.
 * L12: agents that could not be used are skipped. `undefined`: none is left.
 */
export function chooseAgent(
  rules: Pick<Rules, "agent" | "roles" | "schedule">,
  phase: JobKind,
  now: { iteration: number; dropped: ReadonlySet<string>; wanted?: string | undefined },
): string | undefined {
  const own = phase === "iteration" ? now.wanted : undefined;
  const first = [rules.agent, own, rules.roles[phase]].find((name) => isAvailable(name, now.dropped));
  if (first !== undefined) return first;
  const { schedule } = rules;
  const start = phase === "iteration" ? now.iteration - 1 : 0;
  for (let i = 0; i < schedule.length; i++) {
    const name = schedule[(start + i) % schedule.length];
    if (isAvailable(name, now.dropped)) return name;
  }
  return undefined;
}

/** The agent of a job, or the agent to wait for (`until` epoch ms), or `undefined` if none is left. */
export type AgentChoice = { agent: string } | { waitsFor: string; until: number } | undefined;

/**
 * Chooses an agent that is not backing off. L17: if the scheduled one is, the next in the schedule takes over
 * (`on_limit: switch`); the run waits for an agent that was asked for by name.
 */
export function chooseAvailableAgent(
  rules: Pick<Rules, "agent" | "roles" | "schedule" | "on_limit">,
  phase: JobKind,
  now: Parameters<typeof chooseAgent>[2] & { backoffs: Backoffs; at: number },
): AgentChoice {
  const chosen = chooseAgent(rules, phase, now);
  if (chosen === undefined) return undefined;
  const until = findBackoffEnd(now.backoffs, chosen, now.at);
  if (until === undefined) return { agent: chosen };
  const byName = [rules.agent, phase === "iteration" ? now.wanted : undefined, rules.roles[phase]];
  const dropped = new Set([...now.dropped, chosen]);
  const next =
    rules.on_limit === "wait" || byName.includes(chosen)
      ? undefined
      : chooseAvailableAgent({ on_limit: "switch", roles: {}, schedule: rules.schedule }, phase, {
          ...now,
          wanted: undefined,
          dropped,
        });
  if (next === undefined) return { waitsFor: chosen, until };
  return "agent" in next || next.until < until ? next : { waitsFor: chosen, until };
}

function isAvailable(name: string | undefined, dropped: ReadonlySet<string>): boolean {
  return name !== undefined && !dropped.has(name);
}

/** Whether the run can continue without these agents (contract §4): not with `--agent`, and not if the schedule is empty. */
export function canContinueWithout(rules: Rules, dropped: ReadonlySet<string>): boolean {
  return rules.agent === undefined && rules.schedule.some((name) => !dropped.has(name));
}

/** Whether this failure means that the agent cannot be used at all, so that asking again is useless. */
export function isUnusable(reason: string | undefined): boolean {
  return reason === "not-found" || reason === "not-signed-in" || reason === "no-credit";
}
