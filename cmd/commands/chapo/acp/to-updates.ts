// Converts a session's events to updates of the Agent Client Protocol. Pure. serve.ts sends them.
import path from "node:path";
import type {
  PlanEntry,
  SessionUpdate,
  StopReason,
  ToolCallContent,
  ToolKind,
} from "@agentclientprotocol/sdk";
import type { ChapoEvent } from "../../../../src/chapo/engine/events.js";
import type { ConversationOutcome } from "../../../../src/chapo/engine/world.js";
import { listField, textField } from "../../../../src/agents/fields.js";
import { never } from "../../../../src/system/never.js";

/** The parts of the turn that were sent already: a text is not sent again whole, and a result belongs to its call. */
export interface Sent {
  /** The pieces of the reply that is being streamed. */
  streamed: string;
  /** The last whole text. */
  last: string;
  /** The list of todos in the call that runs. */
  todos?: readonly unknown[];
}

export const NOTHING_SENT: Sent = { streamed: "", last: "" };

/** Returns the updates for an event, and what was sent after it. `root`: the project's folder, absolute. */
export function toUpdates(
  event: ChapoEvent,
  sent: Sent,
  root: string,
): { updates: SessionUpdate[]; sent: Sent } {
  if (event.child !== undefined) return { updates: [], sent };
  switch (event.type) {
    case "delta": {
      const { text } = event.data;
      return { updates: [say(text)], sent: { ...sent, streamed: sent.streamed + text } };
    }
    case "thought": {
      const { text } = event.data;
      return { updates: [{ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } }], sent };
    }
    case "message": {
      const { text } = event.data;
      const updates = sent.streamed === "" ? [say(text)] : [];
      return { updates, sent: { streamed: "", last: text.trim() } };
    }
    case "tool_call": {
      const { callId, tool, args } = event.data;
      const begun: SessionUpdate = {
        sessionUpdate: "tool_call",
        toolCallId: callId,
        title: toTitle(tool, args),
        kind: toKind(tool),
        status: "in_progress",
        rawInput: args,
        locations: listPaths(args).map((one) => ({ path: path.resolve(root, one) })),
      };
      return { updates: [begun], sent: { ...sent, todos: listField(args, "todos") } };
    }
    case "tool_result": {
      const { callId, tool, success, output, diff } = event.data;
      const over: SessionUpdate = {
        sessionUpdate: "tool_call_update",
        toolCallId: callId,
        status: success ? "completed" : "failed",
        content: [toText(output), ...(diff === undefined ? [] : [toBlock(diff)])],
      };
      const isList = tool === "todo_write" && success;
      const plan: SessionUpdate = { sessionUpdate: "plan", entries: (sent.todos ?? []).map(toEntry) };
      return { updates: [over, ...(isList ? [plan] : [])], sent };
    }
    case "answer":
      return { updates: sayOnce(event.data.answer, sent), sent: NOTHING_SENT };
    case "clarify":
      return { updates: sayOnce(event.data.question, sent), sent: NOTHING_SENT };
    default:
      return { updates: [], sent };
  }
}

function say(text: string): SessionUpdate {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

function toText(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** Returns a diff or a command as a block of code: clients show text as Markdown. */
export function toBlock(text: string): ToolCallContent {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const language = /^@@ /m.test(text) ? "diff" : "";
  return toText(`${fence}${language}\n${text.trimEnd()}\n${fence}`);
}

function toEntry(todo: unknown): PlanEntry {
  const status = textField(todo, "status");
  return {
    content: textField(todo, "content") ?? "",
    priority: "medium",
    status: status === "completed" || status === "in_progress" ? status : "pending",
  };
}

function listPaths(args: unknown): string[] {
  return ["path", "source", "destination"].flatMap((key) => textField(args, key) ?? []);
}

/** Sends a text unless the turn sent it already. */
function sayOnce(text: string, sent: Sent): SessionUpdate[] {
  return sent.last === text.trim() || text === "" ? [] : [say(text)];
}

function toTitle(tool: string, args: unknown): string {
  const subject = ["command", "path", "url", "query", "pattern"].map((key) => textField(args, key));
  const [first] = subject.filter((one) => one !== undefined);
  return first === undefined ? tool : `${tool} ${first}`.slice(0, 200);
}

const KINDS: readonly (readonly [RegExp, ToolKind])[] = [
  [/^(?:fs_readFile|fs_listFiles|notebook_read|context_|memory_read)/, "read"],
  [/^(?:fs_glob|fs_grep|memory_search|web_search)/, "search"],
  [/^fs_delete/, "delete"],
  [/^fs_move/, "move"],
  [/^(?:fs_|notebook_)/, "edit"],
  [/^(?:bash_|run_command|npm_|git_|ssh_|pm2_|github_)/, "execute"],
  [/^web_/, "fetch"],
];

/** Returns the kind of a tool, for the client's icon. */
export function toKind(tool: string): ToolKind {
  return KINDS.find(([pattern]) => pattern.test(tool))?.[1] ?? "other";
}

/** Returns why a turn stopped, or the error it ended with. */
export function toStop(outcome: ConversationOutcome): { stopReason: StopReason } | { error: string } {
  switch (outcome.how) {
    case "answer":
    case "finished":
    case "pending":
      return { stopReason: "end_turn" };
    case "clarify":
      if (!outcome.exhausted) return { stopReason: "end_turn" };
      return { stopReason: outcome.limit === "window" ? "max_tokens" : "max_turn_requests" };
    case "error":
      if (outcome.reason === "interrupted") return { stopReason: "cancelled" };
      return { error: outcome.error };
    default:
      return never(outcome);
  }
}
