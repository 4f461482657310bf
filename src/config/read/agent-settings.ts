// An agent's settings as an agent needs them: every value there, every path absolute, the names in
// TypeScript's way. Leaves which agent is asked to the loop, and what its kind makes of them to the agents
// floor.
import type { Price } from "./prices.js";
import { chapoSettings, type ChapoSettings } from "./chapo-settings.js";
import { renamed, type PathBase } from "./places.js";
import { type Settings } from "../settings/settings.js";
import { KINDS, type AgentKind, type Renamed } from "../settings/setting-row.js";

type Own = Settings["agents"][string];

/** An agent's settings, resolved: `binary` is a path or a name on PATH, the kind's own name where none is set. */
export interface AgentSettings extends Renamed<Omit<Own, "kind" | "timeout" | "idle_timeout" | "chapo">> {
  /** The name in the settings, `[a-z][a-z0-9-]*`. */
  name: string;
  kind: AgentKind;
  /** Of its model, where the settings' file of prices knows it. */
  price?: Price;
  /** 0 = none. */
  timeoutMs: number;
  idleTimeoutMs: number;
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
  const { timeout, idleTimeout, chapo, ...rest } = renamed(own, ["agents", "*"], place);
  return {
    ...rest,
    name,
    kind,
    timeoutMs: timeout,
    idleTimeoutMs: idleTimeout,
    // A name without a slash is looked up on PATH; anything else is a path.
    binary: own.binary?.includes("/") === false ? own.binary : rest.binary,
    chapo: kind === "chapo" ? chapoSettings(chapo, own.reasoning, settings, place) : undefined,
  };
}
