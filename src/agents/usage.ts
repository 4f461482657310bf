// Counts the usage of all kinds of agents in the same way, however their CLIs name input and output. Pure.
import { given } from "../system/given.js";
import type { AgentEvent, Session, Used } from "./agent.js";
import type { Price } from "../config/read/prices.js";

/** To a billionth: sums of dollars are never exact, and 0.1 + 0.2 shall not go beyond 0.3. */
export function roundUsd(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

interface Counted {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens?: number | undefined;
}

/** All that was read and written, what came from the cache too. */
export function tokensOf({ input_tokens, cached_input_tokens = 0, output_tokens }: Counted): number {
  return sumOf(input_tokens, cached_input_tokens, output_tokens);
}

export const NOTHING_USED: Used = { input_tokens: 0, output_tokens: 0 };

/** Both together. The dollars are those that were told. */
export function addUsed(a: Used, b: Used): Used {
  const cached = sumOf(a.cached_input_tokens ?? 0, b.cached_input_tokens ?? 0);
  const cost = a.cost_usd === undefined ? b.cost_usd : roundUsd(a.cost_usd + (b.cost_usd ?? 0));
  return {
    input_tokens: sumOf(a.input_tokens, b.input_tokens),
    output_tokens: sumOf(a.output_tokens, b.output_tokens),
    ...(cached === 0 ? {} : { cached_input_tokens: cached }),
    ...given({ cost_usd: cost }),
  };
}

/** `input`: without what came from the cache. `output`: with what was thought. Odd figures (negative, fractions) are mended. */
export function toUsed(tokens: { input: number; cached?: number; output: number; cost?: number }): Used {
  const cached = whole(tokens.cached ?? 0);
  return {
    input_tokens: whole(tokens.input),
    output_tokens: whole(tokens.output),
    ...(cached === 0 ? {} : { cached_input_tokens: cached }),
    ...(tokens.cost === undefined ? {} : { cost_usd: Math.max(0, roundUsd(tokens.cost)) }),
  };
}

/** The usage event, or none when nothing was used. A cost that was not reported stays absent; a cost of 0 is kept. */
export function toUsageEvents(used: Used): AgentEvent[] {
  const { input_tokens, output_tokens, cached_input_tokens = 0, cost_usd } = used;
  const any = input_tokens + output_tokens + cached_input_tokens > 0 || cost_usd !== undefined;
  return any ? [{ type: "usage", ...used }] : [];
}

/** The earlier usage of a session, if it is the one that was to be resumed. */
export function findUsedBefore(resumed: Session | undefined, id: string | undefined): Used | undefined {
  return resumed !== undefined && resumed.id === id ? resumed.used : undefined;
}

/** The usage since `before`, when a resumed session counts from its own beginning; all of it when the count restarted. */
export function subtractUsed(total: Used, before: Used | undefined): Used {
  if (before === undefined || total.output_tokens < before.output_tokens) return total;
  const cost = total.cost_usd === undefined ? undefined : total.cost_usd - (before.cost_usd ?? 0);
  return toUsed({
    input: total.input_tokens - before.input_tokens,
    cached: (total.cached_input_tokens ?? 0) - (before.cached_input_tokens ?? 0),
    output: total.output_tokens - before.output_tokens,
    ...given({ cost }),
  });
}

function whole(count: number): number {
  return Number.isFinite(count) ? sumOf(Math.max(0, Math.round(count))) : 0;
}

/** Never more than a whole number can be: a log could not hold it. */
function sumOf(...counts: readonly number[]): number {
  return Math.min(
    counts.reduce((sum, count) => sum + count, 0),
    Number.MAX_SAFE_INTEGER,
  );
}

const MILLION = 1_000_000;

/** A cost that was told stays; without one, and without a price, it stays unknown. */
export function addCost<U extends Used>(usage: U, price: Price | undefined): U {
  if (price === undefined || usage.cost_usd !== undefined) return usage;
  const { input_tokens, cached_input_tokens = 0, output_tokens } = usage;
  const cached = cached_input_tokens * (price.cached_input ?? price.input);
  const cost = (input_tokens * price.input + cached + output_tokens * price.output) / MILLION;
  return { ...usage, cost_usd: roundUsd(cost) };
}
