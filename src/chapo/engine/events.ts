// The events of a session, one line each: `{type, data, timestamp, seq}`. A session begins with `status`. Each turn has
// `thinking`, `step`, and `tool_call` and `tool_result` per call. The last event is one of `answer`, `clarify` and `error`.
import { z } from "zod";

/** The states of a conversation. */
export const STATES = ["idle", "running", "waiting_for_user", "completed", "error"] as const;
const State = z.enum(STATES);

/** The event that a turn of the model responds to. */
const TURN_EVENTS = [
  "user_message",
  "tool_result",
  "error",
  "clarification_response",
  "self_validation",
] as const;
export type TurnEvent = (typeof TURN_EVENTS)[number];

const INTENTS = ["tool_call", "clarify", "answer", "self_validate", "continue"] as const;

/** One decision of the model. Each tool call is a decision of its own. */
const ModelDecision = z.object({
  intent: z.enum(INTENTS),
  agent: z.string().nullable(),
  toolName: z.string().nullable(),
  toolArgs: z.unknown(),
  answerText: z.string().nullable(),
  clarificationQuestion: z.string().nullable(),
  /** The text that came with its calls. */
  reasoning: z.string().nullable(),
});
export type ModelDecision = z.infer<typeof ModelDecision>;

/** Why a call has no result. The first six are refusals before it ran; the others are failures. */
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

/** The validation's verdict on a draft. */
export const DraftVerdict = z.object({
  isComplete: z.boolean(),
  /** From 0 to 1. Only this field decides whether the draft passes. */
  confidence: z.number().min(0).max(1),
  issues: z.array(z.string()),
  suggestion: z.string().optional(),
});
export type DraftVerdict = z.infer<typeof DraftVerdict>;

function defineEvent<T extends string, D extends z.core.$ZodLooseShape>(type: T, data: D) {
  return z.object({
    type: z.literal(type),
    data: z.object(data),
    /** ISO 8601, UTC. */
    timestamp: z.string(),
    /** From 1, without gaps. */
    seq: Nth,
    /** The sub-agent's conversation in which the event occurred; absent for the session's own. */
    child: z.string().optional(),
  });
}

const Nth = z.int().positive();
const Tokens = z.int().nonnegative();
const Ms = z.number().nonnegative();
const Call = { callId: z.string(), agent: z.string(), tool: z.string() };

export const ChapoEvent = z.discriminatedUnion("type", [
  /** A conversation began to run. */
  defineEvent("status", { status: State, session: z.string() }),
  /** A turn begins: its number, the event it responds to and the tokens used. */
  defineEvent("thinking", {
    iteration: Nth,
    event: z.enum(TURN_EVENTS),
    tokenUsage: z.object({ used: Tokens, limit: Tokens, remaining: Tokens, messages: Tokens.optional() }),
  }),
  /** A piece of the model's text, if the reply is streamed. `request`: the number of its request in this process, from 1. */
  defineEvent("delta", { iteration: Nth, request: Nth, text: z.string() }),
  /** A piece of the model's thinking, if the provider streams it. It comes before the text and is not stored. */
  defineEvent("thought", { iteration: Nth, request: Nth, text: z.string() }),
  /** A request failed and is sent again after `ms`: the deltas of `failed` are void; the new ones belong to `request`. */
  defineEvent("retry", { failed: Nth, request: Nth, ms: Ms, why: z.string() }),
  /** The whole text of a turn; absent for a turn without text. */
  defineEvent("message", { iteration: Nth, text: z.string() }),
  /** One decision of the turn, before it is carried out. */
  defineEvent("step", { iteration: Nth, decision: ModelDecision }),
  /** A call the model asked for, before it passes the gate. */
  defineEvent("tool_call", { ...Call, args: z.unknown() }),
  /** The result of a call, also of one that was refused. */
  defineEvent("tool_result", {
    ...Call,
    success: z.boolean(),
    output: z.string(),
    /** The change of an edit as a unified diff. */
    diff: z.string().optional(),
    /** Why the call failed. */
    code: z.enum(CODES).optional(),
    /** How often the call was run; 0 if it was refused. */
    tries: z.int().nonnegative(),
  }),
  /** A call waits until a person allows it. */
  defineEvent("action_pending", {
    ...{ ...Call, args: z.unknown(), preview: z.string() },
    /** Why a person is asked; the end of a sentence. */
    because: z.string(),
    /** Why it is asked again. */
    again: z.enum(["changed", "may_have_run"]).optional(),
  }),
  /** A message that the user sent while the model worked is part of the next request. */
  defineEvent("delivered", { text: z.string() }),
  /** Images that the user's message names are sent with it; their files' names. */
  defineEvent("attached", { images: z.array(z.string()) }),
  /** A draft of an answer was checked; `checked` is false if the check gave no verdict. */
  defineEvent("validation", { ...DraftVerdict.shape, checked: z.literal(false).optional() }),
  /** Older turns were replaced by a summary, or dropped; `clipped`: long texts of the latest turns were cut. */
  defineEvent("compaction", {
    how: z.enum(["summary", "dropped", "cleared", "clipped"]),
    before: Tokens,
    after: Tokens,
    messages: z.int().nonnegative(),
    summary: z.string().optional(),
  }),
  /** One request to a model was answered: its tokens and cost. */
  defineEvent("usage", {
    who: z.string(),
    model: z.string(),
    ...{ input_tokens: Tokens, output_tokens: Tokens, cached_input_tokens: Tokens },
    /** Absent if the price is unknown. */
    cost_usd: z.number().nonnegative().optional(),
    /** Set if the provider did not report the tokens. */
    estimated: z.literal(true).optional(),
  }),
  /** The model is asked again after this wait. */
  defineEvent("waiting", { ms: Ms, why: z.string() }),
  /** The conversation ended with an answer. */
  defineEvent("answer", { answer: z.string(), validated: z.boolean(), status: z.literal("completed") }),
  /** The conversation waits for the user's answer to a question. `callId`: it asks whether this call may run. */
  defineEvent("clarify", {
    question: z.string(),
    status: z.literal("waiting_for_user"),
    callId: z.string().optional(),
  }),
  /** The conversation ended with an error. */
  defineEvent("error", {
    agent: z.string().optional(),
    error: z.string(),
    reason: z.string().optional(),
    /** ISO 8601: when the provider can be asked again, if it is known. */
    retry_at: z.string().optional(),
    status: z.literal("error"),
  }),
]);
export type ChapoEvent = z.infer<typeof ChapoEvent>;

/** An event without a timestamp and a number yet. */
export type ChapoNews = Unsealed<ChapoEvent>;

type Unsealed<E> = E extends { type: infer T; data: infer D } ? { type: T; data: D; child?: string } : never;
