// Converts a provider's answer to a reply, with its cost. Pure. sdk.ts gathers an answer from a stream.
import type { Prices } from "../../config/read/prices.js";
import { tryParseJson } from "../../system/text/json.js";
import type { ModelCall, ModelReply, ModelRequest, ModelUsage } from "../model.js";
import type { SdkAnswer } from "./sdk-types.js";
import { writeSignature, type PartBeforeCall } from "./signature.js";
import type { Used } from "../../agents/agent.js";
import { addCost } from "../../agents/prices.js";
import { roundUsd } from "../../agents/usage.js";

/** Converts an answer to a reply. Ids of calls are the provider's, made unique within the conversation. */
export function toReply(
  answer: SdkAnswer,
  request: Pick<ModelRequest, "messages">,
  { name, prices }: { name: string; prices?: Prices },
): ModelReply {
  const calls = collectCalls(answer.content, name, collectIds(request));
  const text = answer.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const usage = toUsage(answer.usage);
  const costUsd = usage === undefined ? undefined : computeCost(usage, name, prices);
  return {
    text,
    calls,
    finish: toFinish(answer.finishReason, text, calls),
    usage,
    costUsd,
    model: name,
  };
}

function collectCalls(content: SdkAnswer["content"], name: string, taken: Set<string>): ModelCall[] {
  const calls: ModelCall[] = [];
  let before: PartBeforeCall[] = [];
  for (const part of content) {
    const options = "providerMetadata" in part ? part.providerMetadata : undefined;
    const marked = options === undefined ? {} : { options };
    if (part.type === "reasoning") before.push({ thought: part.text, ...marked });
    if (part.type === "text") before.push({ thought: "", text: part.text.length, ...marked });
    if (part.type !== "tool-call" || part.providerExecuted === true) continue;
    const signature = writeSignature(name, { before, ...marked });
    before = [];
    calls.push({
      id: chooseId(part.toolCallId, taken),
      name: part.toolName,
      args: parseArguments(part.input),
      signature,
    });
  }
  return calls;
}

/** Parses arguments. Text that is not JSON stays text; empty text becomes an empty object. */
function parseArguments(input: string): unknown {
  if (input.trim() === "") return {};
  const parsed = tryParseJson(input);
  return parsed.ok ? parsed.value : input;
}

function collectIds({ messages }: Pick<ModelRequest, "messages">): Set<string> {
  return new Set(
    messages.flatMap((message) => (message.role === "assistant" ? message.calls.map(({ id }) => id) : [])),
  );
}

/** Makes an id unique: small servers count calls from 0 in each answer, or send no ids. */
function chooseId(told: string, taken: Set<string>): string {
  const plain = told.replaceAll(/[^\w-]/g, "_") || "call";
  let id = plain;
  for (let number = 2; taken.has(id); number += 1) id = `${plain}_${number}`;
  taken.add(id);
  return id;
}

function toFinish(
  { unified, raw }: SdkAnswer["finishReason"],
  text: string,
  calls: readonly ModelCall[],
): ModelReply["finish"] {
  if (unified === "length") return "cut";
  if (unified === "content-filter") return raw === "refusal" || text.trim() === "" ? "refused" : "filtered";
  if (raw === "pause_turn" && calls.length === 0) return "paused";
  if (calls.length > 0) return "calls";
  return unified === "stop" ? "stop" : "other";
}

function toUsage({ inputTokens, outputTokens }: SdkAnswer["usage"]): ModelUsage | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  const cached = inputTokens.cacheRead ?? 0;
  const cacheWrite = inputTokens.cacheWrite ?? 0;
  const input = inputTokens.noCache ?? (inputTokens.total ?? 0) - cached - cacheWrite;
  return { input: Math.max(0, input), output: outputTokens.total ?? 0, cached, cacheWrite };
}

/** Returns the cost in dollars; `undefined` if the table has no price under `provider/model` or the model's own name. */
export function computeCost(usage: ModelUsage, name: string, prices: Prices | undefined): number | undefined {
  const own = name.slice(name.indexOf("/") + 1);
  const price = [name, own].flatMap((key) => {
    const found = prices !== undefined && Object.hasOwn(prices, key) ? prices[key] : undefined;
    return found === undefined ? [] : [found];
  })[0];
  // Written tokens without a price of their own cost as much as other input.
  const written = price?.cache_write === undefined ? 0 : usage.cacheWrite;
  const used: Used = {
    input_tokens: usage.input + usage.cacheWrite - written,
    cached_input_tokens: usage.cached,
    output_tokens: usage.output,
  };
  const { cost_usd } = addCost(used, price);
  return cost_usd === undefined
    ? undefined
    : roundUsd(cost_usd + (written * (price?.cache_write ?? 0)) / 1_000_000);
}
