// A kind of agent: how it is made, and the facts on it that need no start. Leaves the table of all kinds to clients/registry.ts.
import type { AgentSettings } from "../config/read/agent-settings.js";
import type { Ports } from "../system/ports.js";
import type { Agent } from "./agent.js";

/** How to start this program again: e.g. node's path, and the path of the entry. */
export interface Self {
  command: string;
  args: readonly string[];
}

export interface AgentDeps {
  ports: Ports;
  /** For kinds that are hosted in a child. */
  self: Self;
}

export interface Client {
  create(settings: AgentSettings, deps: AgentDeps): Agent;
  /**
   * The actions that its settings do not permit and it can take all the same, as the kinds were measured; `undefined` where the level holds.
   * `full` permits all, and is not asked.
   */
  exceeds(facts: Pick<AgentSettings, "permissions" | "chapo">): string | undefined;
  /** Its report of its use: the cost, the tokens alone (then a price makes dollars of them), or nothing. */
  reports(facts: Pick<AgentSettings, "output" | "chapo">): "cost" | "tokens" | "nothing";
  /** How its program is asked about itself, at no cost. */
  about?: {
    version: readonly string[];
    signedIn?: {
      args: readonly string[];
      /** `undefined`: not known. */
      read: (stdout: string, exitCode: number) => boolean | undefined;
      /** How a person signs in. */
      how: string;
    };
  };
}
