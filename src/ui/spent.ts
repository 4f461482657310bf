// What agents have used, as it is shown. Pure.
import { roundUsd, tokensOf } from "../agents/usage.js";

/** Tokens and dollars; `cost` only where an agent told it. */
export interface Spent {
  tokens: number;
  cost?: number;
  /** Some of the tokens have a cost that nobody told. */
  partly?: true;
}

export const NOTHING_SPENT: Spent = { tokens: 0 };

/** What a `usage` event says: input, what came from the cache, and output. */
export function spentOf(usage: {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens?: number | undefined;
  cost_usd?: number | undefined;
}): Spent {
  const tokens = tokensOf(usage);
  return usage.cost_usd === undefined ? { tokens } : { tokens, cost: usage.cost_usd };
}

/** Both together. */
export function addSpent(a: Spent, b: Spent): Spent {
  const tokens = a.tokens + b.tokens;
  if (a.cost === undefined && b.cost === undefined) return { tokens };
  const partly = [a, b].some((one) => one.partly === true || (one.tokens > 0 && one.cost === undefined));
  return { tokens, cost: roundUsd((a.cost ?? 0) + (b.cost ?? 0)), ...(partly ? { partly } : {}) };
}
