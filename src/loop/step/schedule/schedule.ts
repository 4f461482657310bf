import { findBackoffEnd, type Backoffs, describeBackoff } from "./backoff.js";
import type { Rules } from "../../../logging/rules.js";
import type { JobKind } from "../state.js";
import type { Decision } from "../decision.js";

/** Everything that the choice of an agent depends on beside the rules. */
export interface AgentOrder {
  /** Asked for by name, the first one first. */
  named: readonly (string | undefined)[];
  /** The entry of the schedule whose turn it is, from 0. */
  turn: number;
  /** The agent that the user's module chose; it takes the turn. */
  picked?: string | undefined;
  /** L12: agents that could not be used. */
  dropped: ReadonlySet<string>;
  /** L17: agents that are asked again later. */
  backoffs: Backoffs;
  /** Epoch ms. */
  at: number;
  /** The agent that does it only if there is no other. */
  unlike?: string | undefined;
}

/** The agent of a job, or the agent to wait for (`until` epoch ms), or `undefined` if none is left. */
export type AgentChoice = { agent: string } | { waitsFor: string; until: number } | undefined;

/** Chooses the agent of a job that is about no task (contract §4): `--agent`, then the role of its phase, then the first of the schedule. */
export function choosePhaseAgent(
  { rules, dropped, backoffs }: Pick<AgentOrder, "dropped" | "backoffs"> & { rules: Rules },
  phase: Exclude<JobKind, "iteration">,
  at: number,
): AgentChoice {
  return chooseAgent(rules, { dropped, backoffs, at, named: [rules.agent, rules.roles[phase]], turn: 0 })
    .choice;
}

/**
 * Chooses an agent: one that is asked for by name, else the next of the schedule. L17: if the scheduled one is backing off, the
 * next takes over (`on_limit: switch`); the run waits for one that was asked for by name. `same`: no agent is left but `unlike`.
 * `open`: the user's module is still to choose.
 */
export function chooseAgent(
  rules: Pick<Rules, "agent" | "schedule" | "picks" | "on_limit">,
  { named: wanted, turn, picked, dropped, backoffs, at, unlike }: AgentOrder,
): { choice: AgentChoice; same?: string; open?: true } {
  const isThere = (name: string): boolean => !dropped.has(name);
  const named = wanted.flatMap((name) => name ?? []).filter(isThere);
  const scheduled =
    picked === undefined ? rotate(rules.schedule, turn) : [...new Set([picked, ...rules.schedule])];
  const all = [...named, ...scheduled.filter(isThere)];
  const others = all.filter((name) => name !== unlike);
  const usable = rules.agent !== undefined || others.length === 0 ? all : others;
  const [first] = usable;
  if (first === undefined) return { choice: undefined };
  const same = unlike !== undefined && first === unlike ? { same: unlike } : {};
  const waits = rules.on_limit === "wait" || named.includes(first);
  const isOpen = rules.picks === true && picked === undefined && !named.includes(first);
  return {
    choice: pick(waits ? [first] : usable, backoffs, at),
    ...same,
    ...(isOpen ? { open: true } : {}),
  };
}

function rotate(schedule: readonly string[], by: number): string[] {
  const start = schedule.length === 0 ? 0 : by % schedule.length;
  return [...schedule.slice(start), ...schedule.slice(0, start)];
}

/** The first that is not backing off, else the one that is free again first. */
function pick(names: readonly string[], backoffs: Backoffs, at: number): AgentChoice {
  let soonest: { waitsFor: string; until: number } | undefined;
  for (const waitsFor of names) {
    const until = findBackoffEnd(backoffs, waitsFor, at);
    if (until === undefined) return { agent: waitsFor };
    if (soonest === undefined || until < soonest.until) soonest = { waitsFor, until };
  }
  return soonest;
}

/** Whether the run can continue without these agents (contract §4): not with `--agent`, and not if the schedule is empty. */
export function canContinueWithout(rules: Rules, dropped: ReadonlySet<string>): boolean {
  return rules.agent === undefined && rules.schedule.some((name) => !dropped.has(name));
}

const UNUSABLE: readonly string[] = ["not-found", "not-signed-in", "no-credit", "unusable"];

/** Whether this failure means that the agent cannot be used at all, so that asking again is useless. */
export function isUnusable(reason: string | undefined): boolean {
  return reason !== undefined && UNUSABLE.includes(reason);
}

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
  decision.notes.push({ type: "waiting", reason, ...facts, agent, remembered });
  return undefined;
}
