// What an attempt may still use of the budgets of its run and its task. Pure.
// Leaves how much of them is gone already to the loop, and stopping an agent to watch.ts.
import { never } from "../system/never.js";
import type { Limit, Used } from "./agent.js";

interface Counted {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens?: number | undefined;
}

/** All that was read and written, what came from the cache too. */
export function tokensOf({ input_tokens, cached_input_tokens = 0, output_tokens }: Counted): number {
  return input_tokens + cached_input_tokens + output_tokens;
}

/** Both together. The dollars are those that were told. */
export function addUsed(a: Used, b: Used): Used {
  const cached = (a.cached_input_tokens ?? 0) + (b.cached_input_tokens ?? 0);
  const cost = a.cost_usd === undefined ? b.cost_usd : a.cost_usd + (b.cost_usd ?? 0);
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    ...(cached === 0 ? {} : { cached_input_tokens: cached }),
    ...(cost === undefined ? {} : { cost_usd: cost }),
  };
}

/** The same budget with what an attempt has used and how long it took gone as well. */
export function charge(limit: Limit, used: Used, elapsedMs: number): Limit {
  const amounts = { tokens: tokensOf(used), usd: used.cost_usd ?? 0, ms: elapsedMs };
  return { ...limit, spent: limit.spent + amounts[limit.unit] };
}

/** The first budget an attempt has gone beyond, after `elapsedMs`. */
export function beyond(limits: readonly Limit[], used: Used, elapsedMs: number): Limit | undefined {
  return limits.map((limit) => charge(limit, used, elapsedMs)).find(({ most, spent }) => spent > most);
}

/** How much of it is gone, with the setting it comes from. */
export function describeLimit({ key, unit, most, spent }: Limit): string {
  switch (unit) {
    case "tokens":
      return `${spent} of ${most} tokens are used (${key})`;
    case "usd":
      return `${dollars(spent)} of ${dollars(most)} are spent (${key})`;
    case "ms":
      return `${describeDuration(most)} are over (${key})`;
    default:
      return never(unit);
  }
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount * 100 === Math.round(amount * 100) ? 2 : 4)}`;
}

/** In whole minutes or seconds where it is some. */
export function describeDuration(ms: number): string {
  if (ms % 60_000 === 0 && ms > 0) return `${ms / 60_000} min`;
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}
