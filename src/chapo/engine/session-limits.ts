// The limits of a session: model requests, tokens and dollars, with those of its sub-agents. Pure. ask-model.ts counts and checks.
import type { Conversation } from "./conversation.js";

/** The most that one session may use, in all its processes. */
export interface SessionLimits {
  requests: number;
  tokens: number;
  costUsd: number;
}

/** The usage of a session so far. Every conversation of the session adds to the same object. */
export interface SessionSpent {
  requests: number;
  tokens: number;
  /** The sum of the known prices. */
  costUsd: number;
  /** The calls that were run, by tool. */
  calls: Readonly<Record<string, number>>;
}

/** The limits that never end a session. */
export const NO_LIMITS: SessionLimits = { requests: Infinity, tokens: Infinity, costUsd: Infinity };

/** Returns the usage that a stored conversation holds, its sub-agents included. */
export function countSpent({
  turns,
  usage,
  calls,
}: Pick<Conversation, "turns" | "usage" | "calls">): SessionSpent {
  const { input_tokens, output_tokens, cached_input_tokens, cost_usd: costUsd } = usage;
  return {
    requests: Object.values(turns).reduce((sum, one) => sum + one, 0),
    tokens: input_tokens + output_tokens + cached_input_tokens,
    costUsd,
    calls,
  };
}

/** Returns why the session may not ask a model again, with the setting's name. */
export function explainLimit(spent: SessionSpent, most: SessionLimits): string | undefined {
  if (spent.requests >= most.requests)
    return `the session has made ${spent.requests} requests to a model (max_requests: ${most.requests})`;
  if (spent.tokens >= most.tokens)
    return `the session has used ${spent.tokens} tokens (max_tokens: ${most.tokens})`;
  if (spent.costUsd >= most.costUsd)
    return `the session has cost $${spent.costUsd.toFixed(2)} (max_cost_usd: ${most.costUsd})`;
  return undefined;
}
