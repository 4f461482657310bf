// Checks a draft of an answer against the request and the tools' results, in a separate request to the model.
// take-steps.ts decides what happens to the draft.
import { findObjects } from "../../../agents/json-objects.js";
import { askModel } from "../ask-model.js";
import { clipMiddle } from "../window/clip.js";
import type { Conversation } from "../conversation.js";
import { DraftVerdict } from "../events.js";
import { quoteRequests, describeSteps } from "../steps.js";
import type { LiveConversation, EngineWorld } from "../world.js";

/** Returns the verdict on a draft, or why there is none: the request failed, or its reply cannot be read. */
export async function validate(
  world: EngineWorld,
  live: LiveConversation,
  draft: string,
): Promise<{ verdict: DraftVerdict } | { unknown: string }> {
  const answer = await askModel(world, live, {
    who: "validation",
    system: world.prompts["looper.validation"],
    messages: [{ role: "user", text: formatBrief(live.conversation, draft) }],
    tools: [],
  });
  if ("failure" in answer) return { unknown: `the validation failed: ${answer.failure.message}` };
  const verdict = readVerdict(answer.reply.text);
  return verdict === undefined ? { unknown: "the validation returned no readable verdict" } : { verdict };
}

function formatBrief(conversation: Conversation, draft: string): string {
  const { messages } = conversation;
  const evidence = describeSteps(conversation, { args: 500, result: 1500, total: 24_000 });
  return [
    `REQUEST:\n${quoteRequests(messages)}`,
    `WHAT THE TOOLS RETURNED:\n${evidence === "" ? "(no tool was called)" : evidence}`,
    `DRAFT:\n${clipMiddle(draft, 16_000)}`,
  ].join("\n\n");
}

/** Returns the last JSON object in the text that is a verdict. */
function readVerdict(text: string): DraftVerdict | undefined {
  const { objects } = findObjects(text, "confidence");
  for (const { start, end } of objects.toReversed()) {
    const read = DraftVerdict.safeParse(dropNulls(JSON.parse(text.slice(start, end))));
    if (read.success) return read.data;
  }
  return undefined;
}

/** Treats a field that is null as left out: models do either if they have nothing to report. */
function dropNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return { issues: [], ...Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null)) };
}

/** Writes the message to the model about a draft that was sent back. */
export function formatFeedback({ issues, suggestion, confidence }: DraftVerdict, draft: string): string {
  return [
    `Your answer was checked before the user saw it, and sent back (confidence ${confidence}).`,
    issues.length === 0 ? "" : `Issues:\n${issues.map((issue) => `- ${issue}`).join("\n")}`,
    suggestion === undefined || suggestion === "" ? "" : `Suggestion: ${suggestion}`,
    `Fix this, with tools if necessary, then give the whole answer again. Your draft was:\n\n${clipMiddle(draft, 6000)}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
