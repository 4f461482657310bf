// The usage of a run and its tasks, and what remains of their budgets. Pure.
// The agents floor stops an agent that exceeds a budget.
import type { Budget } from "../../../agents/agent.js";
import { describeBudget } from "../../../agents/process/stopped.js";
import { roundUsd, tokensOf } from "../../../agents/usage.js";
import type { EventOf } from "../../../logging/events/events.js";
import type { ToldEvent } from "../../../logging/events/told-events.js";
import type { Rules } from "../../../logging/rules.js";
import type { TaskId } from "../../../todo/model/task.js";

/**
 * Tokens and dollars. `unknown`: an agent whose cost is unknown. `silent`: agents that worked and reported no tokens.
 */
export interface Spending {
  tokens: number;
  usd: number;
  unknown?: string;
  silent: readonly string[];
}

export const NOTHING_SPENT: Spending = { tokens: 0, usd: 0, silent: [] };

type AgentFinished = EventOf<"agent_finished">;

/** Adds the usage of an attempt. An agent that worked and reported no cost makes the cost unknown. */
export function addUsage(spent: Spending, { usage, outcome, agent = "" }: AgentFinished): Spending {
  const isSilent = outcome === "ok" && (usage === undefined || tokensOf(usage) === 0);
  const worked = usage === undefined ? outcome === "ok" : tokensOf(usage) > 0;
  const unknown = worked && usage?.cost_usd === undefined ? agent : undefined;
  return {
    ...spent,
    tokens: spent.tokens + (usage === undefined ? 0 : tokensOf(usage)),
    usd: roundUsd(spent.usd + (usage?.cost_usd ?? 0)),
    unknown: unknown ?? spent.unknown,
    silent: isSilent && !spent.silent.includes(agent) ? [...spent.silent, agent] : spent.silent,
  };
}

/** Failures before the agent started to work: it used nothing. */
const NO_WORK: ReadonlySet<string> = new Set([
  ...["not-found", "not-signed-in", "rate-limited", "overloaded", "network", "bad-request", "model-unknown"],
]);

/** Whether the agent worked and its cost is unknown. */
export function hasUnknownCost({ usage, reason }: Pick<AgentFinished, "usage" | "reason">): boolean {
  if (usage === undefined) return !(reason !== undefined && NO_WORK.has(reason));
  return tokensOf(usage) > 0 && usage.cost_usd === undefined;
}

type Amount = Budget & { unit: "tokens" | "usd" };

/** The usage of one task in this run. */
export type TaskSpending = Pick<Spending, "tokens" | "usd">;

/** The part of a run's state that budgets are compared with. */
export interface SpendingFrame {
  rules: Rules;
  began: number;
  spent: Spending;
  spentOn?: Pick<ReadonlyMap<TaskId, TaskSpending>, "get">;
}

/** The budgets that apply to an attempt at `task` (or at none) from `at` on, epoch ms. */
export function listBudgets(frame: SpendingFrame, task: TaskId | undefined, at: number): Budget[] {
  return [...listRunBudgets(frame, at), ...(task === undefined ? [] : listTaskBudgets(frame, task))];
}

/**
 * The log lines for an attempt's usage: budgets that its last step exceeded, when it could no longer be stopped, and a warning
 * that a token budget cannot be enforced on its agent.
 */
export function reportSpending(
  before: SpendingFrame,
  after: SpendingFrame,
  event: AgentFinished,
): ToldEvent[] {
  const { job, iteration, phase, task_id, agent, attempt, reason } = event;
  const facts = { job, iteration, phase, task_id, agent, attempt };
  const keys = listTokenBudgets(after.rules);
  const isNew = after.spent.silent.length > before.spent.silent.length;
  const message = `cannot enforce ${keys.join(" and ")}: ${agent ?? "the agent"} reports no tokens`;
  const silent: ToldEvent[] = isNew && keys.length > 0 ? [{ type: "warning", ...facts, message }] : [];
  // An agent that was stopped for a budget has that as the reason of its end.
  if (reason === "budget") return silent;
  const earlier = listAmounts(before, task_id);
  const beyond = listAmounts(after, task_id).filter(
    ({ spent, most }, at) => spent > most && (earlier[at]?.spent ?? 0) <= most,
  );
  return [...beyond.map((budget): ToldEvent => ({ type: "over_budget", ...facts, ...budget })), ...silent];
}

/** The budgets that an agent's usage counts against: all except time. */
function listAmounts(frame: SpendingFrame, task: TaskId | undefined): Amount[] {
  return listBudgets(frame, task, frame.began).flatMap((budget) =>
    budget.unit === "ms" ? [] : [{ ...budget, unit: budget.unit }],
  );
}

/** Whether a budget in dollars is set. */
export function hasDollarBudget({ budget }: Pick<Rules, "budget">): boolean {
  return budget.max_cost_usd !== undefined || budget.task_cost_usd !== undefined;
}

/** The names of the token budgets that are set. */
export function listTokenBudgets({ budget }: Pick<Rules, "budget">): string[] {
  const keys = ["max_tokens", "task_tokens"] as const;
  return keys.filter((key) => budget[key] !== undefined).map((key) => `loop.${key}`);
}

/** Why the run may start nothing more; `undefined` if it may. */
export function explainRunOver(frame: SpendingFrame, at: number): string | undefined {
  const { rules, spent } = frame;
  const gone = listRunBudgets(frame, at).find(isExhausted);
  if (gone !== undefined) return describeBudget(gone);
  if (!hasDollarBudget(rules) || rules.budget.unknown_cost === "allow" || spent.unknown === undefined)
    return undefined;
  return `cannot enforce the budget in dollars: the cost of ${spent.unknown} is unknown (loop.unknown_cost, prices_file)`;
}

/** Why a task gets no further attempt; `undefined` if it may. */
export function explainTaskOver(frame: SpendingFrame, task: TaskId): string | undefined {
  const gone = listTaskBudgets(frame, task).find(isExhausted);
  return gone === undefined ? undefined : describeBudget(gone);
}

function isExhausted({ spent, most }: Budget): boolean {
  return spent >= most;
}

function listRunBudgets({ rules: { budget }, began, spent }: SpendingFrame, at: number): Budget[] {
  const { max_duration_ms, max_tokens, max_cost_usd } = budget;
  return [
    ...makeBudget({ of: "run", key: "loop.max_duration", unit: "ms", spent: at - began }, max_duration_ms),
    ...makeBudget({ of: "run", key: "loop.max_tokens", unit: "tokens", spent: spent.tokens }, max_tokens),
    ...makeBudget({ of: "run", key: "loop.max_cost_usd", unit: "usd", spent: spent.usd }, max_cost_usd),
  ];
}

function listTaskBudgets({ rules: { budget }, spentOn }: SpendingFrame, task: TaskId): Budget[] {
  const { tokens, usd } = spentOn?.get(task) ?? NOTHING_SPENT;
  return [
    ...makeBudget({ of: "task", key: "loop.task_tokens", unit: "tokens", spent: tokens }, budget.task_tokens),
    ...makeBudget({ of: "task", key: "loop.task_cost_usd", unit: "usd", spent: usd }, budget.task_cost_usd),
  ];
}

function makeBudget(rest: Omit<Budget, "most">, most: number | undefined): Budget[] {
  return most === undefined ? [] : [{ ...rest, most }];
}
