// The sub-agents: the built-in ones, those of the settings, and the Markdown files of the project and the user; which tools each
// may call, and which agent makes a call. call-tool.ts makes the call, and delegate.ts starts sub-agents on a task of their own.
import { readModelName } from "../../../config/settings/model-names.js";
import { toToolPatterns } from "../../rules/tool-names.js";
import { loadDefinitions, readFrontMatter, type DefinitionPlace, type Loaded } from "../../definitions.js";

/** The main agent, which talks to the user. */
export const LOOPER = "looper";

/** The tool that starts a sub-agent on a task of its own. */
export const AGENT_TASK = "agent_task";

/** A type of sub-agents: its tools and its prompt. */
export interface TaskType {
  name: string;
  /**
   * `specialist`: a built-in agent that calls are routed to, which the model is not told about. `worker`: a built-in agent that only
   * works on tasks of its own; single calls are never routed to it. `own`: one of the settings, the project or the user.
   */
  kind: "specialist" | "worker" | "own";
  /** Shown to the model. */
  description: string;
  /** Canonical names of tools; `fs_*` means all that begin with `fs_`. */
  tools: readonly string[];
  prompt: string;
  /** `provider/model`; absent: the model of the conversation that starts it. */
  model?: string;
}

/** A sub-agent that calls are routed to, and the tools it may call. */
export type SubAgent = Pick<TaskType, "name" | "description" | "tools">;

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

const BUILT_IN = {
  explore: { kind: "worker", description: "Reads the project to answer a question.", tools: READING },
  plan: { kind: "worker", description: "Reads the project to plan a change.", tools: READING },
  code: {
    kind: "worker",
    description: "Makes a change to the code, and checks it.",
    tools: [...READING, "fs_*", "bash_*", "run_command", "npm_*", "notebook_*"],
  },
  test: {
    kind: "worker",
    description: "Runs tests, explains failures, writes missing ones.",
    tools: [...READING, "fs_*", "bash_*", "run_command", "npm_run"],
  },
  developer: {
    kind: "specialist",
    description: "Koda: reads, writes and mends code and its tests; its git history. Runs nothing.",
    tools: ["fs_*", "git_*"],
  },
  searcher: {
    kind: "specialist",
    description: "Scout: looks things up on the web and in the project's reference documents.",
    tools: ["web_*", "context_*"],
  },
  document_manager: {
    kind: "specialist",
    description: "Devo: shows, writes and sorts documents and files.",
    tools: ["fs_*"],
  },
  commander: {
    kind: "specialist",
    description: "Chapo-Ops: commands, running tests, git, hosts, processes, packages, deployments and logs.",
    tools: ["bash_*", "run_command", "ssh_*", "git_*", "github_*", "pm2_*", "npm_*", "logs_*"],
  },
} as const satisfies Readonly<Record<string, Omit<TaskType, "name" | "prompt">>>;

/** The agents that tools belong to if the model names none: the first that has the tool. One without is the looper's. */
const OWNERS = ["commander", "developer", "searcher"] as const;

/**
 * Creates the built-in types and those in the settings. An entry without tools keeps the tools of its type. `promptOf`: returns the
 * prompt of a type that has one of its own.
 */
export function createTypes(
  settings: Readonly<Record<string, { model?: string; tools?: readonly string[] }>> = {},
  promptOf: (type: string) => string | undefined = () => undefined,
): TaskType[] {
  const built = new Map<string, Omit<TaskType, "name" | "prompt">>(Object.entries(BUILT_IN));
  for (const [name, { model, tools }] of Object.entries(settings)) {
    const known = built.get(name) ?? {
      ...{ kind: "own", description: `The sub-agent ${name} of this project.`, tools: [] },
    };
    if (name !== LOOPER) built.set(name, { ...known, tools: tools ?? known.tools, model });
  }
  return [...built].map(([name, type]) => {
    const prompt = promptOf(name) ?? `You are ${name}. ${type.description}`;
    return { ...type, name, prompt };
  });
}

/** Returns the types that calls are routed to. */
export function listRouted(types: readonly TaskType[]): TaskType[] {
  return types.filter(({ kind }) => kind !== "worker");
}

/** Returns whether a tool is among those named; `fs_*` means all that begin with `fs_`. */
export function matchesTool(patterns: readonly string[], tool: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith("*") ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern,
  );
}

/** Returns the agent a tool belongs to by its name. */
export function getOwner(tool: string): string {
  return OWNERS.find((agent) => matchesTool(BUILT_IN[agent].tools, tool)) ?? LOOPER;
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
  const named = agents.find(({ name }) => name === said);
  if (named === undefined) {
    const known = [LOOPER, ...agents.map(({ name }) => name)].join(", ");
    return { problem: `agent: unknown agent ${JSON.stringify(said).slice(0, 80)}; available: ${known}` };
  }
  if (tool.startsWith("memory_")) return { agent: LOOPER };
  return { agent: owner === LOOPER && !matchesTool(named.tools, tool) ? LOOPER : named.name };
}

const NAME = /^[A-Za-z0-9][\w-]{0,63}$/;
/** Names that the engine uses for its own requests to a model. */
const TAKEN = new Set([LOOPER, "validation", "summary", "compaction"]);

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
    ...{ name, kind: "own" },
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
