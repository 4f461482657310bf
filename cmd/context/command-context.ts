// The process as a command sees it: no command touches the real one. looper.ts fills it in.
import type { Ending } from "../../src/logging/events/events.js";
import type { Backlog } from "../../src/todo/model/task.js";
import type { Person } from "../../src/todo/change/person-answers.js";
import type { RunRequest } from "../../src/loop/runs/run-request.js";
import type { RawTerminal } from "../../src/system/processes/raw-terminal.js";
import type { Diagnostics } from "../../src/ui/terminal/diagnostics.js";
import type { Output } from "../../src/ui/output.js";
import type { Stderr } from "./stderr.js";

export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface Choice {
  value: string;
  label: string;
  /** A few words beside the label. */
  hint?: string;
}

/** `stopped`: Ctrl-C, which the program takes like the signal. */
export type TypedLine = { line: string } | "closed" | "stopped" | "withdrawn";

/** `cwd`: the folder of `-C`, else the one the program was started in. `hangsUp`: also in CI. */
export interface CommandContext extends Pick<
  RunRequest,
  "ports" | "version" | "cwd" | "env" | "home" | "self" | "promptsFolder" | "workflowsFolder" | "hangsUp"
> {
  /** Node's own version, e.g. `20.19.0`. */
  nodeVersion: string;
  /** E.g. `linux x64`. */
  platform: string;
  node: string;
  /** The person who asks, if that is not the user at this command line. */
  person?: Person;
  /** Looks at the newest backlog before an edit of it, and throws where the edit is of another version. */
  precondition?: (backlog: Pick<Backlog, "tasks">) => void;
  out: Output;
  /** For the live line. Text written to it counts as a warning; other notes go through `report`. */
  err: Output;
  /** Writes a note to stderr, if its level is wanted. */
  report: Stderr["report"];
  log: Diagnostics;
  /** Writes commands to a GitHub workflow on stderr. Other text is never read as such a command. */
  writeWorkflowCommands(lines: readonly string[]): Promise<void>;
  stdin: {
    /** A person can answer; false in CI, as for `out` and `err`, and with TERM=dumb. */
    isTerminal: boolean;
    readAll(): Promise<string>;
    readBytes(): Promise<Uint8Array>;
    chunks(): AsyncIterable<Uint8Array>;
  };
  /** Yes or no; no when the person cancels. `closed`: the end of the input is a no, and cancels nothing. */
  confirm(question: string, lines: readonly string[], closed?: "no"): Promise<boolean>;
  /** Asks for one of the choices; the first is the default. `undefined` when the person cancels. */
  choose(question: string, choices: readonly Choice[]): Promise<string | undefined>;
  /** Asks for a line; `example` is shown while it is empty. */
  ask(question: string, example: string): Promise<string | undefined>;
  /** Asks for a line until it is typed, the input is closed, or `withdrawn` is aborted. */
  askLine(question: string, example: string, withdrawn: AbortSignal): Promise<TypedLine>;
  /** Takes the terminal key by key; stdin and stdout must be terminals. */
  openTerminal: () => Promise<RawTerminal>;
  /** Sets the listener for signals. When it returns false, the program exits at once. */
  onSignal(listener: (signal: Signal) => boolean): void;
  /** Remembers the log folder of the run in progress, for the report of an internal error. */
  noteLog(folder: string): void;
  /** Reserves stdout for the caller; everything else printed to it goes to stderr from now on. */
  claimStdout(): (text: string) => Promise<void>;
}

/** How a command ended; looper.ts derives the exit code. `no`: the command worked and the answer is no. */
export type CommandOutcome = "ok" | "no" | { ending: Ending; signal?: string } | { exitCode: number };
