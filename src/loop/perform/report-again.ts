// A final message in prose: whether its agent is asked once more for the report, and how the attempt ended then. Pure.
// Leaves asking it to perform-agent.ts, and what it is told to prompts/compose.ts.
import type { AgentResult, Budget, Session, Used } from "../../agents/agent.js";
import { describeBudget } from "../../agents/process/budget.js";
import { causesBackoff } from "../step/backoff.js";

/** The session to ask in; `undefined` where there is a report, nothing but a good end would help, or no way to go on. */
export function sessionToAsk(result: AgentResult): Session | undefined {
  return result.outcome === "ok" && "missing" in result.report ? result.session : undefined;
}

/** L18: how an attempt ends whose agent is not asked, since nothing may begin once a budget is spent. `budgets`: with it charged. */
export function endWithoutAsking(
  first: AgentResult & { used?: Used },
  budgets: readonly Budget[],
): (AgentResult & { used?: Used }) | undefined {
  const gone = budgets.find(({ spent, most }) => spent >= most);
  if (gone === undefined || first.outcome !== "ok") return undefined;
  const { report: _none, ...end } = first;
  const evidence = `${describeBudget(gone)}, and it was still to report`;
  return { ...end, outcome: "failed", reason: "budget", evidence, stoppedFor: gone.of };
}

/**
 * How an attempt ended whose agent was asked again: with the report it gave then, or without one as before. Where it was kept
 * from answering (stopped, a budget, a limit) that is its end: nothing was found wrong with the work.
 */
export function endAfterAsking<R extends AgentResult>(first: R, second: R): R {
  if (second.outcome === "ok") return "found" in second.report ? second : first;
  const { reason } = second;
  return reason === "interrupted" || reason === "budget" || causesBackoff(reason) ? second : first;
}
