// What was done, for those who were not there: the validation, the summary of exhaustion, the compaction. Pure.
import { clip, clipMiddle } from "./clip.js";
import type { Conversation, Message } from "./conversation.js";

/** How much is shown of each thing, characters. */
interface Bounds {
  args: number;
  result: number;
  /** In all; the middle is left out beyond it. */
  total: number;
}

/** What was done: the summaries of older turns, then every call with what came of it, numbered; "" when there was none. */
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

/** A conversation as a text, each message under the name of who said it. */
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

/** What the user said: the first of it and the last three, each on its own. */
export function quoteRequests(messages: readonly Message[]): string {
  const said = messages.flatMap((message) =>
    message.role === "user" && message.own === undefined ? [clipMiddle(message.text, 8000)] : [],
  );
  const shown = said.length <= 4 ? said : [...said.slice(0, 1), ...said.slice(-3)];
  return shown.join("\n\n(later)\n\n");
}
