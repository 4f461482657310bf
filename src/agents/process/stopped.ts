// Why we ended an agent ourselves, and how that is told. Pure.
import { never } from "../../system/never.js";
import type { Budget, FailureReason, Used } from "../agent.js";
import { roundUsd, tokensOf } from "../usage.js";

/** The limits on an attempt's turns, events and bytes of output. */
export type LimitedUse = "turns" | "events" | "output";

/** Why we ended it ourselves. */
export type Stopped =
  | { why: "timed-out"; afterMs: number }
  /** `mute`: it did not even print what does not count. */
  | { why: "idle"; afterMs: number; mute: boolean }
  | { why: LimitedUse; most: number }
  | { why: "budget"; budget: Budget }
  | { why: "interrupted" }
  /** Its work had ended, by its own word, and it did not leave. */
  | { why: "stayed" }
  /** It asked its provider so many times without an answer, and would continue. */
  | { why: "in-vain"; times: number }
  /** Its output could not be taken. */
  | { why: "broken"; message: string };

/** The reason, and what was seen; a limit is told with the setting it comes from. `name`: the agent's in the settings. */
export function describeStop(name: string, stopped: Stopped): { reason: FailureReason; evidence: string } {
  const { why } = stopped;
  switch (why) {
    case "timed-out":
      return {
        reason: why,
        evidence: `not finished after ${describeDuration(stopped.afterMs)} (agents.${name}.timeout)`,
      };
    case "idle":
      return {
        reason: why,
        evidence: `${stopped.mute ? "printed nothing" : "no line on stdout"} for ${describeDuration(stopped.afterMs)} (agents.${name}.idle_timeout)`,
      };
    case "turns":
      return { reason: why, evidence: `more than ${stopped.most} turns (agents.${name}.max_turns)` };
    case "events":
      return { reason: why, evidence: `more than ${stopped.most} events (agents.${name}.max_events)` };
    case "output":
      return { reason: why, evidence: `printed more than ${size(stopped.most)} (agents.${name}.max_output)` };
    case "budget":
      return { reason: why, evidence: describeBudget(stopped.budget) };
    case "interrupted":
      return { reason: why, evidence: "ended because the run was stopped" };
    case "stayed":
      return { reason: "idle", evidence: "it did not end after its last event" };
    case "in-vain":
      return { reason: "network", evidence: `asked ${stopped.times} times in vain` };
    case "broken":
      return { reason: "output", evidence: `its output could not be taken in: ${stopped.message}` };
    default:
      return never(why);
  }
}

function size(bytes: number): string {
  for (const [unit, power] of [["GB", 3] as const, ["MB", 2] as const, ["KB", 1] as const]) {
    const amount = bytes / 1024 ** power;
    if (amount >= 1 && Number.isInteger(amount)) return `${amount} ${unit}`;
  }
  return `${bytes} bytes`;
}

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
