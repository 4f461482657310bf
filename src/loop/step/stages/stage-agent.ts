// Chooses the agent of a stage: the one it names, the task's, or the schedule's; another than that of a stage before, where the
// stage asks for it. Pure. schedule.ts chooses the agents of everything else.
import type { Rules } from "../../../logging/rules.js";
import type { ProgressRow } from "../../../workflow/progress.js";
import type { Stage } from "../../../workflow/workflow.js";
import { findBackoffEnd, type Backoffs } from "../schedule/backoff.js";
import type { AgentChoice } from "../schedule/schedule.js";

/** Everything that the choice depends on. */
export interface StageAgentOrder {
  stage: Stage;
  progress: Pick<ProgressRow, "agents">;
  iteration: number;
  dropped: ReadonlySet<string>;
  backoffs: Backoffs;
  /** Epoch ms. */
  at: number;
  /** The task's own agent. */
  wanted: string | undefined;
  /** The agents there are; empty: not known. */
  known: readonly string[];
}

/** The agent, or the one to wait for. `same`: no agent is left but the one that the stage wants another than. */
export type StageAgentChoice = { choice: AgentChoice; same?: string };

type AgentRules = Pick<Rules, "agent" | "stage_agents" | "schedule" | "on_limit">;

/** Chooses the agent of a stage. L12: agents that could not be used are left out. L17: so are those that are backing off. */
export function chooseStageAgent(rules: AgentRules, order: StageAgentOrder): StageAgentChoice {
  const { stage, progress, dropped } = order;
  const excluded =
    "not_agent_of" in stage && stage.not_agent_of !== undefined
      ? progress.agents?.[stage.not_agent_of]
      : undefined;
  const named = listNamed(rules, order).filter((name) => !dropped.has(name));
  const rotated = rotate(rules.schedule, order.iteration - 1).filter((name) => !dropped.has(name));
  const all = [...named, ...rotated];
  const others = all.filter((name) => name !== excluded);
  const usable = rules.agent !== undefined || others.length === 0 ? all : others;
  const same = excluded !== undefined && usable[0] === excluded ? { same: excluded } : {};
  return { choice: pick(rules, order, { usable, named }), ...same };
}

/** The agents that are asked for by name, the first one first. */
function listNamed(rules: AgentRules, { stage, progress, wanted, known }: StageAgentOrder): string[] {
  const name = "agent" in stage ? stage.agent : undefined;
  const resolved =
    name === undefined
      ? undefined
      : (rules.stage_agents?.[name] ?? (known.includes(name) ? name : undefined));
  // A session is resumed by the agent that it belongs to.
  const session = "session" in stage && stage.session !== "new" ? stage.session : undefined;
  const resumed = session === undefined ? undefined : progress.agents?.[session];
  return [rules.agent, resumed, resolved, wanted].flatMap((one) => one ?? []);
}

function rotate(schedule: readonly string[], by: number): string[] {
  const start = schedule.length === 0 ? 0 : by % schedule.length;
  return [...schedule.slice(start), ...schedule.slice(0, start)];
}

/** The run waits for an agent that was asked for by name; another of the schedule takes over for any other. */
function pick(
  { on_limit }: AgentRules,
  { backoffs, at }: StageAgentOrder,
  { usable, named }: { usable: readonly string[]; named: readonly string[] },
): AgentChoice {
  const [first] = usable;
  if (first === undefined) return undefined;
  const until = findBackoffEnd(backoffs, first, at);
  if (until === undefined) return { agent: first };
  if (on_limit === "wait" || named.includes(first)) return { waitsFor: first, until };
  let soonest = { waitsFor: first, until };
  for (const name of usable.slice(1)) {
    const end = findBackoffEnd(backoffs, name, at);
    if (end === undefined) return { agent: name };
    if (end < soonest.until) soonest = { waitsFor: name, until: end };
  }
  return soonest;
}
