// Computes the cost of tokens for agents that do not report it. Pure. Leaves reading the file to the config floor.
import type { Price } from "../config/read/prices.js";
import type { Used } from "./agent.js";
import { roundUsd } from "./usage.js";

const MILLION = 1_000_000;

/** A cost that was told stays; without one, and without a price, it stays unknown. */
export function addCost<U extends Used>(usage: U, price: Price | undefined): U {
  if (price === undefined || usage.cost_usd !== undefined) return usage;
  const { input_tokens, cached_input_tokens = 0, output_tokens } = usage;
  const cached = cached_input_tokens * (price.cached_input ?? price.input);
  const cost = (input_tokens * price.input + cached + output_tokens * price.output) / MILLION;
  return { ...usage, cost_usd: roundUsd(cost) };
}
