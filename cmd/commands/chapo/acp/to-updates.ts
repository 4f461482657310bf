// Converts a session's events to updates of the Agent Client Protocol. Pure. serve.ts sends them.
import type { SessionUpdate, StopReason, ToolKind } from "@agentclientprotocol/sdk";
import type { ChapoEvent } from "../../../../src/chapo/engine/events.js";
import type { ConversationOutcome } from "../../../../src/chapo/engine/world.js";
import { textField } from "../../../../src/agents/fields.js";
import { never } from "../../../../src/system/never.js";

/** The text of the turn that was sent already, so that it is not sent again whole. */
export interface SentText {
  /** The pieces of the reply that is being streamed. */
  streamed: string;
  /** The last whole text. */
  last: string;
}

export const NOTHING_SENT: SentText = { streamed: "", last: "" };

/** Returns the updates for an event, and the sent text after it. */
export function toUpdates(event: ChapoEvent, sent: SentText): { updates: SessionUpdate[]; sent: SentText } {
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
      };
      return { updates: [begun], sent };
    }
    case "tool_result": {
      const { callId, success, output } = event.data;
      const over: SessionUpdate = {
        sessionUpdate: "tool_call_update",
        toolCallId: callId,
        status: success ? "completed" : "failed",
        content: [{ type: "content", content: { type: "text", text: output } }],
      };
      return { updates: [over], sent };
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

/** Sends a text unless the turn sent it already. */
function sayOnce(text: string, sent: SentText): SessionUpdate[] {
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
