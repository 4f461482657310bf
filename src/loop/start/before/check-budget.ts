// Checks that the budgets of a run can be enforced on an agent. Pure.
import { mayKnowCost, canReportTokens } from "../../../agents/clients/registry.js";
import type { AgentSettings } from "../../../config/read/agent-settings.js";
import type { Rules } from "../../../logging/rules.js";
import { UserError } from "../../../system/errors.js";
import { hasDollarBudget, listTokenBudgets } from "../../step/job/spending.js";

type Payee = Pick<AgentSettings, "name" | "kind" | "output" | "model" | "price" | "chapo">;

/** Throws a `usage` error if a budget in dollars or tokens is set and the agent's usage cannot be known. */
export function checkBudget({ budget }: Pick<Rules, "budget">, agent: Payee): void {
  if (budget.unknown_cost === "allow") return;
  if (hasDollarBudget({ budget }) && !mayKnowCost(agent)) {
    const message = `cannot enforce a budget in dollars: ${agent.name} does not report its cost`;
    throw new UserError("usage", message, makeHint(agent));
  }
  const [inTokens] = listTokenBudgets({ budget });
  if (inTokens === undefined || canReportTokens(agent)) return;
  const message = `cannot enforce ${inTokens}: ${agent.name} does not report its tokens`;
  throw new UserError("usage", message, makeHint(agent));
}

function makeHint(agent: Payee): string {
  const { name, model } = agent;
  if (!canReportTokens(agent)) {
    return (
      `set agents.${name}.output to jsonl and have it print a line with its usage ` +
      `({"type":"usage","input_tokens":1,"output_tokens":1,"cost_usd":0.01}), or set loop.unknown_cost to allow`
    );
  }
  const price = model === undefined ? `set agents.${name}.model, and its price` : `put a price for ${model}`;
  return `${price} in prices_file, or set loop.unknown_cost to allow; loop.max_tokens works for every agent that reports its tokens`;
}
