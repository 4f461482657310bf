import type { Project } from "../../config/project/open-project.js";
import type { Sealed } from "../../logging/events.js";
import type { Ports } from "../../system/ports.js";

/** What a run is asked for. */
export interface RunRequest {
  ports: Ports;
  project: Project;
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  home: string;
  version: string;
  /** How to start this program again, for agents hosted in a child. */
  self: { command: string; args: readonly string[] };
  promptsFolder: string;
  /** `--agent`. */
  agent?: string;
  /** `--task`. */
  only?: string;
  /** `--prompt`. */
  idea?: string;
  /** `--trust`, or CI. */
  trust: boolean;
  /** It is a release: `wanted` is patch, minor, major or a version; absent, the agent chooses. */
  release?: { wanted?: string };
  /** `-y`. */
  yes: boolean;
  /** Somebody is there to be asked. */
  terminal: boolean;
  /** stdout was a terminal at the start: a hangup ends the run, else `nohup` keeps its promise. */
  hangsUp: boolean;
  confirm?: (question: string, lines: readonly string[]) => Promise<boolean>;
  onEvent?: (event: Sealed) => void;
}
