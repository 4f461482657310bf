import type { Rules } from "../../../logging/rules.js";
import { findBackoffEnd, type Backoffs, describeBackoff } from "./backoff.js";
import type { ProgressRow } from "../../../workflow/progress.js";
import type { Stage } from "../../../workflow/workflow.js";
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

type AgentRules = Pick<Rules, "agent" | "roles" | "schedule" | "picks" | "on_limit">;

/** The order of a phase (contract §4): `--agent`, then the task's agent, then the phase's role, then the schedule. */
export function orderOfPhase(
  rules: Pick<Rules, "agent" | "roles">,
  phase: JobKind,
  {
    iteration,
    wanted,
    ...now
  }: Omit<AgentOrder, "named" | "turn"> & { iteration: number; wanted?: string | undefined },
): AgentOrder {
  const isTask = phase === "iteration";
  const named = [rules.agent, isTask ? wanted : undefined, rules.roles[phase]];
  return { ...now, named, turn: isTask ? iteration - 1 : 0 };
}

/**
 * Chooses an agent: one that is asked for by name, else the next of the schedule. L17: if the scheduled one is backing off, the
 * next takes over (`on_limit: switch`); the run waits for one that was asked for by name. `same`: no agent is left but `unlike`.
 * `open`: the user's module is still to choose.
 */
export function chooseAgent(
  rules: Omit<AgentRules, "roles">,
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

/** Everything that the choice for a stage depends on. */
export interface StageAgentOrder extends Pick<AgentOrder, "picked" | "dropped" | "backoffs" | "at"> {
  stage: Stage;
  progress: Pick<ProgressRow, "agents">;
  iteration: number;
  /** The task's own agent. */
  wanted: string | undefined;
  /** The agents there are; empty: not known. */
  known: readonly string[];
}

/** Chooses the agent of a stage: the one it names, the task's, or the schedule's; another than that of a stage before, where it asks for that. */
export function chooseStageAgent(
  rules: Pick<Rules, "agent" | "stage_agents" | "schedule" | "picks" | "on_limit">,
  { stage, progress, iteration, wanted, known, ...now }: StageAgentOrder,
): ReturnType<typeof chooseAgent> {
  const agentOf = (name: string | undefined): string | undefined =>
    name === undefined ? undefined : progress.agents?.[name];
  const own = "agent" in stage ? stage.agent : undefined;
  const found =
    own === undefined ? undefined : (rules.stage_agents?.[own] ?? (known.includes(own) ? own : undefined));
  // A session is resumed by the agent that it belongs to.
  const resumed = "session" in stage && stage.session !== "new" ? agentOf(stage.session) : undefined;
  const unlike = "not_agent_of" in stage ? agentOf(stage.not_agent_of) : undefined;
  const named = [rules.agent, resumed, found, wanted];
  return chooseAgent(rules, { ...now, named, turn: iteration - 1, unlike });
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
