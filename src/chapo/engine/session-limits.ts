// The limits of a session: model requests, tokens and dollars, with those of its sub-agents. Pure. ask-model.ts counts and checks.
import type { Conversation } from "./conversation.js";
import type { ChapoSettings } from "../../config/read/chapo-settings.js";

/** The usage of a session so far. Every conversation of the session adds to the same object. */
export interface SessionSpent {
  requests: number;
  tokens: number;
  /** The sum of the known prices. */
  costUsd: number;
  /** The calls that were run, by tool. */
  calls: Readonly<Record<string, number>>;
}

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
export function explainLimit(
  spent: SessionSpent,
  most: Pick<ChapoSettings, "maxRequests" | "maxTokens" | "maxCostUsd">,
): string | undefined {
  if (spent.requests >= most.maxRequests)
    return `the session has made ${spent.requests} requests to a model (max_requests: ${most.maxRequests})`;
  if (spent.tokens >= most.maxTokens)
    return `the session has used ${spent.tokens} tokens (max_tokens: ${most.maxTokens})`;
  if (spent.costUsd >= most.maxCostUsd)
    return `the session has cost $${spent.costUsd.toFixed(2)} (max_cost_usd: ${most.maxCostUsd})`;
  return undefined;
}
