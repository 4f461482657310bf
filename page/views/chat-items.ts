// The items of a conversation, folded from the events of a stream or from stored messages. Pure.

import { brief } from "../feed.js";
import { word } from "../words.js";

export interface ChatEvent {
  type: string;
  seq: number;
  data: Readonly<Record<string, unknown>>;
}

export interface ChatMessage {
  role: string;
  content?: string;
  toolCalls?: { id: string; name: string; arguments: unknown }[];
  /** Of role tool: what its calls gave. */
  results?: { callId: string; output: string; success?: boolean }[];
}

export type ChatItem =
  | { kind: "user" | "question" | "error"; text: string }
  | { kind: "answer"; text: string; confidence?: number; validated?: boolean; open?: boolean }
  | { kind: "call"; id: string; tool: string; text: string; state: string; result?: string }
  | {
      kind: "approval";
      id: string;
      tool: string;
      text: string;
      preview: string;
      decided?: "approve" | "reject" | undefined;
    };

/** The items after one more event. One that the stored messages told already adds nothing. */
export function addEvent(items: readonly ChatItem[], { type, data }: ChatEvent): readonly ChatItem[] {
  switch (type) {
    case "delta":
      return addText(items, word(data["text"] ?? data["delta"]));
    case "tool_call":
      if (items.some((item) => item.kind === "call" && item.id === data["callId"])) return items;
      return [
        ...closed(items),
        {
          kind: "call",
          id: word(data["callId"]),
          tool: word(data["tool"]),
          text: brief(data["args"]),
          state: "running",
        },
      ];
    case "tool_result": {
      const state = data["success"] === false ? "failed" : "done";
      return items.map((item) =>
        item.kind === "call" && item.id === word(data["callId"])
          ? { ...item, state, result: word(data["output"]) }
          : item,
      );
    }
    case "action_pending":
      if (items.some((item) => item.kind === "approval" && item.id === data["actionId"])) return items;
      return [
        ...closed(items),
        {
          kind: "approval",
          id: word(data["actionId"]),
          tool: word(data["toolName"]),
          text: word(data["description"]),
          preview: word(data["preview"]),
        },
      ];
    case "answer":
      return [...withoutLast(closed(items, true), data["answer"]), answerOf(data)];
    case "clarify":
      // The words that ask about a call are those of the approval above.
      if (items.at(-1)?.kind === "approval") return items;
      return [
        ...withoutLast(closed(items, true), data["question"]),
        { kind: "question", text: word(data["question"]) },
      ];
    case "error":
      return [...closed(items), { kind: "error", text: word(data["error"]) }];
    default:
      return items;
  }
}

/** The items without a last answer that says just this. */
function withoutLast(items: readonly ChatItem[], text: unknown): readonly ChatItem[] {
  const last = items.at(-1);
  return last?.kind === "answer" && last.text === text ? items.slice(0, -1) : items;
}

function answerOf(data: ChatEvent["data"]): ChatItem {
  const { confidence, validated, answer } = data;
  return {
    kind: "answer",
    text: word(answer),
    ...(typeof confidence === "number" ? { confidence } : {}),
    ...(typeof validated === "boolean" ? { validated } : {}),
  };
}

/** Text as it comes grows the last answer. */
function addText(items: readonly ChatItem[], text: string): readonly ChatItem[] {
  if (text === "") return items;
  const last = items.at(-1);
  if (last?.kind === "answer" && last.open === true)
    return [...items.slice(0, -1), { ...last, text: last.text + text }];
  return [...items, { kind: "answer", text, open: true }];
}

/** Ends the text that grew; `drop`: its whole follows. */
function closed(items: readonly ChatItem[], drop = false): readonly ChatItem[] {
  const last = items.at(-1);
  if (last?.kind !== "answer" || last.open !== true) return items;
  const rest = items.slice(0, -1);
  return drop ? rest : [...rest, { ...last, open: false }];
}

/** The items of a stored conversation. */
export function fromMessages(messages: readonly ChatMessage[]): ChatItem[] {
  const items: ChatItem[] = [];
  for (const message of messages) {
    const text = message.content ?? "";
    if (message.role === "user") items.push({ kind: "user", text });
    else if (message.role === "tool") {
      for (const { callId, output, success } of message.results ?? []) {
        const at = items.findLastIndex((item) => item.kind === "call" && item.id === callId);
        const call = items[at];
        if (call?.kind === "call")
          items[at] = { ...call, state: success === false ? "failed" : "done", result: output };
      }
    } else {
      if (text !== "") items.push({ kind: "answer", text });
      for (const { id, name, arguments: args } of message.toolCalls ?? [])
        items.push({ kind: "call", id, tool: name, text: brief(args), state: "running" });
    }
  }
  return items;
}
