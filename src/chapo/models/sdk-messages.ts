// Converts a request to the SDK's format, and a provider's answer to a reply with its cost. Pure. The providers convert requests to
// their own formats, and sdk.ts gathers an answer from a stream.
import type { LanguageModel } from "ai";
import { z } from "zod";
import type { Used } from "../../agents/agent.js";
import { addCost, roundUsd } from "../../agents/usage.js";
import type { Prices } from "../../config/read/prices.js";
import { never } from "../../system/never.js";
import { parseJson, tryParseJson } from "../../system/text/json.js";
import type {
  CallResult,
  ChatMessage,
  ModelCall,
  ModelReply,
  ModelRequest,
  ModelUsage,
  OfferedTool,
} from "../model.js";
import type { ToolParameters } from "../tool.js";

export type SdkModel = Extract<LanguageModel, { specificationVersion: "v3" }>;
export type SdkOptions = Parameters<SdkModel["doStream"]>[0];
type SdkMessage = SdkOptions["prompt"][number];
/** Metadata by provider, sent with a message or received with an answer. */
type SdkMarks = NonNullable<SdkMessage["providerOptions"]>;
type Whole = Awaited<ReturnType<SdkModel["doGenerate"]>>;
type Streamed = Awaited<ReturnType<SdkModel["doStream"]>>["stream"];
export type SdkPart = Streamed extends ReadableStream<infer Part> ? Part : never;
/** The parts of an answer that are read. */
export type SdkAnswer = Pick<Whole, "content" | "finishReason" | "usage">;

type AssistantPart = Extract<SdkMessage, { role: "assistant" }>["content"][number];
type ToolPart = Extract<SdkMessage, { role: "tool" }>["content"][number];
type SdkTool = NonNullable<SdkOptions["tools"]>[number];
type Schema = Extract<SdkTool, { type: "function" }>["inputSchema"];

/** Anthropic caches everything up to a mark; the others cache without one. */
const CACHED = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Converts a request, with cache marks after the tools, the system prompt and the last message. `name`: the model. */
export function toSdkPrompt(
  { system, messages, tools }: Pick<ModelRequest, "system" | "messages" | "tools">,
  name: string,
): Pick<SdkOptions, "prompt" | "tools"> {
  const said = messages.flatMap((message) => toSdkMessages(message, name));
  const last = said.at(-1);
  return {
    prompt: [
      ...(system === "" ? [] : [{ role: "system" as const, content: system, providerOptions: CACHED }]),
      ...said.slice(0, -1),
      ...(last === undefined ? [] : [{ ...last, providerOptions: CACHED }]),
    ],
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => toSdkTool(tool, tool === tools.at(-1))) }),
  };
}

function toSdkTool({ name, description, parameters }: OfferedTool, last: boolean): SdkTool {
  if (!isSchema(parameters)) throw new Error(`the parameters of ${name} are not an object`);
  const tool = { type: "function", name, description, inputSchema: parameters } as const;
  return last ? { ...tool, providerOptions: CACHED } : tool;
}

function isSchema(schema: ToolParameters): schema is ToolParameters & Schema {
  return schema["type"] === "object";
}

/** Converts a message. An empty answer is left out, because no provider accepts one. */
function toSdkMessages(message: ChatMessage, name: string): SdkMessage[] {
  switch (message.role) {
    case "user": {
      const { text, images = [] } = message;
      const files = images.map(({ type: mediaType, data }) => ({ type: "file" as const, mediaType, data }));
      return [{ role: "user", content: [{ type: "text", text: fillEmpty(text) }, ...files] }];
    }
    case "assistant": {
      const content = toAssistantParts(message, name);
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool":
      return message.results.length === 0 ? [] : [{ role: "tool", content: message.results.map(toToolPart) }];
    default:
      return never(message);
  }
}

/** Returns text and calls in their original order, with the thoughts the model expects back. */
function toAssistantParts(
  { text, calls }: { text: string; calls: readonly ModelCall[] },
  name: string,
): AssistantPart[] {
  const parts: AssistantPart[] = [];
  let at = 0;
  const say = (length: number, options: SdkMarks | undefined): void => {
    const piece = text.slice(at, at + length);
    at += length;
    if (piece.trim() !== "") parts.push({ type: "text", text: piece, providerOptions: options });
  };
  for (const call of calls) {
    const { before, options } = readSignature(call.signature, name);
    for (const kept of before)
      if (kept.text === undefined)
        parts.push({ type: "reasoning", text: kept.thought, providerOptions: kept.options });
      else say(kept.text, kept.options);
    if (before.length === 0 && call === calls[0]) say(text.length, undefined);
    parts.push({
      type: "tool-call",
      toolCallId: call.id,
      toolName: toWireName(call.name),
      input: toObject(call.args),
      providerOptions: options,
    });
  }
  say(text.length, undefined);
  return parts;
}

function toToolPart({ callId, name, success, output }: CallResult): ToolPart {
  // Only one provider's format can mark a result as failed.
  const error = /^error\b/i.test(output) ? output : `Error: ${output}`;
  return {
    type: "tool-result",
    toolCallId: callId,
    toolName: toWireName(name),
    output: success ? { type: "text", value: fillEmpty(output) } : { type: "error-text", value: error },
  };
}

/** Wraps arguments that are not an object, because providers accept only objects. */
function toObject(args: unknown): unknown {
  return typeof args === "object" && args !== null && !Array.isArray(args) ? args : { not_an_object: args };
}

/** Replaces characters in a model's invented name that providers reject. */
function toWireName(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "_";
}

/** Replaces an empty text, which no provider accepts. */
function fillEmpty(text: string): string {
  return text.trim() === "" ? "(empty)" : text;
}

/** Converts an answer to a reply. Ids of calls are the provider's, made unique within the conversation. */
export function toReply(
  answer: SdkAnswer,
  request: Pick<ModelRequest, "messages">,
  { name, prices }: { name: string; prices?: Prices },
): ModelReply {
  const before = request.messages.flatMap((one) => (one.role === "assistant" ? one.calls : []));
  const calls = collectCalls(answer.content, name, new Set(before.map(({ id }) => id)));
  const text = answer.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const usage = toUsage(answer.usage);
  const costUsd = usage === undefined ? undefined : computeCost(usage, name, prices);
  return { text, calls, finish: toFinish(answer.finishReason, text, calls), usage, costUsd, model: name };
}

function collectCalls(content: SdkAnswer["content"], name: string, taken: Set<string>): ModelCall[] {
  const calls: ModelCall[] = [];
  let before: Signed["before"] = [];
  for (const part of content) {
    const options = "providerMetadata" in part ? part.providerMetadata : undefined;
    if (part.type === "reasoning") before.push({ thought: part.text, options });
    if (part.type === "text") before.push({ thought: "", text: part.text.length, options });
    if (part.type !== "tool-call" || part.providerExecuted === true) continue;
    const signature = writeSignature(name, { before, options });
    before = [];
    const id = chooseId(part.toolCallId, taken);
    calls.push({ id, name: part.toolName, args: parseArguments(part.input), signature });
  }
  return calls;
}

/** Parses arguments. Text that is not JSON stays text; empty text becomes an empty object. */
function parseArguments(input: string): unknown {
  if (input.trim() === "") return {};
  const parsed = tryParseJson(input);
  return parsed.ok ? parsed.value : input;
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
  const table = new Map(Object.entries(prices ?? {}));
  const price = table.get(name) ?? table.get(name.slice(name.indexOf("/") + 1));
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

// The data a provider expects back with a call, unchanged: its own metadata and the model's thoughts before the call.
// It is stored as text in ModelCall.signature, which only this file reads.

const Options: z.ZodType<SdkMarks> = z.record(z.string(), z.record(z.string(), z.json()));
/** A part of an answer that came before a call. */
const PartBeforeCall = z.strictObject({
  /** The text of the thought. */
  thought: z.string(),
  /** Set if the part is not a thought but this many characters of the answer's text. */
  text: z.int().min(0).optional(),
  options: Options.optional(),
});
const Signature = z.strictObject({
  by: z.string(),
  before: z.array(PartBeforeCall).default([]),
  options: Options.optional(),
});
/** The data that is stored with a call. */
type Signed = Omit<z.infer<typeof Signature>, "by">;

/** Writes the data for the model `by` (`provider/model`) as text; `undefined` if there is neither a thought nor metadata. */
function writeSignature(by: string, { before, options }: Signed): string | undefined {
  const marked =
    options !== undefined || before.some((kept) => kept.text === undefined || kept.options !== undefined);
  return marked ? JSON.stringify({ by, before, options }) : undefined;
}

/** Reads the data back. Text of another model, or of another origin, gives none. */
function readSignature(text: string | undefined, by: string): Signed {
  const read = text === undefined ? undefined : Signature.safeParse(parseJson(text)).data;
  return read?.by === by ? read : { before: [] };
}
