// Computes the cost of a request to a model. Pure. The config floor reads the prices.
import type { Used } from "../../agents/agent.js";
import { addCost } from "../../agents/prices.js";
import { roundUsd } from "../../agents/usage.js";
import type { Prices } from "../../config/read/prices.js";
import type { ModelUsage } from "../model.js";

/** Returns the cost in dollars; `undefined` if the table has no price under `provider/model` or the model's own name. */
export function computeCost(usage: ModelUsage, name: string, prices: Prices | undefined): number | undefined {
  const own = name.slice(name.indexOf("/") + 1);
  const price = [name, own].flatMap((key) => {
    const found = prices !== undefined && Object.hasOwn(prices, key) ? prices[key] : undefined;
    return found === undefined ? [] : [found];
  })[0];
  // Written tokens without a price of their own cost as much as other input.
  const written = price?.cache_write === undefined ? 0 : usage.cacheWrite;
  const used: Used = {
    input_tokens: usage.input + usage.cacheWrite - written,
    cached_input_tokens: usage.cached,
    output_tokens: usage.output,
  };
  const { cost_usd } = addCost(used, price);
  return cost_usd === undefined
    ? undefined
    : roundUsd(cost_usd + (written * (price?.cache_write ?? 0)) / 1_000_000);
}
