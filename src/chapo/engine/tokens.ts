// How many tokens a text comes to, where no provider counted it: an estimate, rather too high than too low. Pure.
import type { ChatMessage, OfferedTool } from "../model.js";

/** Of ASCII; of what is beyond it, each character counts as one token. */
const CHARACTERS_PER_TOKEN = 4;
/** Around a message, a call, a result, a tool. */
const FRAME = 4;

/** Tokens of a text. */
export function textTokens(text: string): number {
  let beyond = 0;
  for (let n = 0; n < text.length; n += 1) if (text.charCodeAt(n) > 127) beyond += 1;
  return Math.ceil((text.length - beyond) / CHARACTERS_PER_TOKEN) + beyond;
}

/** Tokens of messages, the arguments of their calls with them. */
export function messageTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + FRAME + tokensOf(message), 0);
}

function tokensOf(message: ChatMessage): number {
  switch (message.role) {
    case "user":
      return textTokens(message.text);
    case "assistant":
      return message.calls.reduce(
        (sum, call) =>
          sum + FRAME + textTokens(call.name) + jsonTokens(call.args) + textTokens(call.signature ?? ""),
        textTokens(message.text),
      );
    case "tool":
      return message.results.reduce((sum, { output }) => sum + FRAME + textTokens(output), 0);
    default:
      return message satisfies never;
  }
}

/** Tokens of what tools are described with, their schemas with them. */
export function toolTokens(tools: readonly OfferedTool[]): number {
  return tools.reduce(
    (sum, { name, description, parameters }) =>
      sum + FRAME + textTokens(name) + textTokens(description) + jsonTokens(parameters),
    0,
  );
}

function jsonTokens(value: unknown): number {
  // JSON knows no undefined.
  return textTokens(value === undefined ? "" : JSON.stringify(value));
}
