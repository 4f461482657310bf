// A model as the engine sees it: requests, replies and failures. models/ has the providers, retries and fallbacks.
import { z } from "zod";
import type { Effort } from "../config/settings/efforts.js";
import type { FailureReason } from "../agents/agent.js";
import type { ToolParameters } from "./tool.js";

/** A call of a tool, as a model asks for it and as it is stored. */
export const ModelCall = z.object({
  id: z.string(),
  /** The tool's name as it was offered. */
  name: z.string(),
  /** The parsed arguments; a text if they were not JSON. */
  args: z.unknown(),
  /** Data the provider expects back with the call, unchanged. */
  signature: z.string().optional(),
});
export type ModelCall = z.infer<typeof ModelCall>;

/** A result as a model gets it and as it is stored. */
export const CallResult = z.object({
  callId: z.string(),
  /** The tool's name as it was offered. */
  name: z.string(),
  success: z.boolean(),
  output: z.string(),
});
export type CallResult = z.infer<typeof CallResult>;

/** An image of a user's message. */
export interface ChatImage {
  /** `image/png` and the like. */
  type: string;
  data: Uint8Array;
}

/** One message of a conversation. The results of an assistant's calls must follow it, all of them, in order. */
export type ChatMessage =
  | { role: "user"; text: string; images?: readonly ChatImage[] }
  | { role: "assistant"; text: string; calls: readonly ModelCall[] }
  | { role: "tool"; results: readonly CallResult[] };

/** A tool as it is offered to a model. */
export interface OfferedTool {
  name: string;
  description: string;
  parameters: ToolParameters;
}

export interface ModelRequest {
  /** The caller: `looper`, `validation`, `summary`, `compaction`, or a sub-agent's type. */
  who: string;
  /** How many replies this caller has had in this session. */
  turn: number;
  system: string;
  messages: readonly ChatMessage[];
  tools: readonly OfferedTool[];
  /** Aborted to end the request at once; the promise then resolves with a failure. */
  signal: AbortSignal;
  /** How much the model is to think; absent: as it does by itself. */
  effort?: Effort;
  /** Names the conversation to a provider that keeps prefixes of requests by a key. */
  cacheKey?: string;
  /** Called with each piece of text, if the reply is streamed. */
  onText?: (delta: string) => void;
  /** Called with each piece of the model's thinking, if the provider streams it. */
  onThought?: (delta: string) => void;
  /** Called before the wait for a retry. Text streamed by the failed try is void. */
  onWait?: (wait: { ms: number; why: string }) => void;
}

/** Tokens of one request. `input` excludes tokens read from the cache or written to it. */
export interface ModelUsage {
  input: number;
  output: number;
  cached: number;
  /** Tokens written to the cache. */
  cacheWrite: number;
}

/** Adds numbers by name; `sign` -1: subtracts the others. */
export function addCounts<T extends object>(one: T, other: Partial<T>, sign: 1 | -1 = 1): T {
  const sums = new Map<string, number>(Object.entries(one));
  for (const [name, count] of Object.entries<number>(other as Record<string, number>))
    sums.set(name, (sums.get(name) ?? 0) + sign * count);
  return Object.fromEntries(sums) as T;
}

export interface ModelReply {
  text: string;
  calls: readonly ModelCall[];
  /**
   * `cut`: the reply reached the output limit. `refused`: the model or its provider declined to answer. `filtered`: a filter
   * removed the rest. `paused`: the provider wants to be asked again to continue.
   */
  finish: "stop" | "calls" | "cut" | "refused" | "filtered" | "paused" | "other";
  /** The decision of a model without tool calls that is neither a call nor an answer. */
  intent?: "continue" | "self_validate";
  /** Absent if the provider did not report it. */
  usage?: ModelUsage;
  /** The cost in dollars; absent if the price is unknown. */
  costUsd?: number;
  /** The model that answered: `provider/model`. */
  model: string;
}

/** Why a model gave no reply. */
export const MODEL_FAILURES = [
  "rate-limited",
  "overloaded",
  "network",
  "not-signed-in",
  "no-credit",
  "model-unknown",
  "bad-request",
  "context-full",
  "interrupted",
  "incomplete",
  "budget",
] as const satisfies readonly FailureReason[];

export interface ModelFailure {
  reason: (typeof MODEL_FAILURES)[number];
  /** One line with the model and the cause. */
  message: string;
  /** The time in epoch ms from which it can be asked again, if known. */
  retryAt?: number;
}

export type ModelAnswer = { reply: ModelReply } | { failure: ModelFailure };

/** A model. `ask` never throws and never rejects; it retries and falls back itself, within its own limits. */
export interface Model {
  /** `provider/model`. */
  readonly name: string;
  /** The model's context window in tokens; `undefined` if unknown. */
  readonly contextWindow: number | undefined;
  ask(request: ModelRequest): Promise<ModelAnswer>;
}
