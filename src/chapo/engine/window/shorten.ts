// Shortens the longest texts of a request that is still too long after compaction: results, messages, and what the model wrote.
// Both ends of a text stay, with a note on where the whole text is. compact.ts decides when; the arithmetic here is pure.
import { clipMiddle } from "./clip.js";
import { toChatMessages, type Message } from "../conversation.js";
import { estimateMessages, estimateText } from "./tokens.js";
import type { EngineWorld } from "../world.js";

/** A text is never cut below this number of tokens, so that both ends still say something. */
const LEAST = 150;
/** Tokens reserved for the note in the middle of a text. */
const NOTE = 60;
const NOTED = /\n\[… \d+ of \d+ characters are left out here(;[^\n]*?)? …\]\n/;

/** Returns the note's words on where a whole text is. `name`: of the file that keeps it. */
type Keep = (name: string, text: string) => Promise<string>;

/**
 * Returns the messages with their longest texts cut to a common length, so that they have at most `most` tokens; `undefined` if
 * that is not possible. Short texts stay whole.
 */
export async function shortenMessages(
  { gate }: Pick<EngineWorld, "gate">,
  messages: readonly Message[],
  most: number,
): Promise<Message[] | undefined> {
  const sizes = messages.flatMap((message) => listTexts(message).map((text) => estimateText(text)));
  const all = estimateMessages(toChatMessages(messages));
  const cap = findCap(sizes, most - (all - sizes.reduce((sum, size) => sum + size, 0)));
  if (cap === undefined) return undefined;
  const keep: Keep = async (name, text) =>
    NOTED.exec(text)?.[1] ?? `; all of it is in ${await gate.keepOutput(name, text)}, read on there`;
  const shortened: Message[] = [];
  for (const [at, message] of messages.entries()) shortened.push(await shorten(message, { cap, at, keep }));
  return shortened;
}

/** Returns a message of the user, cut to a number of tokens. A file holds the whole message. */
export async function boundMessage(
  { gate }: Pick<EngineWorld, "gate">,
  text: string,
  most: number,
): Promise<string> {
  if (estimateText(text) <= most) return text;
  return cut(text, most, `; all of it is in ${await gate.keepOutput("message", text)}, read on there`);
}

/** Returns the largest length that texts may have so that their sum is at most `most`; `undefined` if it would be too short. */
function findCap(sizes: readonly number[], most: number): number | undefined {
  const sorted = sizes.toSorted((a, b) => a - b);
  let left = most;
  for (const [at, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - at));
    if (size > share) return share < LEAST ? undefined : share;
    left -= size;
  }
  return undefined;
}

/** Lists the texts of a message that can be cut. */
function listTexts(message: Message): string[] {
  switch (message.role) {
    case "user":
      return [message.text];
    case "assistant":
      return [message.text, ...message.calls.flatMap(({ args }) => listStrings(args))];
    case "tool":
      return message.results.map(({ output }) => output);
    default:
      return message satisfies never;
  }
}

function listStrings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listStrings) : [];
}

interface Shortening {
  cap: number;
  /** The index of the message. */
  at: number;
  keep: Keep;
}

async function shorten(message: Message, { cap, at, keep }: Shortening): Promise<Message> {
  const fit = async (name: string, text: string): Promise<string> =>
    estimateText(text) <= cap ? text : cut(text, cap, await keep(name, text));
  switch (message.role) {
    case "user":
      return { ...message, text: await fit(`message-${at}`, message.text) };
    case "assistant":
      return {
        ...message,
        text: await fit(`text-${at}`, message.text),
        // The call was made with the whole text, so no file needs to keep it.
        calls: message.calls.map((call) => ({ ...call, args: cutStrings(call.args, cap) })),
      };
    case "tool": {
      const results: (typeof message)["results"] = [];
      for (const result of message.results)
        results.push({ ...result, output: await fit(result.callId, result.output) });
      return { ...message, results };
    }
    default:
      return message satisfies never;
  }
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
