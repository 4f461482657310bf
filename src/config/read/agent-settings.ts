// An agent's settings as an agent needs them: every value there, every path absolute.
// Leaves which agent is asked to the loop, and what its kind makes of them to the agents floor.
import type { Contain } from "../../system/ports.js";
import type { Price } from "./prices.js";
import { chapoSettings, type ChapoSettings } from "./chapo-settings.js";
import { resolvePath, type PathBase } from "./places.js";
import { KINDS, type AgentKind, type Permissions, type Settings } from "../settings/settings.js";

/** An agent's settings, resolved: every value is there. */
export interface AgentSettings {
  /** The name in the settings, `[a-z][a-z0-9-]*`. */
  name: string;
  kind: AgentKind;
  /** A path or a name on PATH; the kind's own name where none is set. */
  binary?: string;
  model?: string;
  reasoning?: string;
  /** Of its model, where the settings' file of prices knows it. */
  price?: Price;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Globs; when set, only matching variables are inherited (PATH and HOME always are). */
  passEnv?: readonly string[];
  /** Absolute. */
  workDir?: string;
  /** Absolute path where the final message is also written. */
  lastMessage?: string;
  /** 0 = none. */
  timeoutMs: number;
  idleTimeoutMs: number;
  /** Of an attempt; 0 = any number. */
  maxEvents: number;
  /** Bytes of stdout and stderr; 0 = any amount. */
  maxOutput: number;
  /** Of an attempt, where the CLI has a flag for it; 0 = any number. */
  maxTurns: number;
  contain: Contain;
  permissions: Permissions;
  /** Whether commands in the agent's own sandbox reach the network. */
  network: boolean;
  promptVia: "stdin" | "arg" | "file";
  output: "text" | "jsonl";
  /** kind `module`: absolute path of the file whose default export is a `ModuleAgent`. */
  module?: string;
  /** kind `scripted`: absolute path of the file of steps. */
  script?: string;
  /** kind `chapo`: all there is to know of the engine. */
  chapo?: ChapoSettings;
}

/** The kind of an agent whose settings do not say: its name, where that is a kind. */
export function kindOfName(name: string): AgentKind | undefined {
  return KINDS.find((kind) => kind === name);
}

/** Every name an agent can be called by: the built-in ones and those of the settings. */
export function knownAgents(settings: Settings): string[] {
  return Object.keys(settings.agents);
}

/**
 * The settings of one agent. Throws (a bug) on a name the settings do not know: `resolveSettings` checked those they
 * mention, and a name from elsewhere is held against `knownAgents` first.
 */
export function agentSettings(
  settings: Settings,
  name: string,
  place: Pick<PathBase, "project" | "home">,
): AgentSettings {
  const own = Object.hasOwn(settings.agents, name) ? settings.agents[name] : undefined;
  const kind = own?.kind ?? kindOfName(name);
  if (own === undefined || kind === undefined) throw new Error(`no agent is called ${JSON.stringify(name)}`);
  const agent: AgentSettings = {
    name,
    kind,
    args: own.args,
    env: own.env,
    timeoutMs: own.timeout,
    idleTimeoutMs: own.idle_timeout,
    maxEvents: own.max_events,
    maxOutput: own.max_output,
    maxTurns: own.max_turns,
    contain: own.contain,
    permissions: own.permissions,
    network: own.network,
    promptVia: own.prompt_via,
    output: own.output,
  };
  if (own.binary !== undefined) agent.binary = resolveBinary(own.binary, place);
  if (own.model !== undefined) agent.model = own.model;
  if (own.reasoning !== undefined) agent.reasoning = own.reasoning;
  if (own.pass_env !== undefined) agent.passEnv = own.pass_env;
  if (own.work_dir !== undefined) agent.workDir = resolvePath(own.work_dir, place);
  if (own.last_message !== undefined) agent.lastMessage = resolvePath(own.last_message, place);
  if (own.module !== undefined) agent.module = resolvePath(own.module, place);
  if (own.script !== undefined) agent.script = resolvePath(own.script, place);
  if (kind === "chapo") agent.chapo = chapoSettings(own, settings, place);
  return agent;
}

/** A name without a slash is looked up on PATH; anything else is a path. */
function resolveBinary(spelled: string, place: Pick<PathBase, "project" | "home">): string {
  return spelled.includes("/") ? resolvePath(spelled, place) : spelled;
}
