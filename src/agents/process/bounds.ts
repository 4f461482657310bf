// Keeps what agents say within bounds: events at 64 KiB a text, the final message at its last 1 MiB.
import { never } from "../../system/never.js";
import { characterEnd, characterStart } from "../../system/text/utf8.js";
import type { AgentEvent } from "../agent.js";

const TEXT_LIMIT = 64 * 1024;
const FINAL_LIMIT = 1024 * 1024;
const MARK_ROOM = 64;

/** The text, or its beginning and a mark that says how many bytes are missing; never more than `limit` bytes. */
export function cutText(text: string, limit = TEXT_LIMIT): string {
  if (text.length * 3 <= limit) return text;
  const size = Buffer.byteLength(text);
  if (size <= limit) return text;
  const head = Buffer.from(text.slice(0, limit));
  const end = characterEnd(head, Math.max(0, limit - MARK_ROOM));
  return `${head.toString("utf8", 0, end)}\n[… ${size - end} more bytes]`;
}

/** The end of a final message: its last 1 MiB, in bytes. */
export function keepEnd(text: string): string {
  if (text.length * 3 <= FINAL_LIMIT) return text;
  const bytes = Buffer.from(text.slice(-FINAL_LIMIT));
  if (bytes.length <= FINAL_LIMIT && text.length <= FINAL_LIMIT) return text;
  return bytes.toString("utf8", characterStart(bytes, Math.max(0, bytes.length - FINAL_LIMIT)));
}

/** `held` and `line` below it, of which only as much is kept as `keepEnd` can need. Linear over many lines. */
export function appendLine(held: string, line: string): string {
  return appendText(held === "" ? held : `${held}\n`, line);
}

/** `held` and `piece` right behind it, as `appendLine` keeps them. */
export function appendText(held: string, piece: string): string {
  const next = held + piece;
  return next.length > 2 * FINAL_LIMIT ? next.slice(-FINAL_LIMIT - 1) : next;
}

type Command = Extract<AgentEvent, { type: "command" }>;

/** The event with every text in it cut at 64 KiB. */
export function boundEvent(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case "message":
      return { ...event, content: cutText(event.content) };
    case "tool_use":
      return { ...event, name: cutText(event.name), input: boundInput(event.input) };
    case "tool_result":
      return { ...event, output: cutText(event.output) };
    case "command":
      return { ...dropOddCode(event), command: cutText(event.command) };
    case "error":
      return { ...event, error: cutText(event.error) };
    case "usage":
      return event;
    default:
      return never(event);
  }
}

/** Agents pass on exit codes as reported; the log takes whole numbers only. */
function dropOddCode({ exit_code: code, ...event }: Command): Command {
  return { ...event, ...(Number.isSafeInteger(code) && code !== undefined ? { exit_code: code } : {}) };
}

function boundInput(input: unknown): unknown {
  if (input === undefined) return null;
  try {
    const json = JSON.stringify(input);
    const cut = cutText(json);
    return cut === json ? input : cut;
  } catch (error) {
    // Nested too deeply to be written as JSON: the log could not record the event either.
    return `[not shown: ${error instanceof Error ? error.message : "not JSON"}]`;
  }
}
