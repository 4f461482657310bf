// Computes the cost of a request to a model. Pure. The config floor reads the prices.
import type { Used } from "../../agents/agent.js";
import { addCost } from "../../agents/prices.js";
import type { Prices } from "../../config/read/prices.js";
import type { ModelUsage } from "../model.js";

/** Returns the cost in dollars; `undefined` if the table has no price under `provider/model` or the model's own name. */
export function computeCost(usage: ModelUsage, name: string, prices: Prices | undefined): number | undefined {
  const own = name.slice(name.indexOf("/") + 1);
  const price = [name, own].flatMap((key) => {
    const found = prices !== undefined && Object.hasOwn(prices, key) ? prices[key] : undefined;
    return found === undefined ? [] : [found];
  })[0];
  const used: Used = {
    // Tokens written to the cache are priced like other input, because price tables have no separate price for them.
    input_tokens: usage.input + usage.cacheWrite,
    cached_input_tokens: usage.cached,
    output_tokens: usage.output,
  };
  return addCost(used, price).cost_usd;
}
