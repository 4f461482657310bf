// The end of an attempt's output for the next attempt's prompt: its last lines, and the failures before them. Pure.
import type { AgentEvent } from "../../../agents/agent.js";
import { never } from "../../../system/never.js";

/** A line, and whether it reports a failure. */
interface TailLine {
  text: string;
  failed: boolean;
}

/** Oldest line first. */
export type AttemptTail = readonly TailLine[];

const MOST_LINES = 30;
/** How many failures are kept, however many lines follow. */
const MOST_FAILED = 10;
/** UTF-16 code units. */
const MOST_LENGTH = 500;

/** Adds an event, and drops the oldest line that is no longer needed. */
export function addEvent(tail: AttemptTail, event: AgentEvent): AttemptTail {
  const line = describeEvent(event);
  if (line === undefined) return tail;
  const text = line.text.length > MOST_LENGTH ? `${line.text.slice(0, MOST_LENGTH)} …` : line.text;
  const lines = [...tail, { ...line, text }];
  if (lines.length <= MOST_LINES) return lines;
  const tooManyFailed = lines.filter(({ failed }) => failed).length > MOST_FAILED;
  return lines.toSpliced(
    lines.findIndex(({ failed }) => failed === tooManyFailed),
    1,
  );
}

function describeEvent(event: AgentEvent): TailLine | undefined {
  switch (event.type) {
    case "message":
      return { text: `${event.role}: ${event.content}`, failed: false };
    case "command": {
      const { command, exit_code: code } = event;
      const end = code === undefined ? "" : ` (exit ${String(code)})`;
      return { text: `$ ${command}${end}`, failed: code !== undefined && code !== 0 };
    }
    case "tool_use":
      return { text: `tool ${event.name}`, failed: false };
    case "tool_result":
      return event.is_error ? { text: `tool failed: ${event.output}`, failed: true } : undefined;
    case "error":
      return { text: `error: ${event.error}`, failed: true };
    case "usage":
      return undefined;
    default:
      return never(event);
  }
}
