// From settings to an agent.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { never } from "../../system/never.js";
import type { Ports } from "../../system/ports.js";
import type { Agent } from "../agent.js";
import { acpAgent } from "../acp/acp.js";
import { chapoAgent } from "../hosted/chapo.js";
import { claudeAgent } from "./claude.js";
import { codexAgent } from "./codex.js";
import { commandAgent } from "./command.js";
import { geminiAgent } from "./gemini.js";
import { moduleAgent, scriptedAgent, type Self } from "../hosted/hosted.js";
import { opencodeAgent } from "./opencode.js";

/** The kinds `auto` looks for, the most wanted first; the last needs a key, and no program. */
export const AUTO_ORDER = ["claude", "codex", "gemini", "opencode", "chapo"] as const;

/** The agent these settings describe. `self`: how to start this program again, for kinds that are hosted in a child. */
export function createAgent(settings: AgentSettings, deps: { ports: Ports; self: Self }): Agent {
  switch (settings.kind) {
    case "codex":
      return codexAgent(settings, deps.ports);
    case "claude":
      return claudeAgent(settings, deps.ports);
    case "gemini":
      return geminiAgent(settings, deps.ports);
    case "opencode":
      return opencodeAgent(settings, deps.ports);
    case "acp":
      return acpAgent(settings, deps);
    case "command":
      return commandAgent(settings, deps.ports);
    case "module":
      return moduleAgent(settings, deps);
    case "scripted":
      return scriptedAgent(settings, deps);
    case "chapo":
      return chapoAgent(settings, deps);
    default:
      return never(settings.kind);
  }
}

/** The message and the hint when `auto` finds no agent. */
export const NONE_FOUND = {
  missing: `none of ${AUTO_ORDER.slice(0, -1).join(", ")} is on PATH, and no key is set for chapo`,
  hint: "npm install -g @anthropic-ai/claude-code, or npm install -g @openai/codex, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY",
} as const;

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
