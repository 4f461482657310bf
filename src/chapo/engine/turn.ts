// The state of a running conversation between turns. Types and constants only.
import type { TurnEvent } from "./events.js";
import type { ConversationOutcome, EngineWorld, LiveConversation } from "./world.js";

/** The state of a running conversation between turns. */
export interface TurnContext {
  world: EngineWorld;
  live: LiveConversation;
  /** The event the next turn responds to. */
  event: TurnEvent;
  /** The parts of a reply that its provider paused. */
  paused: string[];
  /** Turns without progress in a row. */
  stalls: number;
  /** The last refused call and how often it was made in a row. */
  refused?: { call: string; times: number };
  /** Whether the last request was already shortened because the provider rejected it as too long. */
  shortened: boolean;
}

/** The position of a turn. */
export interface TurnPosition {
  iteration: number;
  /** Whether it is the last turn. */
  last: boolean;
}

/** The outcome of a conversation that was aborted. */
export const INTERRUPTED: ConversationOutcome = {
  how: "error",
  error: "the session was stopped",
  reason: "interrupted",
};
