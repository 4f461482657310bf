// Counts an attempt's turns from its events. Pure.
import type { AgentEvent } from "../agent.js";

/** A turn is what the model says and does until results come back; the next begins with what it does then. */
export interface Turns {
  count: number;
  /** Results came back: what the model does next begins a turn. */
  answered: boolean;
  /** Commands that were begun, of which the end was not told yet. */
  begun: number;
}

export const NO_TURNS: Turns = { count: 0, answered: true, begun: 0 };

/** With one event more. The turns of agents it started are their own. */
export function countTurns(turns: Turns, event: AgentEvent): Turns {
  if ("parent" in event) return turns;
  if (event.type === "tool_result") return { ...turns, answered: true };
  if (event.type === "command" && isOver(event)) return endCommand(turns);
  if (!isWork(event)) return turns;
  return {
    count: turns.count + (turns.answered ? 1 : 0),
    answered: false,
    begun: turns.begun + (event.type === "command" ? 1 : 0),
  };
}

/** Mostly a command is told twice, as it begins and when it is over; some clients tell of it only then. */
function endCommand({ count, answered, begun }: Turns): Turns {
  const unheard = begun === 0 && answered;
  return { count: count + (unheard ? 1 : 0), answered: true, begun: Math.max(0, begun - 1) };
}

function isOver({ exit_code, duration_ms }: Extract<AgentEvent, { type: "command" }>): boolean {
  return exit_code !== undefined || duration_ms !== undefined;
}

function isWork(event: AgentEvent): boolean {
  if (event.type === "message") return event.role === "assistant" || event.role === "reasoning";
  return event.type === "tool_use" || event.type === "command";
}
