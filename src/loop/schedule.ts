import type { Rules } from "../logging/rules.js";
import type { JobKind } from "./state.js";

/**
 * Which agent takes a phase (contract §4): `--agent`, then the task's own, then the phase's role, then the schedule; those
 * that turned out not to be there are passed over. `undefined` when none is left.
 */
export function agentFor(
  rules: Rules,
  phase: JobKind,
  now: { iteration: number; dropped: ReadonlySet<string>; wanted?: string },
): string | undefined {
  const own = phase === "iteration" ? now.wanted : undefined;
  const first = rules.agent ?? own ?? rules.roles[phase];
  if (first !== undefined && !now.dropped.has(first)) return first;
  const { schedule } = rules;
  const start = phase === "iteration" ? now.iteration - 1 : 0;
  for (let i = 0; i < schedule.length; i++) {
    const name = schedule[(start + i) % schedule.length];
    if (name !== undefined && !now.dropped.has(name)) return name;
  }
  return undefined;
}
