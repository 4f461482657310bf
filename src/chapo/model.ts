// What a model is to the engine: what it is asked, what it answers, how that fails. Types only.
// Leaves the providers, retries and fallbacks to models/.
import type { FailureReason } from "../agents/agent.js";
import type { ToolParameters } from "./tool.js";

/** A call of a tool, as a model asks for it. */
export interface ModelCall {
  id: string;
  /** As it was offered. */
  name: string;
  /** Parsed; a text where it was no JSON. */
  args: unknown;
  /** What the provider wants back with it, word for word. */
  signature?: string;
}

/** A result, as a model is given it. */
export interface CallResult {
  callId: string;
  /** As it was offered. */
  name: string;
  success: boolean;
  output: string;
}

/** One message of a conversation. Contract: the results of an assistant's calls follow it, all of them, in their order. */
export type ChatMessage =
  | { role: "user"; text: string }
  | { role: "assistant"; text: string; calls: readonly ModelCall[] }
  | { role: "tool"; results: readonly CallResult[] };

/** A tool, as a model is offered it. */
export interface OfferedTool {
  name: string;
  description: string;
  parameters: ToolParameters;
}

export interface ModelRequest {
  /** On whose behalf: `looper`, `validation`, `summary`, `compaction`, or a sub-agent's name. */
  who: string;
  /** How many answers it had on this one's behalf in this session. */
  turn: number;
  system: string;
  messages: readonly ChatMessage[];
  tools: readonly OfferedTool[];
  /** Aborted to end it at once; the promise then resolves with a failure. */
  signal: AbortSignal;
  /** Each piece of text as it comes; only where the answer is streamed. */
  onText?: (delta: string) => void;
  /** It is waited before another try: so long, and why. What was streamed of the try before counts no more. */
  onWait?: (wait: { ms: number; why: string }) => void;
}

/** Tokens of one call. Input without what came from the cache or was written to it. */
export interface ModelUsage {
  input: number;
  output: number;
  cached: number;
  /** Written to the cache. */
  cacheWrite: number;
}

export interface ModelReply {
  text: string;
  calls: readonly ModelCall[];
  /** `cut`: it ran into the limit of its output. */
  finish: "stop" | "calls" | "cut" | "other";
  /** What a model without tool calls decided, where that is neither a call nor an answer. */
  intent?: "continue" | "self_validate";
  /** Absent where the provider did not tell. */
  usage?: ModelUsage;
  /** Dollars; absent where nobody knows the price. */
  costUsd?: number;
  /** `provider/model`: the one that answered. */
  model: string;
}

export interface ModelFailure {
  reason: Extract<
    FailureReason,
    | "rate-limited"
    | "overloaded"
    | "network"
    | "not-signed-in"
    | "no-credit"
    | "model-unknown"
    | "bad-request"
    | "context-full"
    | "interrupted"
    | "incomplete"
  >;
  /** One line: what was seen, and of which model. */
  message: string;
  /** Epoch ms from when it can be asked again, where it said so. */
  retryAt?: number;
}

export type ModelAnswer = { reply: ModelReply } | { failure: ModelFailure };

/** Contract: `ask` never throws and never rejects; tries again and falls back by itself, and ends within its own limits. */
export interface Model {
  /** `provider/model`. */
  readonly name: string;
  /** Of the model, tokens; `undefined` where nobody knows. */
  readonly contextWindow: number | undefined;
  ask(request: ModelRequest): Promise<ModelAnswer>;
}
