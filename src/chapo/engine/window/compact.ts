// Keeps a conversation within the context window: older turns are replaced by a summary, or dropped. Only whole turns are
// removed, so that a call keeps its results. The first request and the latest turns stay; if they alone do not fit, the longest of
// their texts are cut at both ends, with a note on where the whole text is.
import type { CallResult, OfferedTool } from "../../model.js";
import { fireCompact, fireCompacted } from "../fire.js";
import { askModel } from "../ask-model.js";
import { clipMiddle } from "./clip.js";
import type { Message } from "../conversation.js";
import { quoteRequests, formatTranscript } from "../steps.js";
import { estimateMessages, estimateText, estimateTools } from "./tokens.js";
import type { LiveConversation, EngineWorld } from "../world.js";

type Offered = readonly OfferedTool[];

/** The share of the messages, in tokens, that stays as latest turns when the older ones are compacted. */
const KEPT = 0.3;
/** The share of the window that texts are cut to, so that there is room for the next turns. */
const FILLED = 0.75;
const LONGEST_SUMMARY = 8000;
const SUMMARY_MARK = "Summary of the conversation up to here, in place of its older turns:";

/** Returns the most tokens a request may have: the smaller of the model's context window and the setting. */
export function getTokenLimit({ settings, model }: EngineWorld): number {
  return Math.min(
    settings.contextWindow ?? model.contextWindow ?? settings.maxConversationTokens,
    settings.maxConversationTokens,
  );
}

/** Returns the tokens of the next request. Messages the provider did not count yet are estimated. */
export function countUsedTokens(live: LiveConversation, tools: Offered): number {
  const { counted, messages } = live.conversation;
  if (counted !== undefined && counted.messages <= messages.length)
    return counted.tokens + estimateMessages(messages.slice(counted.messages));
  return estimateRequest(live, tools);
}

function estimateRequest({ world, conversation }: LiveConversation, tools: Offered): number {
  return estimateText(world.system) + estimateTools(tools) + estimateMessages(conversation.messages);
}

/** Compacts if necessary. Returns the tokens of the next request; `undefined` if no compaction makes the request fit. */
export async function makeRoom(live: LiveConversation, tools: Offered): Promise<number | undefined> {
  const limit = getTokenLimit(live.world);
  const size = (): number => estimateRequest(live, tools);
  const full = countUsedTokens(live, tools) >= live.world.settings.compactAt * limit;
  // The provider's count may be lower than the estimate. The request stays below the limit by both.
  if (full || size() > limit) await compact(live, tools, KEPT);
  if (size() > limit) await shortenTo(live, tools, limit * FILLED);
  return size() > limit ? undefined : countUsedTokens(live, tools);
}

/** Cuts the longest texts so that the request has at most `most` tokens. Returns whether that was possible. */
export async function shortenTo(live: LiveConversation, tools: Offered, most: number): Promise<boolean> {
  const { world } = live;
  const kept = live.conversation;
  const before = estimateRequest(live, tools);
  const fixed = before - estimateMessages(kept.messages);
  const messages = await shortenMessages(world, kept.messages, Math.floor(most - fixed));
  if (messages === undefined) return false;
  live.conversation = { ...kept, counted: undefined, messages };
  const after = estimateRequest(live, tools);
  const cut = messages.filter((message, n) => JSON.stringify(message) !== JSON.stringify(kept.messages[n]));
  world.emit({ type: "compaction", data: { how: "clipped", before, after, messages: cut.length } });
  await world.save(live.conversation);
  return true;
}

/**
 * Compacts all but a share of the messages, however full the window is; the last turn stays. Without a share a person or the model
 * asked for it. `false`: there is nothing to compact; `blocked`: why a hook refused.
 */
export async function compact(
  live: LiveConversation,
  tools: Offered,
  share?: number,
): Promise<boolean | { blocked: string }> {
  const { world, conversation } = live;
  const parts = splitTurns(conversation.messages, share ?? 0, getTokenLimit(world));
  if (parts === undefined) return false;
  const blocked = await fireCompact(world, share === undefined ? "manual" : "auto");
  if (blocked !== undefined) return { blocked };
  const { first, old, tail } = parts;
  const before = countUsedTokens(live, tools);
  const summary = await summarise(live, old);
  const replaced = summary ?? "(Older turns were left out: they did not fit.)";
  const added = await fireCompacted(world);
  const text = `${formatSummary(replaced, old)}${added === undefined ? "" : `\n\n[a hook adds: ${added}]`}`;
  const { summaries } = live.conversation;
  live.conversation = {
    ...live.conversation,
    counted: undefined,
    messages: [first, { role: "user", text, own: true }, ...tail],
    summaries: summary === undefined ? summaries : [...summaries, summary],
  };
  world.emit({
    type: "compaction",
    data: {
      how: summary === undefined ? "dropped" : "summary",
      before,
      after: countUsedTokens(live, tools),
      messages: old.length,
      summary,
    },
  });
  await world.save(live.conversation);
  if (summary !== undefined) await world.remember(summary);
  return true;
}

/** Adds the user's own words to the summary, so that compaction never loses them. */
function formatSummary(summary: string, old: readonly Message[]): string {
  const said = quoteRequests(old);
  return `${SUMMARY_MARK}\n\n${summary}${said === "" ? "" : `\n\nThe user said meanwhile, word for word:\n\n${said}`}`;
}

async function summarise(live: LiveConversation, old: readonly Message[]): Promise<string | undefined> {
  const { world } = live;
  // The transcript has to fit into the window too: two characters for each token of the limit.
  const total = getTokenLimit(world) * 2;
  const text = formatTranscript(old, { args: 1000, result: 3000, total });
  const answer = await askModel(live, {
    who: "compaction",
    system: world.prompts["looper.compaction"],
    messages: [{ role: "user", text }],
    tools: [],
  });
  const summary = "reply" in answer ? answer.reply.text.trim() : "";
  return summary === "" ? undefined : clipMiddle(summary, LONGEST_SUMMARY);
}

/**
 * Splits the messages into the first request, the older turns and the latest turns. The latest turns have at most `share` of the
 * tokens, but always include the last turn. `undefined`: all turns are among the latest.
 */
function splitTurns(messages: readonly Message[], share: number, limit: number) {
  const [first, ...rest] = messages;
  if (first === undefined) return undefined;
  // A turn begins at each message except results of tools.
  const starts = rest.flatMap(({ role }, n) => (role === "tool" ? [] : [n]));
  const keep = share * Math.min(limit, estimateMessages(rest));
  let from = starts.at(-1) ?? 0;
  for (const start of starts.toReversed()) {
    if (estimateMessages(rest.slice(start)) > keep) break;
    from = start;
  }
  const isSummaryOnly = from === 1 && isSummary(rest[0]);
  return from === 0 || isSummaryOnly
    ? undefined
    : { first, old: rest.slice(0, from), tail: rest.slice(from) };
}

function isSummary(message: Message | undefined): boolean {
  return message?.role === "user" && message.own === true && message.text.startsWith(SUMMARY_MARK);
}

/** Removes all messages except the current request, so that the work continues. */
export function clear(live: LiveConversation): void {
  const kept = live.conversation;
  const request = kept.messages.findLast(({ role, ...of }) => role === "user" && !("own" in of));
  const before = estimateMessages(kept.messages);
  const messages: Message[] =
    request === undefined
      ? []
      : [request, { role: "user", text: "(What was said and done until here was cleared.)", own: true }];
  live.conversation = { ...kept, counted: undefined, messages };
  const data = { how: "cleared", before, after: estimateMessages(messages) } as const;
  const removed = kept.messages.length - messages.length;
  live.world.emit({ type: "compaction", data: { ...data, messages: removed } });
}

/** A text is never cut below this number of tokens, so that both ends still say something. */
const LEAST = 150;
/** Tokens reserved for the note in the middle of a text. */
const NOTE = 60;
const NOTED = /\n\[… \d+ of \d+ characters are left out here(;[^\n]*?)? …\]\n/;

/**
 * Returns the messages with their longest texts cut to a common length, so that they have at most `most` tokens; `undefined` if
 * that is not possible. Short texts stay whole.
 */
async function shortenMessages(
  { gate }: Pick<EngineWorld, "gate">,
  messages: readonly Message[],
  most: number,
): Promise<Message[] | undefined> {
  let cap = most;
  // A note takes its tokens from its text, so it does not matter here.
  while (estimateMessages(await cutMessages(messages, cap, () => Promise.resolve(""))) > most) {
    cap = Math.floor(cap * NEXT);
    if (cap < LEAST) return undefined;
  }
  return cutMessages(
    messages,
    cap,
    async (name, text) =>
      NOTED.exec(text)?.[1] ?? `; all of it is in ${await gate.keepOutput(name, text)}, read on there`,
  );
}

/** The share of a common length that is tried next. */
const NEXT = 0.8;

/** Returns a message of the user, cut to a number of tokens. A file holds the whole message. */
export async function boundMessage(
  { gate }: Pick<EngineWorld, "gate">,
  text: string,
  most: number,
): Promise<string> {
  if (estimateText(text) <= most) return text;
  return cut(text, most, `; all of it is in ${await gate.keepOutput("message", text)}, read on there`);
}

/** Cuts texts of more than `cap` tokens. `note`: says where the whole text is; `name`: of the file that keeps it. */
async function cutMessages(
  messages: readonly Message[],
  cap: number,
  note: (name: string, text: string) => Promise<string>,
): Promise<Message[]> {
  const fit = async (name: string, text: string): Promise<string> =>
    estimateText(text) <= cap ? text : cut(text, cap, await note(name, text));
  const cutOne = async (message: Message, at: number): Promise<Message> => {
    switch (message.role) {
      case "user":
        return { ...message, text: await fit(`message-${at}`, message.text) };
      case "assistant": {
        // The call was made with the whole text, so no file needs to keep it.
        const calls = message.calls.map((call) => ({ ...call, args: cutStrings(call.args, cap) }));
        return { ...message, text: await fit(`text-${at}`, message.text), calls };
      }
      case "tool": {
        const fitOne = async (one: CallResult) => ({ ...one, output: await fit(one.callId, one.output) });
        const fitted = message.results.map(fitOne);
        return { ...message, results: await Promise.all(fitted) };
      }
      default:
        return message satisfies never;
    }
  };
  return Promise.all(messages.map(cutOne));
}

function cutStrings(value: unknown, cap: number): unknown {
  if (typeof value === "string")
    return estimateText(value) <= cap ? value : cut(value, cap, "; the call had all of it");
  if (Array.isArray(value)) return value.map((one) => cutStrings(one, cap));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cutStrings(one, cap)]));
}

/** Cuts a text to about `most` tokens, note included. */
function cut(text: string, most: number, where: string): string {
  const share = Math.max(0, most - NOTE - estimateText(where)) / estimateText(text);
  return clipMiddle(text, Math.floor(text.length * share), where);
}
