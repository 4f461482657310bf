// The table of the kinds of agents, and from settings to an agent.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { AUTO_ORDER, type AgentKind } from "../../config/settings/setting-row.js";
import { acp } from "../acp/acp.js";
import type { Agent } from "../agent.js";
import type { AgentDeps, Client } from "../client.js";
import { chapo } from "../hosted/chapo.js";
import { moduleAgent, scriptedAgent } from "../hosted/hosted.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import { command } from "./command.js";
import { gemini } from "./gemini.js";
import { opencode } from "./opencode.js";

/** Every kind. */
const CLIENTS: Readonly<Record<AgentKind, Client>> = {
  acp,
  chapo,
  claude,
  codex,
  command,
  gemini,
  module: moduleAgent,
  opencode,
  scripted: scriptedAgent,
};

/** The agent these settings describe. */
export function createAgent(settings: AgentSettings, deps: AgentDeps): Agent {
  return CLIENTS[settings.kind].create(settings, deps);
}

/** The facts on a kind that need no start of it. */
export function clientOf({ kind }: Pick<AgentSettings, "kind">): Omit<Client, "create"> {
  return CLIENTS[kind];
}

/** The actions of an agent beyond its permissions; `undefined` where they hold. */
export function exceededBy(
  settings: Pick<AgentSettings, "kind" | "permissions" | "chapo">,
): string | undefined {
  return settings.permissions === "full" ? undefined : CLIENTS[settings.kind].exceeds(settings);
}

type Payee = Pick<AgentSettings, "kind" | "output" | "chapo" | "price">;

/** Whether an agent can tell what tokens it used at all. */
export function canReportTokens(settings: Payee): boolean {
  return CLIENTS[settings.kind].reports(settings) !== "nothing";
}

/** Whether what an agent costs can be known at all: by its own word, or by the price of its model's tokens. */
export function mayKnowCost(settings: Payee): boolean {
  const reported = CLIENTS[settings.kind].reports(settings);
  return reported === "cost" || (reported === "tokens" && settings.price !== undefined);
}

/** The message and the hint when `auto` finds no agent. `known`: the agents of the settings; `auto` takes none that is the user's own. */
export function explainNoneFound(known: readonly string[]): { missing: string; hint: string } {
  const builtIn: readonly string[] = AUTO_ORDER;
  const own = known.filter((name) => !builtIn.includes(name));
  const missing = `none of ${builtIn.slice(0, -1).join(", ")} is on PATH, and no key is set for chapo`;
  const install =
    "npm install -g @anthropic-ai/claude-code, or npm install -g @openai/codex, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY";
  const [first] = own;
  if (first === undefined) return { missing, hint: install };
  const hint = `name your own: looper config set schedule.agent ${first}, or looper run --agent ${first}`;
  return {
    missing: `${missing}; of your own there ${own.length === 1 ? "is" : "are"} ${own.join(", ")}`,
    hint,
  };
}

/** The first of these agents that can be started; `undefined` when none can. */
export async function chooseAuto(
  candidates: readonly Agent[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<Agent | undefined> {
  for (const agent of candidates) {
    if ("found" in (await agent.find(env, cwd))) return agent;
  }
  return undefined;
}
