// What a run and its tasks have used, and what their budgets leave. Pure.
// Leaves stopping an agent that goes beyond them to the agents floor.
import type { Budget } from "../../agents/agent.js";
import { describeBudget } from "../../agents/process/budget.js";
import { roundUsd, tokensOf } from "../../agents/usage.js";
import type { StepEvent } from "../../logging/events.js";
import type { ToldEvent } from "../../logging/told-events.js";
import type { Rules } from "../../logging/rules.js";
import { given } from "../../system/given.js";
import type { TaskId } from "../../todo/model/task.js";

/**
 * Tokens and dollars; `unknown`: an agent of whose work nobody knows what it cost; `silent`: those that worked and told no
 * tokens.
 */
export interface Spending {
  tokens: number;
  usd: number;
  unknown?: string;
  silent: readonly string[];
}

export const NOTHING_SPENT: Spending = { tokens: 0, usd: 0, silent: [] };

type AgentFinished = Extract<StepEvent, { type: "agent_finished" }>;

/** With what an attempt used. Whoever did something and tells no cost has one that is not known. */
export function addUsage(spent: Spending, { usage, outcome, agent = "" }: AgentFinished): Spending {
  const isSilent = outcome === "ok" && (usage === undefined || tokensOf(usage) === 0);
  const worked = usage === undefined ? outcome === "ok" : tokensOf(usage) > 0;
  const unknown = worked && usage?.cost_usd === undefined ? agent : undefined;
  return {
    ...spent,
    tokens: spent.tokens + (usage === undefined ? 0 : tokensOf(usage)),
    usd: roundUsd(spent.usd + (usage?.cost_usd ?? 0)),
    ...given({ unknown }),
    silent: isSilent && !spent.silent.includes(agent) ? [...spent.silent, agent] : spent.silent,
  };
}

/** Failures of an agent that did not get to work: it used nothing. */
const NO_WORK: ReadonlySet<string> = new Set([
  ...["not-found", "not-signed-in", "rate-limited", "overloaded", "network", "bad-request", "model-unknown"],
]);

/** Whether the agent worked, and the cost of that is not known. */
export function hasUnknownCost({ usage, reason }: Pick<AgentFinished, "usage" | "reason">): boolean {
  if (usage === undefined) return !(reason !== undefined && NO_WORK.has(reason));
  return tokensOf(usage) > 0 && usage.cost_usd === undefined;
}

type Amount = Budget & { unit: "tokens" | "usd" };

/** What a task has used in this run. */
export type TaskSpending = Pick<Spending, "tokens" | "usd">;

/** What budgets are held against. */
export interface SpendingFrame {
  rules: Rules;
  began: number;
  spent: Spending;
  spentOn?: Pick<ReadonlyMap<TaskId, TaskSpending>, "get">;
}

/** The budgets an attempt at a task (or none) has to keep to from `at` on, epoch ms. */
export function listBudgets(purse: SpendingFrame, task: TaskId | undefined, at: number): Budget[] {
  return [...listRunBudgets(purse, at), ...(task === undefined ? [] : listTaskBudgets(purse, task))];
}

/**
 * What is to be said once an attempt is paid for: budgets it went beyond with its last step, where nobody could stop it any
 * more, and that a budget in tokens cannot hold its agent.
 */
export function reportSpending(
  before: SpendingFrame,
  after: SpendingFrame,
  event: AgentFinished,
): ToldEvent[] {
  const { job, iteration, phase, task_id, agent, attempt, reason } = event;
  const facts = { job, iteration, phase, task_id, agent, attempt };
  const keys = tokenBudgets(after.rules);
  const isNew = after.spent.silent.length > before.spent.silent.length;
  const message = `nobody knows what tokens ${agent ?? "the agent"} used: ${keys.join(" and ")} cannot hold it`;
  const silent: ToldEvent[] = isNew && keys.length > 0 ? [{ type: "warning", ...facts, message }] : [];
  // Who was stopped for a budget says so as the reason of its end.
  if (reason === "budget") return silent;
  const earlier = listAmounts(before, task_id);
  const beyond = listAmounts(after, task_id).filter(
    ({ spent, most }, at) => spent > most && (earlier[at]?.spent ?? 0) <= most,
  );
  return [...beyond.map((budget): ToldEvent => ({ type: "over_budget", ...facts, ...budget })), ...silent];
}

/** The budgets that what an agent uses goes on: all but the time. */
function listAmounts(purse: SpendingFrame, task: TaskId | undefined): Amount[] {
  return listBudgets(purse, task, purse.began).flatMap((budget) =>
    budget.unit === "ms" ? [] : [{ ...budget, unit: budget.unit }],
  );
}

/** Whether there is a budget in dollars. */
export function isInDollars({ budget }: Pick<Rules, "budget">): boolean {
  return budget.max_cost_usd !== undefined || budget.task_cost_usd !== undefined;
}

/** The settings of budgets in tokens that are set. */
export function tokenBudgets({ budget }: Pick<Rules, "budget">): string[] {
  return [
    ...(budget.max_tokens === undefined ? [] : ["loop.max_tokens"]),
    ...(budget.task_tokens === undefined ? [] : ["loop.task_tokens"]),
  ];
}

/** Why the run may begin nothing more; `undefined` where it may. */
export function explainRunOver(purse: SpendingFrame, at: number): string | undefined {
  const { rules, spent } = purse;
  const gone = listRunBudgets(purse, at).find(isExhausted);
  if (gone !== undefined) return describeBudget(gone);
  if (!isInDollars(rules) || rules.budget.unknown_cost === "allow" || spent.unknown === undefined)
    return undefined;
  return `nobody knows what ${spent.unknown} has cost, and there is a budget in dollars (loop.unknown_cost, prices_file)`;
}

/** Why a task is not tried again. */
export function explainTaskOver(purse: SpendingFrame, task: TaskId): string | undefined {
  const gone = listTaskBudgets(purse, task).find(isExhausted);
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
