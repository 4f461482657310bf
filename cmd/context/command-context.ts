// What a command knows of the process it runs in, so that none touches the process itself: looper.ts fills it in.
import type { Flags } from "../../src/config/read/resolve.js";
import { agentNameIn } from "../../src/config/table/agent-name.js";
import type { Ending } from "../../src/logging/events.js";
import type { Ports } from "../../src/system/ports.js";
import type { Diagnostics } from "../../src/ui/terminal/diagnostics.js";
import type { Output } from "../../src/ui/output.js";
import type { Voice } from "./stderr.js";

export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** One answer a question offers. */
export interface Choice {
  /** What is answered. */
  value: string;
  /** What a person reads. */
  label: string;
  /** What there is to say of it, in a few words. */
  hint?: string;
}

export interface Shell {
  ports: Ports;
  version: string;
  /** Node's own version, e.g. `20.19.0`. */
  nodeVersion: string;
  /** E.g. `linux x64`. */
  platform: string;
  /** Absolute path of node. */
  node: string;
  /** Absolute; where the program was started, or what `-C` says. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Absolute. */
  home: string;
  /** How to start this program again. */
  self: { command: string; args: readonly string[] };
  /** Absolute path of the bundled templates. */
  promptsFolder: string;
  out: Output;
  /** What a live line is drawn on. What is written to it as words counts as a warning: others go through `say`. */
  err: Output;
  /** Says something on stderr, if its level is wanted. */
  say: Voice["say"];
  /** What is wanted on stderr. */
  log: Diagnostics;
  /** Writes lines to stderr as they are: commands to a GitHub workflow, which nothing else that is written can hold. */
  tellWorkflow(lines: readonly string[]): Promise<void>;
  /** stdout was a terminal at the start, also where nobody watches it. */
  hangsUp: boolean;
  stdin: {
    /** Somebody is there to be asked; as for `out` and `err`, nobody in CI. */
    isTerminal: boolean;
    /** All of it, to its end. */
    readAll(): Promise<string>;
    readBytes(): Promise<Uint8Array>;
  };
  /** Asks a person; no when they turn away from the question. */
  confirm(question: string, lines: readonly string[]): Promise<boolean>;
  /** Asks a person which one; the first is what they get by saying nothing. `undefined` when they turn away from the question. */
  choose(question: string, choices: readonly Choice[]): Promise<string | undefined>;
  /** Asks a person which ones, or none; the first is chosen unless they take it away. */
  chooseSome(question: string, choices: readonly Choice[]): Promise<readonly string[] | undefined>;
  /** Asks a person for a line; `example`: shown while there is nothing in it. */
  ask(question: string, example: string): Promise<string | undefined>;
  /** Who hears of signals from now on. A listener that answers no leaves the program to end at once. */
  onSignal(listener: (signal: Signal) => boolean): void;
  /** Where the log of the run that goes on lies, for whoever reports a bug. */
  noteLog(folder: string): void;
  /** Takes the real stdout for the caller alone: whatever else prints on it goes to stderr from now on. */
  claimStdout(): (text: string) => Promise<void>;
}

/** How a command ended; looper.ts makes the exit code of it. `no`: it worked, and the answer is no. */
export type CommandEnd = "ok" | "no" | { ending: Ending; signal?: string } | { exitCode: number };

/** A command line, read: operands in order, flags by their long name (`--json`, `-C` where there is no long one). */
export interface Typed {
  operands: readonly string[];
  flags: Flags;
}

/** A command: reads, decides, prints. */
export type Command = (shell: Shell, typed: Typed) => Promise<CommandEnd>;

/** The value of a flag that takes one; `undefined` when it was not given. */
export function textFlag(typed: Typed, flag: string): string | undefined {
  const value = typed.flags[flag];
  return typeof value === "string" ? value : undefined;
}

/** The agent that `--agent` names, as agents are called. */
export function agentFlag(typed: Typed): string | undefined {
  const name = textFlag(typed, "--agent");
  return name === undefined ? undefined : agentNameIn(name);
}

/** Whether a flag without a value was given. */
export function hasFlag(typed: Typed, flag: string): boolean {
  return typed.flags[flag] === true;
}

/** The values of a flag that may be given several times. */
export function listFlag(typed: Typed, flag: string): readonly string[] {
  const value = typed.flags[flag];
  return typeof value === "object" ? value : [];
}
