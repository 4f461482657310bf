// The contract of an agent: what it is given, what it may say while it works, how it ends.
// Leaves how each kind is called to its own file, and what becomes of its summary to the loop.
import { z } from "zod";
import type { AgentSettings } from "../config/read/agent-settings.js";
import type { Permissions } from "../workflow/words.js";
import type { StageAgentReport } from "../todo/model/summary.js";

export type Phase = "bootstrap" | "repair" | "iteration" | "review" | "push";

/** The stage of a workflow that an agent works in, and how it reports there. */
export interface StageRequest {
  name: string;
  /** The number of stages that the task entered. */
  visit: number;
  /** How often it entered this one. */
  round: number;
  /** The outcomes that the agent can report. */
  outcomes: readonly string[];
  /** The JSON schema of the report. */
  schema: Readonly<Record<string, unknown>>;
  /** The same for schema flags, which demand every key and allow no other; absent where it cannot be written so. */
  strict?: Readonly<Record<string, unknown>>;
}

/** A request to an agent. */
export interface AgentRequest {
  phase: Phase;
  /** In a workflow. */
  stage?: StageRequest;
  /** The task at hand; absent in all other phases. */
  taskId?: string;
  iteration: number;
  /** From 1. */
  attempt: number;
  prompt: string;
  /** Absolute path of a file with the prompt in it. */
  promptFile: string;
  /** Absolute; exists. */
  cwd: string;
  /** The whole environment, run variables included. */
  env: Readonly<Record<string, string>>;
  permissions: Permissions;
  /** The session to resume, from an earlier result of this agent; absent: begin a new one. */
  resume?: Session;
  /** Absolute path of the folder for sessions that a later run can resume; absent: they end with the step. */
  sessionsFolder?: string;
  /** The task's row: messages of a person after the first `after` came too late for the prompt. */
  row?: { file: string; after: number };
  /** The person's decision on the call that the resumed session waits for. */
  answered?: AnsweredCall;
  /** The budgets that are left; an agent that exceeds one is stopped. */
  budgets?: readonly Budget[];
  /** Absolute paths of files and folders that it must not see, where its containment can hide them. */
  hide?: readonly string[];
}

/** A call that a person must allow first. The agent ended its turn for it, and its session can be resumed with the answer. */
export const WaitingCall = z.object({
  /** In the agent's session. */
  id: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  /** The command, or the call in one line. */
  command: z.string(),
  /** Its effect: a diff, or the text that it writes. */
  preview: z.exactOptional(z.string()),
  /** The paths that it would write, relative to the project. */
  paths: z.exactOptional(z.array(z.string())),
});
export type WaitingCall = z.infer<typeof WaitingCall>;

/** The decision of a person on a call. It is given again to an attempt that was killed: the session knows whether the call ran. */
export const AnsweredCall = z.object({
  /** The session that made the call. */
  session: z.string(),
  id: z.string(),
  tool: z.string(),
  /** `edit`: allowed with these arguments, which the person changed. */
  outcome: z.enum(["approve", "reject", "edit"]),
  /** As they were allowed. */
  arguments: z.exactOptional(z.record(z.string(), z.unknown())),
  comment: z.exactOptional(z.string()),
  by: z.string(),
  via: z.string(),
  at: z.string(),
});
export type AnsweredCall = z.infer<typeof AnsweredCall>;

/** A budget, and how much of it was gone when the attempt began: tokens, dollars, milliseconds. */
export interface Budget {
  of: "run" | "task";
  /** The setting it comes from. */
  key: string;
  unit: "tokens" | "usd" | "ms";
  most: number;
  spent: number;
}

/** A session of an agent's, as its CLI knows it. */
export interface Session {
  id: string;
  /** The usage by the CLI's own count, which continues when the session is resumed. */
  used?: Used;
}

/** Tokens and dollars, counted alike for all kinds. */
export interface Used {
  /** Without what came from the cache. */
  input_tokens: number;
  /** With what was thought. */
  output_tokens: number;
  cached_input_tokens?: number;
  /** Absent when not reported. */
  cost_usd?: number;
}

/** An event of a working agent (contract §6, *the agent's own lines*). Texts over 64 KiB are cut, with a mark. */
export type AgentEvent =
  | { type: "message"; role: "assistant" | "user" | "system" | "reasoning"; content: string; parent?: string }
  | { type: "tool_use"; name: string; input: unknown; id?: string; parent?: string }
  | { type: "tool_result"; id?: string; output: string; is_error: boolean; parent?: string }
  | { type: "command"; command: string; exit_code?: number; duration_ms?: number; parent?: string }
  | { type: "error"; error: string; reason?: string }
  | ({ type: "usage" } & Used);

/** Contract §4: why an attempt failed. */
export const FAILURE_REASONS = [
  "not-found",
  "not-signed-in",
  "no-credit",
  "exited",
  "killed",
  "timed-out",
  "idle",
  "events",
  "output",
  "no-summary",
  "bad-summary",
  "rate-limited",
  "overloaded",
  "network",
  "turns",
  "budget",
  "context-full",
  "incomplete",
  "bad-request",
  "model-unknown",
  "moved-head",
  "commit-failed",
  "interrupted",
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

interface EndFacts {
  exitCode?: number;
  signal?: string;
  /** The final message, whole up to 1 MiB (the end of it is kept). */
  lastMessage: string;
  /** Lines of output of a kind this version does not know. */
  unknownEvents: number;
  /** The budget that it was stopped for, if any. */
  stoppedFor?: Budget["of"];
  /** The session that a later request can resume. */
  session?: Session;
  /** The call that it ended its turn for. Only with a session. */
  waitingCall?: WaitingCall;
}

/** The report in the final message: a valid summary, an invalid one, or none. `instead`: counts if it is not corrected. */
export type FoundReport =
  | { found: StageAgentReport }
  | { invalid: string; instead?: StageAgentReport }
  | { missing: string };

/** How an agent ended. Whether a report was needed at all is the loop's to say. */
export type AgentResult =
  | (EndFacts & { outcome: "ok"; report: FoundReport })
  | (EndFacts & {
      outcome: "failed";
      reason: FailureReason;
      /** One line a user understands: what was seen. */
      evidence: string;
      /** Epoch ms from when it can be asked again, where it said so. */
      retryAt?: number;
    });

/** The functions that an agent may use while it works. */
export interface AgentContext {
  /** Takes secrets out of a text: done to events, evidence and stderr before they are cut, and to output; not to the final message. */
  redact(text: string): string;
  /** Called in order. */
  onEvent(event: AgentEvent): void;
  /** Whole lines of stdout, each with its line end, before they are understood. */
  onOutput(lines: Uint8Array): void;
  /**
   * Called after what came together was told, so that it can be written together, and again once that is done and more was
   * told: meanwhile the agent is heard on, and held back only where too much waits.
   */
  onPause(): Promise<void>;
  /** Whole lines of stderr, each with its line end. */
  onStderr(text: string): void | Promise<void>;
  onStart(facts: { pid: number; command: string }): void | Promise<void>;
  /** Called once, as soon as its output names the session. */
  onSession?(id: string): void;
  /** Aborted to end the agent: `reason` "now" stops it as its kind stops cleanly, 5 s, then SIGKILL; "kill" at once. */
  stop: AbortSignal;
}

/**
 * Contract: `run` never throws and never rejects; whatever goes wrong is a result with `outcome: "failed"` and a reason.
 * It resolves only when the agent's process has ended and both its pipes are drained.
 */
export interface Agent {
  readonly settings: AgentSettings;
  /** Whether it can be started at all: the binary's absolute path (of kind `chapo`: the model), or why not and what to do. Starts nothing but an empty sandbox. */
  find(
    env: Readonly<Record<string, string>>,
    cwd: string,
  ): Promise<{ found: string } | { missing: string; hint: string }>;
  run(request: AgentRequest, context: AgentContext): Promise<AgentResult>;
}
