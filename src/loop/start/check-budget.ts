// Whether the budgets of a run mean anything for an agent it may use. Pure.
import { mayKnowCost, canReportTokens } from "../../agents/prices.js";
import type { AgentSettings } from "../../config/read/agent-settings.js";
import type { Rules } from "../../logging/rules.js";
import { UserError } from "../../system/errors.js";
import { hasDollarBudget, listTokenBudgets } from "../step/spending.js";

type Payee = Pick<AgentSettings, "name" | "kind" | "output" | "model" | "price">;

/** A budget in dollars or tokens is no use where nobody knows what an agent uses: a `usage` error. */
export function checkBudget({ budget }: Pick<Rules, "budget">, agent: Payee): void {
  if (budget.unknown_cost === "allow") return;
  if (hasDollarBudget({ budget }) && !mayKnowCost(agent)) {
    const message = `there is a budget in dollars, and what ${agent.name} costs cannot be known: it does not tell`;
    throw new UserError("usage", message, hintFor(agent));
  }
  const [inTokens] = listTokenBudgets({ budget });
  if (inTokens === undefined || canReportTokens(agent)) return;
  const message = `there is a budget in tokens (${inTokens}), and what ${agent.name} uses cannot be known: it does not tell`;
  throw new UserError("usage", message, hintFor(agent));
}

function hintFor(agent: Payee): string {
  const { name, model } = agent;
  if (!canReportTokens(agent)) {
    return (
      `set agents.${name}.output to jsonl and have it print a line of what it used ` +
      `({"type":"usage","input_tokens":1,"output_tokens":1,"cost_usd":0.01}), or set loop.unknown_cost to allow`
    );
  }
  const price = model === undefined ? `set agents.${name}.model, and its price` : `put a price for ${model}`;
  return `${price} in prices_file, or set loop.unknown_cost to allow; loop.max_tokens holds for every agent that tells its tokens`;
}
