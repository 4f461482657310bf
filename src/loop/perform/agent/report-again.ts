// Decides whether an agent that ended without a report, or with one that cannot be read, is asked once more, and how the attempt ends then.
// Pure.
// perform-agent.ts asks it; prompts/compose.ts has the text.
import type { AgentResult, Budget, Session, Used } from "../../../agents/agent.js";
import { describeBudget } from "../../../agents/process/budget.js";
import { causesBackoff } from "../../step/schedule/backoff.js";

/** The session to ask in; `undefined` if the agent reported, failed, or its session cannot be resumed. */
export function findSessionToAsk(result: AgentResult): Session | undefined {
  return result.outcome === "ok" && !("found" in result.report) ? result.session : undefined;
}

/** L18: the end of an attempt whose agent is not asked because a budget is spent. `budgets` include the attempt's usage. */
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
 * The end of an attempt whose agent was asked again: with its report, or as before if it gave none. If a stop, a budget or a
 * limit kept it from answering, the attempt ends with that reason, because nothing was wrong with the work.
 */
export function endAfterAsking<R extends AgentResult>(first: R, second: R): R {
  if (second.outcome === "ok") return "found" in second.report ? second : first;
  const { reason } = second;
  return reason === "interrupted" || reason === "budget" || causesBackoff(reason) ? second : first;
}
