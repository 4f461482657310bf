// Decides whether an agent is asked once more: for a report that is missing or cannot be read, and why it changed existing tests or
// configuration. Makes the event that its work ends in. Pure. perform-agent.ts asks it; prompts/compose.ts has the text.
import type { AgentResult, Budget, Session, Used } from "../../../agents/agent.js";
import { describeBudget } from "../../../agents/process/stopped.js";
import { causesBackoff } from "../../step/schedule/backoff.js";
import { stripControlSequences } from "../../../system/text/control-sequences.js";
import { shorten } from "../../../system/text/cut.js";
import type { EventOf } from "../../../logging/events/events.js";
import type { PendingCall } from "../../../workflow/progress.js";
import type { JobFacts } from "../../step/effects.js";

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

/** The longest reason, in characters: it is foreign text. */
const MOST = 300;

/** The session to ask in; `undefined` if the agent did not report done, gave a reason, or cannot be asked again. */
export function findSessionToAskWhy(result: AgentResult): Session | undefined {
  if (result.outcome !== "ok" || !("found" in result.report)) return undefined;
  const { status, changes_checks: said } = result.report.found;
  return status === "done" && cleanReason(said) === undefined ? result.session : undefined;
}

/** The first end, with the reason from the second. Nothing else of the second counts: the work was reported before. */
export function endAfterAskingWhy<R extends AgentResult>(first: R, second: AgentResult): R {
  if (first.outcome !== "ok" || !("found" in first.report) || second.outcome !== "ok") return first;
  // An answer in words instead of a report counts too.
  const words = /[{}]/u.test(second.lastMessage) ? undefined : second.lastMessage;
  const said = "found" in second.report ? second.report.found.changes_checks : words;
  const found = { ...first.report.found, changes_checks: said };
  return { ...first, report: { found } };
}

/** A reason on one line, without control characters; `undefined` if there is none. */
export function cleanReason(said: string | undefined): string | undefined {
  const text = stripControlSequences(said ?? "")
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, " ")
    .trim();
  return text === "" ? undefined : shorten(text, MOST);
}

/** The result of an agent, with the usage of all its turns. */
export type AgentEnd = AgentResult & { used?: Used };

/** Makes the event of an agent that has ended. */
export function makeFinished(
  job: JobFacts,
  result: AgentEnd,
  { took, pending }: { took: number; pending?: PendingCall },
): EventOf<"agent_finished"> {
  const facts = {
    type: "agent_finished" as const,
    ...job,
    ...{ exit_code: result.exitCode, signal: result.signal, unknown_events: result.unknownEvents },
    ...{ duration_ms: Math.round(took), usage: result.used, stopped_for: result.stoppedFor },
    ...(job.stage === undefined ? {} : { session: result.session?.id, pending_call: pending }),
  };
  if (result.outcome === "failed") {
    const { reason, evidence, retryAt } = result;
    const retry_at = retryAt === undefined ? undefined : new Date(retryAt).toISOString();
    return { ...facts, outcome: "failed", reason, evidence, retry_at };
  }
  if (!("found" in result.report)) return { ...facts, outcome: "ok", report: result.report };
  const { changes_checks: said, ...found } = result.report.found;
  const reason = cleanReason(said);
  return { ...facts, outcome: "ok", report: { found }, changes_checks: reason };
}
