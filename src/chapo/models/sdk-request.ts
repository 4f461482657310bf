// Converts a request to the SDK's format. Pure. The providers convert it to their own formats; reply.ts converts the answer.
import { never } from "../../system/never.js";
import type { CallResult, ChatMessage, ModelCall, ModelRequest, OfferedTool } from "../model.js";
import type { ToolParameters } from "../tool.js";
import type { SdkMarks, SdkMessage, SdkOptions } from "./sdk-types.js";
import { readSignature } from "./signature.js";

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
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool, at) => toSdkTool(tool, at === tools.length - 1)) }),
  };
}

function toSdkTool({ name, description, parameters }: OfferedTool, last: boolean): SdkTool {
  if (!isSchema(parameters)) throw new Error(`the parameters of ${name} are not an object`);
  return {
    type: "function",
    name,
    description,
    inputSchema: parameters,
    ...(last ? { providerOptions: CACHED } : {}),
  };
}

function isSchema(schema: ToolParameters): schema is ToolParameters & Schema {
  return schema["type"] === "object";
}

/** Converts a message. An empty answer is left out, because no provider accepts one. */
function toSdkMessages(message: ChatMessage, name: string): SdkMessage[] {
  switch (message.role) {
    case "user":
      return [
        {
          role: "user",
          content: [
            { type: "text", text: fillEmpty(message.text) },
            ...(message.images ?? []).map(({ type: mediaType, data }) => ({
              ...{ type: "file" as const, mediaType, data },
            })),
          ],
        },
      ];
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
    if (piece.trim() !== "") parts.push({ type: "text", text: piece, ...toProviderOptions(options) });
  };
  for (const call of calls) {
    const { before, options } = readSignature(call.signature, name);
    for (const kept of before)
      if (kept.text === undefined)
        parts.push({ type: "reasoning", text: kept.thought, ...toProviderOptions(kept.options) });
      else say(kept.text, kept.options);
    if (before.length === 0 && call === calls[0]) say(text.length, undefined);
    parts.push({
      type: "tool-call",
      toolCallId: call.id,
      toolName: toWireName(call.name),
      input: toObject(call.args),
      ...toProviderOptions(options),
    });
  }
  say(text.length, undefined);
  return parts;
}

function toProviderOptions(options: SdkMarks | undefined): { providerOptions?: SdkMarks } {
  return options === undefined ? {} : { providerOptions: options };
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
