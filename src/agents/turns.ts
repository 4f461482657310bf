// Counts an attempt's turns from what is told of it. Pure.
import type { AgentEvent } from "./agent.js";

/** A turn is what the model says and does until results come back; the next begins with what it does then. */
export interface Turns {
  count: number;
  /** Results came back: what the model does next begins a turn. */
  answered: boolean;
}

export const NO_TURNS: Turns = { count: 0, answered: true };

/** With one event more. The turns of agents it started are their own. */
export function countTurns(turns: Turns, event: AgentEvent): Turns {
  if ("parent" in event) return turns;
  if (isResult(event)) return { ...turns, answered: true };
  if (!turns.answered || !isWork(event)) return turns;
  return { count: turns.count + 1, answered: false };
}

/** A command is told twice: when it begins, and with how long it took when it is over. */
function isResult(event: AgentEvent): boolean {
  return event.type === "tool_result" || (event.type === "command" && isOver(event));
}

function isOver({ exit_code, duration_ms }: Extract<AgentEvent, { type: "command" }>): boolean {
  return exit_code !== undefined || duration_ms !== undefined;
}

function isWork(event: AgentEvent): boolean {
  if (event.type === "message") return event.role === "assistant" || event.role === "reasoning";
  return event.type === "tool_use" || event.type === "command";
}
