// Checks an attempt against the budgets of its run and its task. Pure.
// Leaves counting earlier attempts to the loop, and stopping an agent to watchdog.ts.
import { never } from "../../system/never.js";
import type { Budget, Used } from "../agent.js";
import { roundUsd, tokensOf } from "../usage.js";

/** The same budget with what an attempt has used and how long it took gone as well. */
export function charge(budget: Budget, used: Used, elapsedMs: number): Budget {
  const amounts = { tokens: tokensOf(used), usd: used.cost_usd ?? 0, ms: elapsedMs };
  const spent = budget.spent + amounts[budget.unit];
  return { ...budget, spent: budget.unit === "usd" ? roundUsd(spent) : spent };
}

/** The first budget an attempt has gone beyond, after `elapsedMs`. */
export function findExceeded(budgets: readonly Budget[], used: Used, elapsedMs: number): Budget | undefined {
  return budgets.map((budget) => charge(budget, used, elapsedMs)).find(({ most, spent }) => spent > most);
}

/** How much of it is gone, with the setting it comes from. */
export function describeBudget({ key, unit, most, spent }: Budget): string {
  switch (unit) {
    case "tokens":
      return `token limit reached: ${grouped(spent)} of ${grouped(most)} (${key})`;
    case "usd":
      return `over budget: ${dollars(spent)} of ${dollars(most)} (${key})`;
    case "ms":
      return `time limit of ${describeDuration(most)} reached (${key})`;
    default:
      return never(unit);
  }
}

/** `6,562` */
function grouped(amount: number): string {
  return amount.toLocaleString("en-US");
}

function dollars(amount: number): string {
  const cents = amount.toFixed(2);
  return `$${Math.abs(Number(cents) - amount) < 0.00005 ? cents : amount.toFixed(4)}`;
}

/** In whole minutes or seconds where it is some. */
export function describeDuration(ms: number): string {
  if (ms % 60_000 === 0 && ms > 0) return `${ms / 60_000} min`;
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}
