// Numbers as people read them.
import { roundUsd, tokensOf } from "../../../agents/usage.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** `0.4s`, `12s`, `3m05s`, `2h07m`. */
export function showDuration(ms: number): string {
  if (ms < 9_950) return `${(Math.max(0, ms) / SECOND).toFixed(1)}s`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`;
  return `${Math.floor(ms / HOUR)}h${two(Math.floor((ms % HOUR) / MINUTE))}m`;
}

/** The local time of day of `at`, epoch ms, with its date where that is not the day of `now`: `16:23:02`, `2026-11-26 16:23:02`. */
export function showMoment(at: number, now: number): string {
  return new Date(at).toDateString() === new Date(now).toDateString() ? showTime(at) : showDateTime(at);
}

/** The local time of day of `at`, epoch ms: `16:23:02`; empty where it is not a time. */
export function showTime(at: number): string {
  const then = new Date(at);
  return Number.isNaN(at) ? "" : [then.getHours(), then.getMinutes(), then.getSeconds()].map(two).join(":");
}

/** The same with its date: `2026-11-26 16:23:02`. */
export function showDateTime(at: number): string {
  const then = new Date(at);
  if (Number.isNaN(at)) return "";
  return `${[then.getFullYear(), then.getMonth() + 1, then.getDate()].map(two).join("-")} ${showTime(at)}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** `812`, `12.3k`, `1.2M`. */
export function showCount(value: number): string {
  if (value < 1000) return String(value);
  if (value < 999_950) return `${(value / 1000).toFixed(1)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

const BYTE_UNITS = ["KB", "MB", "GB", "TB"];

/** `812 bytes`, `12.3 KB`, `1.2 GB`; a KB is 1024 bytes, as in the settings. */
export function showBytes(bytes: number): string {
  if (bytes < 1024) return plural(bytes, "byte");
  let [value, unit] = [bytes / 1024, 0];
  // A value that rounds to 1024.0 is shown as 1 of the next unit.
  while (value >= 1023.95 && unit < BYTE_UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value.toFixed(1)} ${BYTE_UNITS[unit] ?? ""}`;
}

/** `$0.12`; below a cent `$0.004`. */
export function showCost(dollars: number): string {
  return `$${dollars > 0 && dollars < 0.01 ? dollars.toFixed(3) : dollars.toFixed(2)}`;
}

/** `$0.12`; `≥ $0.12` where only a part is known, empty where nothing is. */
export function showCostOf({ cost, partly }: SpentAmounts): string {
  return cost === undefined ? "" : `${partly === true ? "≥ " : ""}${showCost(cost)}`;
}

/** `1 token`, `12.3k tokens`. */
export function showTokens(tokens: number): string {
  return `${showCount(tokens)} ${tokens === 1 ? "token" : "tokens"}`;
}

/** `12.3k tokens, $0.12`; empty where nothing was told. */
export function showSpent(spent: SpentAmounts): string {
  const parts = [spent.tokens > 0 ? showTokens(spent.tokens) : "", showCostOf(spent)];
  return parts.filter((part) => part !== "").join(", ");
}

/** `1 task`, `2 tasks`. */
export function plural(n: number, noun: string, many = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : many}`;
}

/** Tokens and dollars; `cost` only if an agent reported it. */
export interface SpentAmounts {
  tokens: number;
  cost?: number;
  /** Some of the cost was not reported. */
  partly?: true;
  /** The agent worked, and reported neither tokens nor cost. */
  unreported?: true;
}

export const NOTHING_SPENT: SpentAmounts = { tokens: 0 };

/** The usage of an agent that reported none. */
export const UNREPORTED: SpentAmounts = { tokens: 0, unreported: true };

/** The usage in a `usage` event: input, cached input and output. */
export function spentOf(usage: {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens?: number | undefined;
  cost_usd?: number | undefined;
}): SpentAmounts {
  const tokens = tokensOf(usage);
  return usage.cost_usd === undefined ? { tokens } : { tokens, cost: usage.cost_usd };
}

/** Both together. */
export function addSpent(a: SpentAmounts, b: SpentAmounts): SpentAmounts {
  const tokens = a.tokens + b.tokens;
  const unreported = a.unreported === true || b.unreported === true ? { unreported: true as const } : {};
  if (a.cost === undefined && b.cost === undefined) return { tokens, ...unreported };
  const partly = [a, b].some(
    (one) => one.partly === true || one.unreported === true || (one.tokens > 0 && one.cost === undefined),
  );
  const cost = roundUsd((a.cost ?? 0) + (b.cost ?? 0));
  return { tokens, cost, ...(partly ? { partly } : {}), ...unreported };
}
