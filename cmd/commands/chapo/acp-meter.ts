// The tokens and the cost of a session, for an editor.
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { ChapoEvent } from "../../../src/chapo/engine/events.js";
import type { Conversation } from "../../../src/chapo/engine/conversation.js";

/** Adds up what a session costs, after each request. The cost is told only where every price is known. */
export function openMeter() {
  let cost = 0;
  let unpriced = 0;
  let size = 0;
  let used = 0;
  return {
    begin: (usage: Conversation["usage"]): void => {
      cost = usage.cost_usd;
      ({ unpriced } = usage);
    },
    take: ({ type, data, child }: ChapoEvent): SessionUpdate[] => {
      if (type === "thinking" && child === undefined) ({ used, limit: size } = data.tokenUsage);
      if (type !== "usage") return [];
      if (data.cost_usd === undefined) unpriced += 1;
      else cost += data.cost_usd;
      if (data.who === "looper" && child === undefined)
        used = data.input_tokens + data.cached_input_tokens + data.output_tokens;
      const priced = unpriced > 0 ? {} : { cost: { amount: cost, currency: "USD" } };
      return [{ sessionUpdate: "usage_update", used, size, ...priced }];
    },
  };
}
