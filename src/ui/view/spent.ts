// The usage of agents, for display. Pure.
import { roundUsd, tokensOf } from "../../agents/usage.js";

/** Tokens and dollars; `cost` only if an agent reported it. */
export interface SpentAmounts {
  tokens: number;
  cost?: number;
  /** Some of the cost was not reported. */
  partly?: true;
  /** The agent worked, and reported neither tokens nor cost. */
  unreported?: true;
}

export const NOTHING_SPENT: SpentAmounts = { tokens: 0 };

/** The usage of an agent that reported none. */
export const UNREPORTED: SpentAmounts = { tokens: 0, unreported: true };

/** The usage in a `usage` event: input, cached input and output. */
export function spentOf(usage: {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens?: number | undefined;
  cost_usd?: number | undefined;
}): SpentAmounts {
  const tokens = tokensOf(usage);
  return usage.cost_usd === undefined ? { tokens } : { tokens, cost: usage.cost_usd };
}

/** Both together. */
export function addSpent(a: SpentAmounts, b: SpentAmounts): SpentAmounts {
  const tokens = a.tokens + b.tokens;
  const unreported = a.unreported === true || b.unreported === true ? { unreported: true as const } : {};
  if (a.cost === undefined && b.cost === undefined) return { tokens, ...unreported };
  const partly = [a, b].some(
    (one) => one.partly === true || one.unreported === true || (one.tokens > 0 && one.cost === undefined),
  );
  const cost = roundUsd((a.cost ?? 0) + (b.cost ?? 0));
  return { tokens, cost, ...(partly ? { partly } : {}), ...unreported };
}
