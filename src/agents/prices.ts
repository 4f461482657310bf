// Computes the cost of tokens for agents that do not report it. Pure. Leaves reading the file to the config floor.
import type { AgentSettings } from "../config/read/agent-settings.js";
import type { Price } from "../config/read/prices.js";
import { never } from "../system/never.js";
import type { Used } from "./agent.js";
import { roundUsd } from "./usage.js";

const MILLION = 1_000_000;

/** Whether an agent of these settings can tell what tokens it used at all: a command that prints text cannot. */
export function canReportTokens({ kind, output }: Pick<AgentSettings, "kind" | "output">): boolean {
  return kind !== "command" || output === "jsonl";
}

/** Whether what an agent of these settings costs can be known at all: by its own word, or by the price of its model. */
export function mayKnowCost({
  kind,
  output,
  price,
  chapo,
}: Pick<AgentSettings, "kind" | "output" | "price" | "chapo">): boolean {
  // A price is of tokens.
  if (!canReportTokens({ kind, output })) return false;
  if (price !== undefined) return true;
  switch (kind) {
    case "codex":
    case "gemini":
      return false;
    case "chapo":
      return chapo?.pricesFile !== undefined;
    case "command":
    case "claude":
    case "opencode":
    case "acp":
    case "module":
    case "scripted":
      return true;
    default:
      return never(kind);
  }
}

/** A cost that was told stays; without one, and without a price, it stays unknown. */
export function addCost<U extends Used>(usage: U, price: Price | undefined): U {
  if (price === undefined || usage.cost_usd !== undefined) return usage;
  const { input_tokens, cached_input_tokens = 0, output_tokens } = usage;
  const cached = cached_input_tokens * (price.cached_input ?? price.input);
  const cost = (input_tokens * price.input + cached + output_tokens * price.output) / MILLION;
  return { ...usage, cost_usd: roundUsd(cost) };
}
