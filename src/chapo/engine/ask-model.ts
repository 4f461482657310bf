// Asks a model once, and records the tokens and cost in the conversation and in a `usage` event.
import {
  type ModelFailure,
  type ModelReply,
  type ModelRequest,
  type ModelUsage,
  type OfferedTool,
  addCounts,
} from "../model.js";
import { explainLimit, getCount, type Message } from "./conversation.js";
import { estimateMessages, estimateText, estimateTools } from "./window/tokens.js";
import type { LiveConversation } from "./world.js";

/** A request to a model. */
interface ModelQuestion extends Pick<ModelRequest, "who" | "system" | "tools"> {
  messages: readonly Message[];
  /** The turn whose text and thinking are told as they come; absent: nothing is. */
  tellsIteration?: number | undefined;
}

/** Returns the model's reply, or why there is none; `said`: what it told until then. */
export async function askModel(
  live: LiveConversation,
  { who, system, messages, tools, tellsIteration: iteration }: ModelQuestion,
): Promise<{ reply: ModelReply } | { failure: ModelFailure; said: string }> {
  const { world } = live;
  const { spent } = world;
  const over = explainLimit(spent, world.settings);
  if (over !== undefined) return { failure: { reason: "budget", message: over }, said: "" };
  let request = (spent.sent += 1);
  let said = "";
  const answer = await world.model.ask({
    who,
    turn: getCount(live.conversation.turns, who),
    system,
    messages,
    tools,
    signal: world.signal,
    ...(iteration === undefined
      ? {}
      : {
          onText: (text) => {
            said += text;
            world.emit({ type: "delta", data: { iteration, request, text } });
          },
          onThought: (text) => {
            world.emit({ type: "thought", data: { iteration, request, text } });
          },
        }),
    onWait: (wait) => {
      world.emit({ type: "waiting", data: wait });
      const failed = request;
      request = spent.sent += 1;
      world.emit({ type: "retry", data: { failed, request, ...wait } });
      said = "";
    },
  });
  if ("failure" in answer) return { ...answer, said };
  const reply = limitDepth(answer.reply);
  const estimate =
    reply.usage === undefined ? estimateUsage({ system, sent: messages, tools, reply }) : undefined;
  const used = reply.usage ?? estimate ?? NONE;
  const tokens = {
    input_tokens: used.input + used.cacheWrite,
    output_tokens: used.output,
    cached_input_tokens: used.cached,
  };
  const { costUsd } = reply;
  spent.requests += 1;
  spent.tokens += tokens.input_tokens + tokens.output_tokens + tokens.cached_input_tokens;
  spent.costUsd += costUsd ?? 0;
  live.conversation = {
    ...live.conversation,
    turns: addCounts(live.conversation.turns, { [who]: 1 }),
    usage: addCounts(live.conversation.usage, {
      ...{ ...tokens, cost_usd: costUsd ?? 0, unpriced: costUsd === undefined ? 1 : 0 },
    }),
  };
  const counted = estimate === undefined ? {} : { estimated: true as const };
  world.emit({ type: "usage", data: { who, model: reply.model, ...tokens, cost_usd: costUsd, ...counted } });
  return { reply };
}

/** The deepest nesting of arguments. Code that walks deeper arguments would run out of stack. */
const DEEPEST = 100;

function limitDepth(reply: ModelReply): ModelReply {
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

function estimateUsage(facts: {
  system: string;
  sent: readonly Message[];
  tools: readonly OfferedTool[];
  reply: ModelReply;
}): ModelUsage {
  const { text, calls } = facts.reply;
  return {
    ...NONE,
    input: estimateText(facts.system) + estimateMessages(facts.sent) + estimateTools(facts.tools),
    output: estimateMessages([{ role: "assistant", text, calls }]),
  };
}
