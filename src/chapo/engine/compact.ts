// Keeps a conversation within the window: older turns become a summary, or go. Whole turns only: no call is parted from its
// results; the first request and the latest turns stay. Leaves when the model is asked next to converse.ts.
import type { OfferedTool } from "../model.js";
import { askModel } from "./ask-model.js";
import { clipMiddle } from "./clip.js";
import { toSend, type Conversation, type Message } from "./conversation.js";
import { requests, transcript } from "./steps.js";
import { messageTokens, textTokens, toolTokens } from "./tokens.js";
import type { Chat, EngineWorld } from "./world.js";

/** The share of its messages that stays, of the latest turns, when the older ones are compacted. */
const KEPT = 0.3;
const LONGEST_SUMMARY = 8000;
const SUMMARY_MARK = "Summary of the conversation up to here, in place of its older turns:";

/** The most tokens a request may have: the smaller of the model's window and the setting. */
export function limitOf({ settings, model }: EngineWorld): number {
  return Math.min(
    settings.contextWindow ?? model.contextWindow ?? settings.maxConversationTokens,
    settings.maxConversationTokens,
  );
}

/** Tokens of the next request: what a provider counted and an estimate of the rest, or of all. */
export function usedTokens(
  { counted, messages }: Conversation,
  world: EngineWorld,
  tools: readonly OfferedTool[],
): number {
  if (counted !== undefined && counted.messages <= messages.length)
    return counted.tokens + messageTokens(toSend(messages.slice(counted.messages)));
  return estimate(messages, world, tools);
}

function estimate(
  messages: readonly Message[],
  { system }: EngineWorld,
  tools: readonly OfferedTool[],
): number {
  return textTokens(system) + toolTokens(tools) + messageTokens(toSend(messages));
}

/** Compacts where it must. The tokens of the next request; `undefined`: whatever is left out, it is too long. */
export async function makeRoom(
  world: EngineWorld,
  chat: Chat,
  tools: readonly OfferedTool[],
): Promise<number | undefined> {
  const limit = limitOf(world);
  const size = (): number => estimate(chat.conversation.messages, world, tools);
  const full = usedTokens(chat.conversation, world, tools) >= world.settings.compactAt * limit;
  // What a provider counts may be less than the estimate: a request stays below the limit by either.
  if (full || size() > limit) await compact(world, chat, tools, KEPT);
  if (size() > limit) dropTurns(world, chat, tools);
  return size() > limit ? undefined : usedTokens(chat.conversation, world, tools);
}

/** Compacts now, whatever the window, all but a share of the messages; the last turn stays. Whether there was anything to compact. */
export async function compact(
  world: EngineWorld,
  chat: Chat,
  tools: readonly OfferedTool[],
  share = 0,
): Promise<boolean> {
  const { conversation } = chat;
  const parts = partTurns(conversation.messages, share, limitOf(world));
  if (parts === undefined) return false;
  const { first, old, tail } = parts;
  const before = usedTokens(conversation, world, tools);
  const summary = await summarise(world, chat, old);
  const replaced = summary ?? "(Older turns were left out: there was no room for them.)";
  const { counted: _outdated, ...kept } = chat.conversation;
  chat.conversation = {
    ...kept,
    messages: [first, { role: "user", text: summaryText(replaced, old), own: true }, ...tail],
    summaries: summary === undefined ? kept.summaries : [...kept.summaries, summary],
  };
  world.emit({
    type: "compaction",
    data: {
      how: summary === undefined ? "dropped" : "summary",
      before,
      after: usedTokens(chat.conversation, world, tools),
      messages: old.length,
      ...(summary === undefined ? {} : { summary }),
    },
  });
  await world.save(chat.conversation);
  if (summary !== undefined) await world.remember(summary);
  return true;
}

/** Compacts a conversation nobody works on, all but its last turn; `undefined` where there is nothing to compact. */
export async function compactNow(
  world: EngineWorld,
  conversation: Conversation,
): Promise<Conversation | undefined> {
  const chat: Chat = { conversation, failures: new Map() };
  return (await compact(world, chat, [])) ? chat.conversation : undefined;
}

/** What the user said meanwhile is no part of what a summary may lose. */
function summaryText(summary: string, old: readonly Message[]): string {
  const said = requests(old);
  return `${SUMMARY_MARK}\n\n${summary}${said === "" ? "" : `\n\nThe user said meanwhile, word for word:\n\n${said}`}`;
}

async function summarise(
  world: EngineWorld,
  chat: Chat,
  old: readonly Message[],
): Promise<string | undefined> {
  // It has to fit as well: two characters for each token that may be used.
  const total = limitOf(world) * 2;
  const text = transcript(old, { args: 1000, result: 3000, total });
  const answer = await askModel(world, chat, {
    who: "compaction",
    system: world.prompts.compaction,
    messages: [{ role: "user", text }],
    tools: [],
  });
  const summary = "reply" in answer ? answer.reply.text.trim() : "";
  return summary === "" ? undefined : clipMiddle(summary, LONGEST_SUMMARY);
}

interface Parts {
  first: Message;
  old: readonly Message[];
  tail: readonly Message[];
}

/** The first request; the older turns; the latest ones that are no more than a share of all and of the limit, the last one always. `undefined`: no older ones. */
function partTurns(messages: readonly Message[], share: number, limit: number): Parts | undefined {
  const [first, ...rest] = messages;
  if (first === undefined) return undefined;
  const starts = turnStarts(rest);
  const keep = share * Math.min(limit, messageTokens(toSend(rest)));
  let from = starts.at(-1) ?? 0;
  for (const start of starts.toReversed()) {
    if (messageTokens(toSend(rest.slice(start))) > keep) break;
    from = start;
  }
  const isSummaryOnly = from === 1 && isSummary(rest[0]);
  return from === 0 || isSummaryOnly
    ? undefined
    : { first, old: rest.slice(0, from), tail: rest.slice(from) };
}

/** Where turns begin: everywhere but at the results of the calls before. */
function turnStarts(messages: readonly Message[]): number[] {
  return messages.flatMap(({ role }, n) => (role === "tool" ? [] : [n]));
}

function isSummary(message: Message | undefined): boolean {
  return message?.role === "user" && message.own === true && message.text.startsWith(SUMMARY_MARK);
}

/** Drops the oldest turns behind the first request and the summary, until the rest fits or only the last one is left. */
function dropTurns(world: EngineWorld, chat: Chat, tools: readonly OfferedTool[]): void {
  const limit = limitOf(world);
  const { counted: _outdated, ...kept } = chat.conversation;
  const [first, ...rest] = kept.messages;
  if (first === undefined) return;
  const head = isSummary(rest[0]) ? [first, ...rest.slice(0, 1)] : [first];
  const turns = kept.messages.slice(head.length);
  const starts = turnStarts(turns);
  const fits = starts.find((start) => estimate([...head, ...turns.slice(start)], world, tools) <= limit);
  const from = fits ?? starts.at(-1) ?? 0;
  if (from === 0) return;
  const before = estimate(kept.messages, world, tools);
  chat.conversation = { ...kept, messages: [...head, ...turns.slice(from)] };
  const after = estimate(chat.conversation.messages, world, tools);
  world.emit({ type: "compaction", data: { how: "dropped", before, after, messages: from } });
}

/** Forgets what was said, but for the request at hand: the work goes on. */
export function clear(world: EngineWorld, chat: Chat): void {
  const { counted: _outdated, ...kept } = chat.conversation;
  const request = kept.messages.findLast(({ role, ...of }) => role === "user" && !("own" in of));
  const before = messageTokens(toSend(kept.messages));
  const messages: Message[] =
    request === undefined
      ? []
      : [request, { role: "user", text: "(What was said and done until here was cleared.)", own: true }];
  chat.conversation = { ...kept, messages };
  const after = messageTokens(toSend(messages));
  world.emit({
    type: "compaction",
    data: { how: "cleared", before, after, messages: kept.messages.length - messages.length },
  });
}
