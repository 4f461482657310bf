// Chooses the agent of a stage: the one it names, the task's, or the schedule's; another than that of a stage before, where the
// stage asks for it. Pure. schedule.ts makes the choice.
import type { Rules } from "../../../logging/rules.js";
import type { ProgressRow } from "../../../workflow/progress.js";
import type { Stage } from "../../../workflow/workflow.js";
import { chooseAgent, type AgentOrder } from "../schedule/schedule.js";

/** Everything that the choice depends on. */
export interface StageAgentOrder extends Pick<AgentOrder, "picked" | "dropped" | "backoffs" | "at"> {
  stage: Stage;
  progress: Pick<ProgressRow, "agents">;
  iteration: number;
  /** The task's own agent. */
  wanted: string | undefined;
  /** The agents there are; empty: not known. */
  known: readonly string[];
}

type AgentRules = Pick<Rules, "agent" | "stage_agents" | "schedule" | "picks" | "on_limit">;

/** Chooses the agent of a stage. */
export function chooseStageAgent(
  rules: AgentRules,
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
