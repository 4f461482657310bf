// Asks a model once, and counts what it cost: in the conversation, and as a `usage` event.
import type { ModelFailure, ModelReply, ModelUsage, OfferedTool } from "../model.js";
import { countOf, counted, toSend, type Conversation, type Message } from "./conversation.js";
import { messageTokens, textTokens, toolTokens } from "./tokens.js";
import type { Chat, EngineWorld } from "./world.js";

/** What a model is asked. */
export interface Question {
  /** On whose behalf. */
  who: string;
  system: string;
  messages: readonly Message[];
  tools: readonly OfferedTool[];
  onText?: (delta: string) => void;
}

/** Its answer, or why there is none. */
export async function askModel(
  world: EngineWorld,
  chat: Chat,
  { who, system, messages, tools, onText }: Question,
): Promise<{ reply: ModelReply } | { failure: ModelFailure }> {
  const sent = toSend(messages);
  const answer = await world.model.ask({
    who,
    turn: countOf(chat.conversation.turns, who),
    system,
    messages: sent,
    tools,
    signal: world.signal,
    ...(onText === undefined ? {} : { onText }),
    onWait: (wait) => {
      world.emit({ type: "waiting", data: wait });
    },
  });
  if ("failure" in answer) return answer;
  const reply = bounded(answer.reply);
  const estimate = reply.usage === undefined ? estimateOf({ system, sent, tools, reply }) : undefined;
  const used = reply.usage ?? estimate ?? NONE;
  const tokens = {
    input_tokens: used.input + used.cacheWrite,
    output_tokens: used.output,
    cached_input_tokens: used.cached,
  };
  const { costUsd } = reply;
  chat.conversation = {
    ...chat.conversation,
    turns: counted(chat.conversation.turns, who),
    usage: spend(chat.conversation.usage, tokens, costUsd),
  };
  world.emit({
    type: "usage",
    data: {
      who,
      model: reply.model,
      ...tokens,
      ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
      ...(estimate === undefined ? {} : { estimated: true }),
    },
  });
  return { reply };
}

/** Who walks through arguments that are nested deeper runs out of stack. */
const DEEPEST = 100;

function bounded(reply: ModelReply): ModelReply {
  const args = `(nested deeper than ${DEEPEST} levels)`;
  return { ...reply, calls: reply.calls.map((call) => (isTooDeep(call.args) ? { ...call, args } : call)) };
}

function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= DEEPEST; depth += 1) {
    level = level.flatMap((one): unknown[] =>
      typeof one === "object" && one !== null ? Object.values(one) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}

const NONE: ModelUsage = { input: 0, output: 0, cached: 0, cacheWrite: 0 };

function estimateOf(facts: {
  system: string;
  sent: ReturnType<typeof toSend>;
  tools: readonly OfferedTool[];
  reply: ModelReply;
}): ModelUsage {
  const { text, calls } = facts.reply;
  return {
    ...NONE,
    input: textTokens(facts.system) + messageTokens(facts.sent) + toolTokens(facts.tools),
    output: messageTokens([{ role: "assistant", text, calls }]),
  };
}

type Spent = Conversation["usage"];
type Tokens = Pick<Spent, "input_tokens" | "output_tokens" | "cached_input_tokens">;

function spend(spent: Spent, tokens: Tokens, costUsd: number | undefined): Spent {
  return {
    input_tokens: spent.input_tokens + tokens.input_tokens,
    output_tokens: spent.output_tokens + tokens.output_tokens,
    cached_input_tokens: spent.cached_input_tokens + tokens.cached_input_tokens,
    cost_usd: spent.cost_usd + (costUsd ?? 0),
    unpriced: spent.unpriced + (costUsd === undefined ? 1 : 0),
  };
}

/** What two conversations came to together. */
export function addSpent(one: Spent, other: Spent): Spent {
  const sum = spend(one, other, other.cost_usd);
  return { ...sum, unpriced: one.unpriced + other.unpriced };
}
