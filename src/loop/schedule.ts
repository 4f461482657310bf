import type { Rules } from "../logging/rules.js";
import type { JobKind } from "./state.js";

/**
 * Which agent takes a phase (contract §4): `--agent`, then the task's own, then the phase's role, then the schedule.
 * L12: those that turned out not to be there are passed over. `undefined` when none is left.
 */
export function agentFor(
  rules: Pick<Rules, "agent" | "roles" | "schedule">,
  phase: JobKind,
  now: { iteration: number; dropped: ReadonlySet<string>; wanted?: string },
): string | undefined {
  const own = phase === "iteration" ? now.wanted : undefined;
  const first = [rules.agent, own, rules.roles[phase]].find((name) => isLeft(name, now.dropped));
  if (first !== undefined) return first;
  const { schedule } = rules;
  const start = phase === "iteration" ? now.iteration - 1 : 0;
  for (let i = 0; i < schedule.length; i++) {
    const name = schedule[(start + i) % schedule.length];
    if (isLeft(name, now.dropped)) return name;
  }
  return undefined;
}

function isLeft(name: string | undefined, dropped: ReadonlySet<string>): boolean {
  return name !== undefined && !dropped.has(name);
}

/** Whether the run can go on without these agents (contract §4): not with `--agent`, nor with none of the schedule left. */
export function canSpare(rules: Rules, dropped: ReadonlySet<string>): boolean {
  return rules.agent === undefined && rules.schedule.some((name) => !dropped.has(name));
}

/** Whether an agent that ended like this cannot be used at all: no attempt's fault, and no use asking again. */
export function isUnusable(reason: string | undefined): boolean {
  return reason === "not-found" || reason === "not-signed-in";
}
