// The sub-agents: which tools each may call, and which agent makes a call. Pure. call-tool.ts makes the call, and delegate.ts
// starts sub-agents that work on a task of their own.
import type { SubAgent } from "../world.js";

/** The main agent, which talks to the user. */
export const LOOPER = "looper";

/** The tool that starts a sub-agent on a task of its own. */
export const AGENT_TASK = "agent_task";

interface Profile {
  description: string;
  tools: readonly string[];
}

const PROFILES: Readonly<Record<string, Profile>> = {
  developer: {
    description: "Koda: reads, writes and mends code and its tests; its git history. Runs nothing.",
    tools: ["fs_*", "git_*"],
  },
  searcher: {
    description: "Scout: looks things up on the web and in the project's reference documents.",
    tools: ["web_*", "context_*"],
  },
  document_manager: {
    description: "Devo: shows, writes and sorts documents and files.",
    tools: ["fs_*"],
  },
  commander: {
    description: "Chapo-Ops: commands, running tests, git, hosts, processes, packages, deployments and logs.",
    tools: ["bash_*", "run_command", "ssh_*", "git_*", "github_*", "pm2_*", "npm_*", "logs_*"],
  },
};

const READING = [
  "fs_listFiles",
  "fs_readFile",
  "fs_glob",
  "fs_grep",
  "git_status",
  "git_diff",
  "notebook_read",
  "context_*",
];

/** The sub-agents that only work on tasks of their own. Single calls are never routed to them. */
export const WORKERS: Readonly<Record<string, Profile>> = {
  explore: { description: "Reads the project to answer one question. Changes nothing.", tools: READING },
  plan: { description: "Reads the project and makes a plan for a change. Changes nothing.", tools: READING },
  code: {
    description: "Makes one well described change to the code, and checks it.",
    tools: [...READING, "fs_*", "bash_*", "run_command", "npm_*", "notebook_*"],
  },
  test: {
    description: "Runs tests, finds out why they fail, writes missing ones.",
    tools: [...READING, "fs_*", "bash_*", "run_command", "npm_run"],
  },
};

/** The agent a tool belongs to if the model names none: the first match counts. A tool without a match belongs to the looper. */
const OWNERS: readonly (readonly [pattern: string, agent: string])[] = [
  ["memory_*", LOOPER],
  ["fs_*", "developer"],
  ["bash_*", "commander"],
  ["run_command", "commander"],
  ["git_*", "commander"],
  ["ssh_*", "commander"],
  ["github_*", "commander"],
  ["pm2_*", "commander"],
  ["npm_*", "commander"],
  ["logs_*", "commander"],
  ["web_*", "searcher"],
  ["context_*", "searcher"],
];

/** Creates the four built-in sub-agents and those in the settings. An entry without tools keeps the tools of its type. */
export function createSubAgents(
  settings: Readonly<Record<string, { tools?: readonly string[] }>> = {},
): SubAgent[] {
  const profiles = new Map(Object.entries(PROFILES));
  for (const [type, { tools }] of Object.entries(settings)) {
    const known = profiles.get(type);
    if (Object.hasOwn(WORKERS, type) || type === LOOPER) continue;
    profiles.set(type, {
      description: known?.description ?? `The sub-agent ${type} of this project.`,
      tools: tools ?? known?.tools ?? [],
    });
  }
  return [...profiles].map(([type, profile]) => ({ type, ...profile }));
}

/** Returns whether an agent is one of the four built-in ones that calls are routed to. */
export function isRouted(type: string): boolean {
  return Object.hasOwn(PROFILES, type);
}

/** Returns whether a tool is among those named; `fs_*` means all that begin with `fs_`. */
export function matchesTool(patterns: readonly string[], tool: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith("*") ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern,
  );
}

/** Returns the agent a tool belongs to by its name. */
export function getOwner(tool: string): string {
  return OWNERS.find(([pattern]) => matchesTool([pattern], tool))?.[1] ?? LOOPER;
}

/**
 * Returns the agent that makes a call: the one the model names, otherwise the tool's owner. Memory tools always belong to the
 * looper, and so do tools without another owner, unless the named agent has them.
 */
export function routeCall(
  agents: readonly SubAgent[],
  tool: string,
  said: unknown,
): { agent: string } | { problem: string } {
  const owner = getOwner(tool);
  if (said === undefined || said === null || said === "" || said === LOOPER) return { agent: owner };
  const named = agents.find(({ type }) => type === said);
  if (named === undefined) {
    const known = [LOOPER, ...agents.map(({ type }) => type)].join(", ");
    return {
      problem: `agent: unknown agent ${JSON.stringify(said).slice(0, 80)}; available: ${known}`,
    };
  }
  if (tool.startsWith("memory_")) return { agent: LOOPER };
  return { agent: owner === LOOPER && !matchesTool(named.tools, tool) ? LOOPER : named.type };
}
