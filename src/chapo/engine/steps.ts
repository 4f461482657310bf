// Describes the steps of a conversation as text, for the validation, the final summary and the compaction. Pure.
import { clip, clipMiddle } from "./window/clip.js";
import type { Conversation, Message } from "./conversation.js";

/** The most characters shown of each part. */
interface Bounds {
  args: number;
  result: number;
  /** Of the whole text; the middle is left out beyond it. */
  total: number;
}

/** Lists the summaries of older turns, then every call with its result, numbered; "" if there are none. */
export function describeSteps({ messages, summaries }: Conversation, bounds: Bounds): string {
  const older = summaries.map((summary) => `(Summed up:) ${summary}`);
  const results = new Map(
    messages.flatMap((message) =>
      message.role === "tool" ? message.results.map((result) => [result.callId, result] as const) : [],
    ),
  );
  const lines = messages
    .flatMap((message) => (message.role === "assistant" ? message.calls : []))
    .map((call, n) => {
      const result = results.get(call.id);
      const came = result === undefined ? "not run" : result.success ? "ok" : "failed";
      const output = result === undefined ? "" : `: ${clip(result.output, bounds.result)}`;
      return `${n + 1}. ${call.name} ${clip(formatArguments(call.args), bounds.args)} → ${came}${output}`;
    });
  return clipMiddle([...older, ...lines].join("\n"), bounds.total);
}

function formatArguments(args: unknown): string {
  return typeof args === "string" ? args : JSON.stringify(args ?? {});
}

/** Formats messages as a transcript, each with the name of its author. */
export function formatTranscript(messages: readonly Message[], bounds: Bounds): string {
  const parts = messages.map((message) => {
    switch (message.role) {
      case "user":
        return `${message.own === undefined ? "USER" : "ENGINE"}: ${clip(message.text, bounds.result)}`;
      case "assistant":
        return [
          `ASSISTANT: ${clip(message.text, bounds.result)}`,
          ...message.calls.map(
            ({ name, args }) => `  calls ${name} ${clip(formatArguments(args), bounds.args)}`,
          ),
        ].join("\n");
      case "tool":
        return message.results
          .map(
            ({ name, success, output }) =>
              `RESULT of ${name} (${success ? "ok" : "failed"}): ${clip(output, bounds.result)}`,
          )
          .join("\n");
      default:
        return message satisfies never;
    }
  });
  return clipMiddle(parts.join("\n\n"), bounds.total);
}

/** Quotes the user's first message and the last three. */
export function quoteRequests(messages: readonly Message[]): string {
  const said = messages.flatMap((message) =>
    message.role === "user" && message.own === undefined ? [clipMiddle(message.text, 8000)] : [],
  );
  const shown = said.length <= 4 ? said : [...said.slice(0, 1), ...said.slice(-3)];
  return shown.join("\n\n(later)\n\n");
}
