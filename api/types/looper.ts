// The declarations of `import { run } from "looper"`. Copied into the package; only the module of the events is replaced.
import type { Sealed } from "../../src/logging/events/events.js";
import { UserError, type CommonOptions, type StopSignal } from "./shared.js";

/** A line of the run's log (docs/EVENTS.md). */
export type RunEvent = Sealed;

export { UserError };

export interface RunOptions extends CommonOptions {
  /** The task file, relative to `folder`. Default: the project's. */
  file?: string;
  /** Works only on this task and what it depends on. */
  task?: string;
  /** The agent of all phases. */
  agent?: string;
  /** The model of the agent. */
  model?: string;
  maxIterations?: number;
  maxAttempts?: number;
  /** In dollars. */
  maxCost?: number;
  maxTokens?: number;
  /** E.g. `"90m"`. */
  maxDuration?: string;
  /** Has an agent write the tasks first, from this text. */
  prompt?: string;
  /** Stages of workflows that are skipped. */
  skip?: readonly string[];
  /** Stages of workflows whose approval is given beforehand. */
  autoApprove?: readonly string[];
  /** Called with each line of the log after it was written, in order. */
  onEvent?: (event: RunEvent) => void;
  /** Aborted: the run stops like at Ctrl-C. */
  signal?: StopSignal;
}

export type RunEnding =
  | "complete"
  | "blocked"
  | "waiting"
  | "limit"
  | "budget"
  | "unusable-backlog"
  | "environment"
  | "interrupted";

export interface RunResult {
  ending: RunEnding;
  /** The exit code of `looper run`. */
  exitCode: number;
  /** The id of the run; absent if it was interrupted before it began. */
  run?: string;
  /** Absolute path of the run's log. */
  folder?: string;
  /** Details of the ending. */
  message?: string;
  /** The tasks of the task file at the end, as the run knows them. */
  tasks: readonly { id: string; status: string }[];
}

/** Runs the loop in a project until it ends, as `looper run` does. Prints nothing. Throws a `UserError` if it cannot start. */
export declare function run(options?: RunOptions): Promise<RunResult>;
