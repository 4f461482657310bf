// Estimates the tokens of texts that no provider has counted, rather too high than too low. Pure.
import type { ChatMessage, OfferedTool } from "../../model.js";

/** For ASCII. Every other character counts as one token. */
const CHARACTERS_PER_TOKEN = 4;
/** Tokens added for each message, call, result and tool. */
const FRAME = 4;

/** Estimates the tokens of a text. */
export function estimateText(text: string): number {
  let beyond = 0;
  for (let n = 0; n < text.length; n += 1) if (text.charCodeAt(n) > 127) beyond += 1;
  return Math.ceil((text.length - beyond) / CHARACTERS_PER_TOKEN) + beyond;
}

/** Estimates the tokens of messages, including the arguments of their calls. */
export function estimateMessages(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + FRAME + estimateMessage(message), 0);
}

function estimateMessage(message: ChatMessage): number {
  switch (message.role) {
    case "user":
      return estimateText(message.text);
    case "assistant":
      return message.calls.reduce(
        (sum, call) =>
          sum +
          FRAME +
          estimateText(call.name) +
          estimateJson(call.args) +
          estimateText(call.signature ?? ""),
        estimateText(message.text),
      );
    case "tool":
      return message.results.reduce((sum, { output }) => sum + FRAME + estimateText(output), 0);
    default:
      return message satisfies never;
  }
}

/** Estimates the tokens of tools' descriptions and schemas. */
export function estimateTools(tools: readonly OfferedTool[]): number {
  return tools.reduce(
    (sum, { name, description, parameters }) =>
      sum + FRAME + estimateText(name) + estimateText(description) + estimateJson(parameters),
    0,
  );
}

function estimateJson(value: unknown): number {
  // JSON.stringify(undefined) does not return a text.
  return estimateText(value === undefined ? "" : JSON.stringify(value));
}
