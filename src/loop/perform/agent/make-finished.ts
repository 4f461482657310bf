// The event that an agent's work ends in.
import type { AgentResult, Used } from "../../../agents/agent.js";
import type { StepEvent } from "../../../logging/events/events.js";
import { given } from "../../../system/given.js";
import type { PendingCall } from "../../../workflow/progress.js";
import type { JobFacts } from "../../step/effects.js";
import { cleanReason } from "./ask-for-reason.js";

/** The result of an agent, with the usage of all its turns. */
export type AgentEnd = AgentResult & { used?: Used };

/** Makes the event of an agent that has ended. */
export function makeFinished(
  job: JobFacts,
  result: AgentEnd,
  { took, pending }: { took: number; pending?: PendingCall },
): Extract<StepEvent, { type: "agent_finished" }> {
  const facts = {
    type: "agent_finished" as const,
    ...job,
    ...given({ exit_code: result.exitCode, signal: result.signal }),
    unknown_events: result.unknownEvents,
    duration_ms: Math.round(took),
    ...given({ usage: result.used, stopped_for: result.stoppedFor }),
    ...(job.stage === undefined ? {} : given({ session: result.session?.id, pending_call: pending })),
  };
  if (result.outcome === "failed") {
    const { reason, evidence, retryAt } = result;
    const again = retryAt === undefined ? {} : { retry_at: new Date(retryAt).toISOString() };
    return { ...facts, outcome: "failed", reason, evidence, ...again };
  }
  if (!("found" in result.report)) return { ...facts, outcome: "ok", report: result.report };
  const { changes_checks: said, ...found } = result.report.found;
  const reason = cleanReason(said);
  return { ...facts, outcome: "ok", report: { found }, ...given({ changes_checks: reason }) };
}
