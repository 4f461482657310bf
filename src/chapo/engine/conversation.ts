// A conversation: what was said, what it has come to, where it stands. A value that is its own session file; pure functions
// on it. Leaves the file to whoever saves it, and what is said next to converse.ts.
import { z } from "zod";
import type { CallResult, ChatMessage, ModelCall } from "../model.js";
import { STATES } from "./events.js";

const Call = z.object({
  id: z.string(),
  name: z.string(),
  args: z.unknown(),
  signature: z.string().optional(),
});

const Result = z.object({ callId: z.string(), name: z.string(), success: z.boolean(), output: z.string() });

/** What the model is told of the turn with a message: event, iteration, tokens. Sent at its end. */
const note = z.string().optional();

const StoredMessage = z.discriminatedUnion("role", [
  z.object({
    role: z.literal("user"),
    text: z.string(),
    note,
    /** The engine said it, not a person. */
    own: z.literal(true).optional(),
  }),
  z.object({ role: z.literal("assistant"), text: z.string(), calls: z.array(Call) }),
  z.object({ role: z.literal("tool"), results: z.array(Result), note }),
]);
/** A message as it is kept: a ChatMessage, and what the engine knows of it. */
export type Message = z.infer<typeof StoredMessage>;

const Counts = z.record(z.string(), z.int().nonnegative());

const Spent = z.object({
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  cached_input_tokens: z.int().nonnegative(),
  /** What is known of it. */
  cost_usd: z.number().nonnegative(),
  /** Calls of a model whose price nobody knows: with one of them the dollars are not the whole. */
  unpriced: z.int().nonnegative(),
});

/** The session file. */
export const Conversation = z.object({
  id: z.string(),
  /** Of a sub-agent's: the conversation that started it. */
  parent: z.string().optional(),
  /** `looper`, or the sub-agent's type. */
  agent: z.string(),
  /** ISO 8601. */
  created: z.string(),
  state: z.enum(STATES),
  /** While it waits for the user; `call`: the one the answer is the result of. */
  question: z.object({ text: z.string(), call: z.string().optional() }).optional(),
  messages: z.array(StoredMessage),
  usage: Spent,
  /** Answers of models, by on whose behalf; those of sub-agents as well. */
  turns: Counts,
  /** Calls that were run, by tool; those of sub-agents as well. */
  calls: Counts,
  /** Turns of the model in all. */
  iterations: z.int().nonnegative(),
  /** Since the last word of the user. */
  validation_rounds: z.int().nonnegative(),
  /** Of compacted turns, oldest first. */
  summaries: z.array(z.string()),
  /** Ids of the conversations of its sub-agents. */
  children: z.array(z.string()),
  skills: z.array(z.string()),
  /** What a provider counted: so many tokens for the first so many messages, with the system prompt and the tools. */
  counted: z.object({ tokens: z.int().nonnegative(), messages: z.int().nonnegative() }).optional(),
});
export type Conversation = z.infer<typeof Conversation>;

/** A conversation nobody said anything in. */
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

/** With further messages at its end. */
export function appendMessages(conversation: Conversation, ...messages: readonly Message[]): Conversation {
  return { ...conversation, messages: [...conversation.messages, ...messages] };
}

/** How often; a name like `constructor` is not in there by itself. */
export function getCount(counts: Readonly<Record<string, number>>, name: string): number {
  return Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0;
}

/** With one more of a name. */
export function incrementCount(
  counts: Readonly<Record<string, number>>,
  name: string,
): Record<string, number> {
  return { ...counts, [name]: getCount(counts, name) + 1 };
}

/** With the result of a call of its last turn. */
export function addResult(conversation: Conversation, result: CallResult): Conversation {
  const last = conversation.messages.at(-1);
  if (last?.role !== "tool") return appendMessages(conversation, { role: "tool", results: [result] });
  const results = [...last.results, result];
  return { ...conversation, messages: [...conversation.messages.slice(0, -1), { ...last, results }] };
}

/** The calls of its last turn that have no result yet, in order. */
export function listOpenCalls({ messages }: Conversation): ModelCall[] {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const turn = messages[at];
  const after = messages[at + 1];
  if (turn?.role !== "assistant") return [];
  const had = new Set(after?.role === "tool" ? after.results.map(({ callId }) => callId) : []);
  return turn.calls
    .filter(({ id }) => !had.has(id))
    .map(({ signature, ...call }) => addSignature(call, signature));
}

function addSignature(call: Omit<ModelCall, "signature">, signature: string | undefined): ModelCall {
  return signature === undefined ? call : { ...call, signature };
}

/** What the user said last: the request at hand. "" when they said nothing. */
export function getLastRequest({ messages }: Conversation): string {
  const last = messages.findLast((message) => message.role === "user" && message.own === undefined);
  return last?.role === "user" ? last.text : "";
}

/** Its messages as a model is sent them. */
export function toChatMessages(messages: readonly Message[]): ChatMessage[] {
  return messages.map(toChatMessage);
}

function toChatMessage(message: Message): ChatMessage {
  switch (message.role) {
    case "user":
      return { role: "user", text: appendNote(message.text, message.note) };
    case "assistant":
      return {
        role: "assistant",
        text: message.text,
        calls: message.calls.map(({ signature, ...call }) => addSignature(call, signature)),
      };
    case "tool": {
      const last = message.results.length - 1;
      return {
        role: "tool",
        results: message.results.map((result, n) =>
          n === last ? { ...result, output: appendNote(result.output, message.note) } : result,
        ),
      };
    }
    default:
      return message satisfies never;
  }
}

function appendNote(text: string, note: string | undefined): string {
  return note === undefined ? text : `${text}\n\n[${note}]`;
}
