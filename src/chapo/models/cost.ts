// What a call of a model costs. Pure. Leaves reading the prices to the config floor.
import type { Used } from "../../agents/agent.js";
import { addCost } from "../../agents/prices.js";
import type { Prices } from "../../config/read/prices.js";
import type { ModelUsage } from "../model.js";

/** Dollars; `undefined` where the table has no price for the model. It is looked up as `provider/model`, then by the model's own name. */
export function computeCost(usage: ModelUsage, name: string, prices: Prices | undefined): number | undefined {
  const own = name.slice(name.indexOf("/") + 1);
  const price = [name, own].flatMap((key) => {
    const found = prices !== undefined && Object.hasOwn(prices, key) ? prices[key] : undefined;
    return found === undefined ? [] : [found];
  })[0];
  const used: Used = {
    // What is written to the cache is paid for like the rest of the input: tables tell no price of its own.
    input_tokens: usage.input + usage.cacheWrite,
    cached_input_tokens: usage.cached,
    output_tokens: usage.output,
  };
  return addCost(used, price).cost_usd;
}
