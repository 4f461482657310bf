// A kind of agent: how its process is found, called, understood and stopped, and the facts on it that need no start. Leaves the table of
// all kinds to clients/registry.ts, and running them to process/process-agent.ts.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import type { Ports } from "../../system/ports.js";
import type { Agent, AgentRequest } from "../agent.js";
import type { Reader } from "../limits/reader.js";

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

/** An agent of the settings, and what it may use. */
export interface Engine extends AgentDeps {
  settings: AgentSettings;
}

/** Whether an agent can be started: the binary's absolute path, or why not and what to do. */
export type FoundProgram = Awaited<ReturnType<Agent["find"]>>;

/** How a process is called for one request. */
export interface Call {
  command: string;
  args: readonly string[];
  /** On top of the request's. */
  env?: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed; without it stdin is empty. */
  input?: string;
}

/** The signal a kind stops cleanly on; what is still there 5 s later is killed. */
export interface CleanStop {
  signal: "SIGINT" | "SIGTERM";
  target: "process" | "group";
}

/** Where a program is looked for. */
export interface Place {
  env: Readonly<Record<string, string>>;
  cwd: string;
}

export interface Client {
  find(engine: Engine, place: Place): Promise<FoundProgram>;
  /** `program` is what `find` found. `refused`: why it cannot be called so. */
  call(
    request: AgentRequest,
    program: string,
    engine: Engine,
  ): Call | { refused: string } | Promise<Call | { refused: string }>;
  cleanStop: CleanStop;
  reader(request: AgentRequest, settings: AgentSettings): Reader<unknown>;
  /** Its client's messages on stderr are known. `exitIsStatus`: it exits with the HTTP status modulo 256. */
  client?: { exitIsStatus: boolean };
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
