// A conversation: its messages, usage and state. The value is stored as the session file; the functions here are pure.
// session/sessions.ts saves it, and converse.ts decides what is said next.
import { z } from "zod";
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import { CallResult, ModelCall } from "../model.js";
import { STATES } from "./events.js";
import { AGAIN, GivenCallAnswer, SessionCall, type CallAnswer } from "./calls/pending.js";
import { UserError } from "../../system/errors.js";

const StoredMessage = z.discriminatedUnion("role", [
  z.object({
    role: z.literal("user"),
    text: z.string(),
    /** Set if the engine wrote the message, not a person. */
    own: z.literal(true).optional(),
  }),
  z.object({ role: z.literal("assistant"), text: z.string(), calls: z.array(ModelCall) }),
  z.object({ role: z.literal("tool"), results: z.array(CallResult) }),
]);
/** A message as it is stored and sent. */
export type Message = z.infer<typeof StoredMessage>;

const Counts = z.record(z.string(), z.int().nonnegative());
type Counts = z.infer<typeof Counts>;

const Spent = z.object({
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  cached_input_tokens: z.int().nonnegative(),
  /** The sum of the known prices. */
  cost_usd: z.number().nonnegative(),
  /** Calls of models without a known price. If there is one, `cost_usd` is not the whole cost. */
  unpriced: z.int().nonnegative(),
});

const OpenTask = z.object({
  /** The call of the last turn that started it. */
  call: z.string(),
  /** The id of the sub-agent's conversation. */
  child: z.string(),
  /** The part of the child's usage and counts that this conversation includes already. */
  counted: z.object({ usage: Spent, turns: Counts, calls: Counts }),
  /** The user's answer to the child's question, until the child has it. */
  reply: z.string().optional(),
});
/** The task of a sub-agent that is not over. */
export type OpenTask = z.infer<typeof OpenTask>;

/** The session file. */
export const Conversation = z.object({
  id: z.string(),
  /** The conversation that started this one; only set for a sub-agent. */
  parent: z.string().optional(),
  /** `looper`, or the sub-agent's type. */
  agent: z.string(),
  /** ISO 8601. */
  created: z.string(),
  state: z.enum(STATES),
  /**
   * The question the user has not answered yet. `call`: the tool call that gets the answer as its result; `child`: the
   * conversation of the sub-agent that asks.
   */
  question: z
    .object({ text: z.string(), call: z.string().optional(), child: z.string().optional() })
    .optional(),
  /** The call of the last turn that waits for a person, or whose answer is not carried out yet. */
  pending: SessionCall.optional(),
  /** The latest answers to such calls, oldest first. */
  answered: z.array(GivenCallAnswer).optional(),
  /** Messages of the user that are not delivered yet, oldest first. */
  queued: z.array(z.string()).optional(),
  messages: z.array(StoredMessage),
  usage: Spent,
  /** The number of model replies by caller, sub-agents included. */
  turns: Counts,
  /** The number of calls that were run by tool, sub-agents included. */
  calls: Counts,
  /** All turns of the model. */
  iterations: z.int().nonnegative(),
  /** Validations of drafts since the user's last message. */
  validation_rounds: z.int().nonnegative(),
  /** The summaries of compacted turns, oldest first. */
  summaries: z.array(z.string()),
  /** The ids of its sub-agents' conversations. */
  children: z.array(z.string()),
  /** The tasks of sub-agents that are not over. Their calls have no result yet. */
  tasks: z.array(OpenTask).optional(),
  skills: z.array(z.string()),
  /** The provider's last count: `tokens` for the system prompt, the tools and the first `messages` messages. */
  counted: z.object({ tokens: z.int().nonnegative(), messages: z.int().nonnegative() }).optional(),
});
export type Conversation = z.infer<typeof Conversation>;

/** Creates a conversation without messages. */
export function createConversation(
  facts: Pick<Conversation, "id" | "agent" | "created"> & Partial<Pick<Conversation, "parent" | "skills">>,
): Conversation {
  return {
    skills: [],
    ...facts,
    state: "idle",
    messages: [],
    usage: { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, cost_usd: 0, unpriced: 0 },
    turns: {},
    calls: {},
    iterations: 0,
    validation_rounds: 0,
    summaries: [],
    children: [],
  };
}

/** Returns the conversation without what is open in it, and without the count of messages that it may not have any more. */
export function forgetOpen(conversation: Conversation): Conversation {
  const nothing = { counted: undefined, question: undefined, pending: undefined };
  return { ...conversation, ...nothing, queued: undefined, tasks: undefined, state: "idle" };
}

/** Appends messages to the conversation. */
export function appendMessages(conversation: Conversation, ...messages: readonly Message[]): Conversation {
  return { ...conversation, messages: [...conversation.messages, ...messages] };
}

/** Returns the count of a name. Inherited names such as `constructor` count 0. */
export function getCount(counts: Readonly<Counts>, name: string): number {
  return Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0;
}

/** Adds the result of a call of the last turn. */
export function addResult(conversation: Conversation, result: CallResult): Conversation {
  const last = conversation.messages.at(-1);
  if (last?.role !== "tool") return appendMessages(conversation, { role: "tool", results: [result] });
  const results = [...last.results, result];
  return { ...conversation, messages: [...conversation.messages.slice(0, -1), { ...last, results }] };
}

/** Returns the calls of the last turn that have no result yet, in order. */
export function listOpenCalls({ messages }: Conversation): ModelCall[] {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const turn = messages[at];
  const after = messages[at + 1];
  if (turn?.role !== "assistant") return [];
  const had = new Set(after?.role === "tool" ? after.results.map(({ callId }) => callId) : []);
  return turn.calls.filter(({ id }) => !had.has(id));
}

/** The usage of a session so far. Every conversation of the session adds to the same object. */
export interface SessionSpent {
  /** The requests that this process sent, to number them. */
  sent: number;
  /** The requests that were answered. */
  requests: number;
  tokens: number;
  /** The sum of the known prices. */
  costUsd: number;
  /** The calls that were run, by tool. */
  calls: Readonly<Record<string, number>>;
}

/** Returns the usage that a stored conversation holds, its sub-agents included. */
export function countSpent({ turns, usage, calls }: Conversation): SessionSpent {
  const { input_tokens, output_tokens, cached_input_tokens, cost_usd: costUsd } = usage;
  return {
    sent: 0,
    requests: Object.values(turns).reduce((sum, one) => sum + one, 0),
    tokens: input_tokens + output_tokens + cached_input_tokens,
    costUsd,
    calls,
  };
}

/** Returns why the session may not ask a model again, with the setting's name. */
export function explainLimit(
  spent: SessionSpent,
  most: Pick<ChapoSettings, "maxRequests" | "maxTokens" | "maxCostUsd">,
): string | undefined {
  if (spent.requests >= most.maxRequests)
    return `the session has made ${spent.requests} requests to a model (max_requests: ${most.maxRequests})`;
  if (spent.tokens >= most.maxTokens)
    return `the session has used ${spent.tokens} tokens (max_tokens: ${most.maxTokens})`;
  if (spent.costUsd >= most.maxCostUsd)
    return `the session has cost $${spent.costUsd.toFixed(2)} (max_cost_usd: ${most.maxCostUsd})`;
  return undefined;
}

const MOST_KEPT = 100;

/** Records the answer to the pending call. The conversation must have one without an answer. */
export function recordAnswer(conversation: Conversation, answer: CallAnswer): Conversation {
  const { pending, answered = [] } = conversation;
  if (pending === undefined) throw new Error("no call is pending");
  const { call, tool } = pending;
  return {
    ...conversation,
    pending: { ...pending, answer },
    answered: [...answered, { ...answer, call, tool }].slice(-MOST_KEPT),
  };
}

/** A call whose process was killed while it ran is asked about again: it may have run. */
export function askAgainIfBegun(conversation: Conversation, now: string): Conversation {
  const { pending } = conversation;
  if (pending?.begun === undefined) return conversation;
  const asked = { begun: undefined, answer: undefined, again: "may_have_run", asked_at: now } as const;
  return { ...conversation, pending: { ...pending, ...asked, because: AGAIN.may_have_run } };
}

/** An answer in words: who, when, and by which way. */
function describeAnswer({ verdict, by, at, via }: CallAnswer): string {
  return `${verdict === "approve" ? "approved" : "rejected"} by ${by} at ${at} (${via})`;
}

/**
 * Returns the conversation with the answer; the same conversation if the call was answered likewise and not carried out yet, or
 * if it may have run and must be asked about again.
 */
export function answerPending(conversation: Conversation, answer: CallAnswer): Conversation {
  const { id, pending } = conversation;
  if (pending === undefined) {
    const last = conversation.answered?.at(-1);
    const was = last === undefined ? "" : `: ${last.tool} was ${describeAnswer(last)}`;
    const message = `no call of the session ${id} waits for an answer${was}`;
    const hint = "see which do with `looper chapo pending`";
    throw new UserError(last === undefined ? "usage" : "no", message, hint);
  }
  if (pending.begun !== undefined) return conversation;
  if (pending.answer === undefined) return recordAnswer(conversation, answer);
  const isSame = pending.answer.verdict === answer.verdict && answer.args === undefined;
  if (isSame) return conversation;
  throw new UserError(
    "no",
    `${pending.tool} was ${describeAnswer(pending.answer)}; a call is answered once`,
    `repeat that answer to have it carried out`,
  );
}
