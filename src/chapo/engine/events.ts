// Everything a session can say, line by line: `{type, data, timestamp, seq}`. Order: status; per turn thinking, step, call,
// result; validation; then exactly one of answer, clarify and error, which is the last. Leaves who reads it to others.
import { z } from "zod";
import type { Clock } from "../../system/ports.js";

/** What a conversation is doing. */
export const STATES = ["idle", "running", "waiting_for_user", "completed", "error"] as const;
const State = z.enum(STATES);

/** What a turn of the model answers to. */
const TURN_EVENTS = [
  "user_message",
  "tool_result",
  "error",
  "clarification_response",
  "self_validation",
] as const;
export type TurnEvent = (typeof TURN_EVENTS)[number];

const INTENTS = ["tool_call", "clarify", "answer", "self_validate", "continue"] as const;

/** One decision of the model, as the documents write it down: each call of a tool is one. */
const Decision = z.object({
  intent: z.enum(INTENTS),
  agent: z.string().nullable(),
  toolName: z.string().nullable(),
  toolArgs: z.unknown(),
  answerText: z.string().nullable(),
  clarificationQuestion: z.string().nullable(),
  /** What it said beside its calls. */
  reasoning: z.string().nullable(),
});
export type Decision = z.infer<typeof Decision>;

/** Why a call brought nothing: refused before it ran (the first six), or failed. */
const CODES = [
  "not_whitelisted",
  "bad_arguments",
  "not_allowed",
  "over_budget",
  "outside",
  "denied",
  "timeout",
  "transient",
  "failed",
  "exception",
  "interrupted",
] as const;
export type FailureCode = (typeof CODES)[number];

/** What the validation says of a draft. */
export const DraftVerdict = z.object({
  isComplete: z.boolean(),
  /** 0 to 1; it alone decides. */
  confidence: z.number().min(0).max(1),
  issues: z.array(z.string()),
  suggestion: z.string().optional(),
});
export type DraftVerdict = z.infer<typeof DraftVerdict>;

function defineEvent<T extends string, D extends z.ZodType>(type: T, data: D) {
  return z.object({
    type: z.literal(type),
    data,
    /** ISO 8601, UTC. */
    timestamp: z.string(),
    /** From 1, without gaps. */
    seq: z.int().positive(),
    /** The conversation of a sub-agent's that it happened in; absent in the session's own. */
    child: z.string().optional(),
  });
}

const Tokens = z.int().nonnegative();

export const ChapoEvent = z.discriminatedUnion("type", [
  defineEvent("status", z.object({ status: State, session: z.string() })),
  defineEvent(
    "thinking",
    z.object({
      iteration: z.int().positive(),
      event: z.enum(TURN_EVENTS),
      tokenUsage: z.object({ used: Tokens, limit: Tokens, remaining: Tokens }),
    }),
  ),
  /** A piece of what the model says, only where it is streamed. */
  defineEvent("delta", z.object({ iteration: z.int().positive(), text: z.string() })),
  /** What the model said in a turn, whole; not for turns without text. */
  defineEvent("message", z.object({ iteration: z.int().positive(), text: z.string() })),
  defineEvent("step", z.object({ iteration: z.int().positive(), decision: Decision })),
  defineEvent(
    "tool_call",
    z.object({ callId: z.string(), agent: z.string(), tool: z.string(), args: z.unknown() }),
  ),
  defineEvent(
    "tool_result",
    z.object({
      callId: z.string(),
      agent: z.string(),
      tool: z.string(),
      success: z.boolean(),
      output: z.string(),
      /** Of a failed one. */
      code: z.enum(CODES).optional(),
      /** How often it was run; 0 when it was refused. */
      tries: z.int().nonnegative(),
    }),
  ),
  /** A person must allow it before it runs. */
  defineEvent(
    "action_pending",
    z.object({
      callId: z.string(),
      agent: z.string(),
      tool: z.string(),
      args: z.unknown(),
      preview: z.string(),
    }),
  ),
  defineEvent("validation", DraftVerdict),
  /** Older turns were replaced by a summary, or dropped. */
  defineEvent(
    "compaction",
    z.object({
      how: z.enum(["summary", "dropped", "cleared"]),
      before: Tokens,
      after: Tokens,
      messages: z.int().nonnegative(),
      summary: z.string().optional(),
    }),
  ),
  /** One call of a model. */
  defineEvent(
    "usage",
    z.object({
      who: z.string(),
      model: z.string(),
      input_tokens: Tokens,
      output_tokens: Tokens,
      cached_input_tokens: Tokens,
      /** Absent where nobody knows the price. */
      cost_usd: z.number().nonnegative().optional(),
      /** The provider did not tell. */
      estimated: z.literal(true).optional(),
    }),
  ),
  /** The model is asked again after so long. */
  defineEvent("waiting", z.object({ ms: z.number().nonnegative(), why: z.string() })),
  defineEvent(
    "answer",
    z.object({ answer: z.string(), validated: z.boolean(), status: z.literal("completed") }),
  ),
  defineEvent("clarify", z.object({ question: z.string(), status: z.literal("waiting_for_user") })),
  defineEvent(
    "error",
    z.object({
      agent: z.string().optional(),
      error: z.string(),
      reason: z.string().optional(),
      status: z.literal("error"),
    }),
  ),
]);
export type ChapoEvent = z.infer<typeof ChapoEvent>;

/** An event that has no time and number yet. */
export type ChapoNews = Unsealed<ChapoEvent>;

type Unsealed<E> = E extends { type: infer T; data: infer D } ? { type: T; data: D; child?: string } : never;

/** Takes what a session says, numbers and dates it, and hands it on in order. */
export function sealEvents(clock: Clock, write: (event: ChapoEvent) => void): (news: ChapoNews) => void {
  let seq = 0;
  return (news) => {
    seq += 1;
    write({ ...news, timestamp: new Date(clock.now()).toISOString(), seq });
  };
}
