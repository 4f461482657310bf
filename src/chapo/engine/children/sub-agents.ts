// The sub-agents: the built-in ones, those of the settings, and the Markdown files of the project and the user; which tools each
// may call, and which agent makes a call. call-tool.ts makes the call, and delegate.ts starts sub-agents on a task of their own.
import type { SubAgent } from "../world.js";
import { readModelName } from "../../../config/settings/model-names.js";
import { toToolPatterns } from "../../rules/tool-names.js";
import { loadDefinitions, readFrontMatter, type DefinitionPlace, type Loaded } from "../../definitions.js";

/** The main agent, which talks to the user. */
export const LOOPER = "looper";

/** The tool that starts a sub-agent on a task of its own. */
export const AGENT_TASK = "agent_task";

interface Profile {
  description: string;
  tools: readonly string[];
}

const PROFILES = {
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
} as const satisfies Readonly<Record<string, Profile>>;

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
const WORKERS: Readonly<Record<string, Profile>> = {
  explore: { description: "Reads the project to answer a question.", tools: READING },
  plan: { description: "Reads the project to plan a change.", tools: READING },
  code: {
    description: "Makes a change to the code, and checks it.",
    tools: [...READING, "fs_*", "bash_*", "run_command", "npm_*", "notebook_*"],
  },
  test: {
    description: "Runs tests, explains failures, writes missing ones.",
    tools: [...READING, "fs_*", "bash_*", "run_command", "npm_run"],
  },
};

/** The agents that tools belong to if the model names none: the first that has the tool. One without is the looper's. */
const OWNERS = ["commander", "developer", "searcher"] as const;

/** Creates the four built-in sub-agents and those in the settings. An entry without tools keeps the tools of its type. */
export function createSubAgents(
  settings: Readonly<Record<string, { tools?: readonly string[] }>> = {},
): SubAgent[] {
  const profiles = new Map<string, Profile>(Object.entries(PROFILES));
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

/** Returns whether a tool is among those named; `fs_*` means all that begin with `fs_`. */
export function matchesTool(patterns: readonly string[], tool: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith("*") ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern,
  );
}

/** Returns the agent a tool belongs to by its name. */
export function getOwner(tool: string): string {
  return OWNERS.find((agent) => matchesTool(PROFILES[agent].tools, tool)) ?? LOOPER;
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
    return { problem: `agent: unknown agent ${JSON.stringify(said).slice(0, 80)}; available: ${known}` };
  }
  if (tool.startsWith("memory_")) return { agent: LOOPER };
  return { agent: owner === LOOPER && !matchesTool(named.tools, tool) ? LOOPER : named.type };
}

const NAME = /^[A-Za-z0-9][\w-]{0,63}$/;
/** Names that the engine uses for its own requests to a model. */
const TAKEN = new Set([LOOPER, "validation", "summary", "compaction"]);

/** A type of sub-agents: its tools and its prompt. */
export interface TaskType {
  name: string;
  /** Shown to the model. */
  description: string;
  /** Canonical names of tools; `fs_*` means all that begin with `fs_`. */
  tools: readonly string[];
  prompt: string;
  /** Whether the model is told about it; false for the built-in agents that calls are routed to. */
  listed?: false;
  /** `provider/model`; absent: the model of the conversation that starts it. */
  model?: string;
}

/** The sources of the types. */
interface TaskTypeParts {
  agents: readonly SubAgent[];
  /** Returns the prompt of a type that is built in or named in the settings. */
  promptOf: (type: string) => string | undefined;
  /** The settings by type. */
  settings: Readonly<Record<string, { model?: string; tools?: readonly string[] }>>;
  /** The project's and the user's types, which replace built-in types of the same name. */
  own: readonly TaskType[];
}

/** Returns all types by name. */
export function collectTaskTypes(parts: TaskTypeParts): ReadonlyMap<string, TaskType> {
  const { agents, promptOf, settings, own } = parts;
  const built = [
    ...Object.entries(WORKERS).map(([name, worker]) => ({ name, ...worker })),
    ...agents.map(({ type, description, tools }) => ({
      ...{ name: type, description, tools },
      ...(Object.hasOwn(PROFILES, type) ? { listed: false as const } : {}),
    })),
  ].map((type): TaskType => {
    const set = Object.hasOwn(settings, type.name) ? settings[type.name] : undefined;
    return {
      ...type,
      tools: set?.tools ?? type.tools,
      prompt: promptOf(type.name) ?? `You are ${type.name}. ${type.description}`,
      ...(set?.model === undefined ? {} : { model: set.model }),
    };
  });
  return new Map([...built, ...own].map((type) => [type.name, type]));
}

/** Reads the types of the project and of the user. */
export async function readTaskTypes(place: DefinitionPlace): Promise<Loaded<TaskType>> {
  return loadDefinitions(place, { kind: "agents", read: readType, nameOf: ({ name }) => name });
}

/** Returns the type, or a problem. `warn` gets what is left out of the type. */
function readType(text: string, fileName: string, warn: (problem: string) => void): TaskType | string {
  const parts = readFrontMatter(text);
  if ("problem" in parts) return parts.problem;
  const { fields, body } = parts;
  const name = fields.get("name") ?? fileName;
  if (typeof name !== "string" || !NAME.test(name))
    return "name: must be letters, digits, dashes and underscores, at most 64";
  if (TAKEN.has(name)) return `name: ${name} is reserved for the engine`;
  const description = fields.get("description") ?? `The sub-agent ${name} of this project.`;
  if (typeof description !== "string") return "description: must be a text";
  const tools = readTools(fields.get("tools"));
  if (tools === undefined) return "tools: must be a list of names, or a text with commas between them";
  const model = fields.get("model") ?? "inherit";
  if (typeof model !== "string") return 'model: must be provider/model, or "inherit"';
  if (body.trim() === "") return "is empty: the text below the front matter is the sub-agent's prompt";
  const isModel = model !== "inherit" && !("problem" in readModelName(model));
  if (model !== "inherit" && !isModel)
    warn(`model: unknown model ${JSON.stringify(model)}; the session's model is used`);
  return {
    name,
    description: description.trim().slice(0, 2000),
    tools: tools.flatMap((tool) => {
      const patterns = toToolPatterns(tool);
      if (patterns.length === 0) warn(`tools: unknown tool ${JSON.stringify(tool)}; it is left out`);
      return patterns;
    }),
    prompt: body.trim(),
    ...(isModel ? { model } : {}),
  };
}

/** Reads a list of tools; a missing one means all tools. */
function readTools(said: unknown): string[] | undefined {
  if (said === undefined || said === null) return ["*"];
  const list: unknown = typeof said === "string" ? said.split(",") : said;
  if (!Array.isArray(list)) return undefined;
  const names = list.filter((one): one is string => typeof one === "string").map((one) => one.trim());
  return names.length === list.length ? names.filter((one) => one !== "") : undefined;
}
