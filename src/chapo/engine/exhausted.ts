// Writes the message to the user when the turns or the context window are used up: by one request to the model, or without it.
import { askModel } from "./ask-model.js";
import { clip } from "./window/clip.js";
import { getTokenLimit } from "./window/compact.js";
import type { Message } from "./conversation.js";
import { quoteRequests, describeSteps } from "./steps.js";
import type { LiveConversation, EngineWorld } from "./world.js";

/** Summarises what is done, what is open and the next steps, and ends with a question. Never empty. `why`: the used-up limit, such as "25 turns". */
export async function summariseExhausted(
  world: EngineWorld,
  live: LiveConversation,
  why: string,
): Promise<string> {
  const { messages } = live.conversation;
  const log = describeSteps(live.conversation, {
    args: 300,
    result: 500,
    total: Math.min(40_000, getTokenLimit(world)),
  });
  const request = clip(quoteRequests(messages), getTokenLimit(world));
  const answer = await askModel(world, live, {
    who: "summary",
    system: world.prompts["looper.summary"],
    messages: [
      {
        role: "user",
        text: `REQUEST:\n${request}\n\nSTEPS:\n${log === "" ? "(none)" : log}\n\nLAST WORDS:\n${getLastWords(messages)}\n\nThe work stopped: ${why} are used up.`,
      },
    ],
    tools: [],
  });
  const text = "reply" in answer ? answer.reply.text.trim() : "";
  return text === "" ? formatPlainSummary(messages, why) : text;
}

function formatPlainSummary(messages: readonly Message[], why: string): string {
  const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const failures = results.filter(({ success }) => !success).length;
  const last = results.at(-1);
  const words = getLastWords(messages);
  return [
    `Stopped: ${why} are used up. ${results.length} calls were made, ${failures} of them failed.`,
    last === undefined ? "" : `The last call was ${last.name}: ${clip(last.output, 500)}`,
    words === "" ? "" : `The last words were: ${words}`,
    "Shall I continue?",
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** Returns the model's last text, which may be a draft that was sent back. */
function getLastWords(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === "assistant" && message.text !== "");
  return last?.role === "assistant" ? clip(last.text, 2000) : "";
}
