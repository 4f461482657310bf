// Tells an agent that does not work from a task that fails: two tasks, the same failure, within seconds, without a token or a change.
// A client that hangs before it says or does anything fails so at its idle_timeout.
// Where no other task can go, the same task twice says it of a client; a `command` that ends at once may well mean the task.
// Pure. weigh.ts and the stages put work of earlier attempts aside before another task goes first.
import { NEVER_BEGAN, ON_STDOUT } from "../../../agents/process/exit-reason.js";
import { tokensOf } from "../../../agents/usage.js";
import { isOfTheDisk } from "../../../system/errors.js";
import type { EventOf } from "../../../logging/events/events.js";
import type { TaskId } from "../../../todo/model/task.js";
import type { AttemptVerdict, Job, Work } from "../state.js";

type AgentFinished = EventOf<"agent_finished">;

/** An agent that works on a task takes longer. */
const MOST_MS = 20_000;

/** Failures that a client has before it works. Limits, sign-ins and reports of another form are told apart before. */
const REASONS: ReadonlySet<string> = new Set([
  "exited",
  "killed",
  "incomplete",
  "no-summary",
  "bad-request",
  "model-unknown",
  "idle",
]);

/** Judges the agent by its end. `held`: another task goes first; reason `unusable`: the agent does not work. */
export function weighAgent(
  work: Pick<Work, "suspects" | "held" | "clients">,
  { facts, stopped, end }: Pick<Job, "facts" | "stopped" | "end">,
  { worked, hasOther }: { worked: boolean; hasOther: boolean },
): { suspects: Work["suspects"]; held?: TaskId; failed?: AttemptVerdict } {
  const { agent, task_id: id } = facts;
  const suspects = new Map(work.suspects);
  const before = suspects.get(agent);
  suspects.delete(agent);
  const failure = stopped === true || end === undefined || worked ? undefined : readFailure(end);
  if (id === undefined || failure === undefined) return { suspects };
  const { reason, evidence } = failure;
  const like = `${reason} ${end?.exit_code ?? ""} ${mask(evidence, id)}`;
  const wasHeld = work.held?.has(id) === true;
  const mayBeTask = reason === "bad-request" || reason === "idle";
  const isAlone = !hasOther && !wasHeld && !mayBeTask && work.clients?.has(agent) === true;
  if (before?.like === like && (before.id !== id || isAlone)) {
    const tasks = before.id === id ? `${id} failed twice` : `${before.id} and ${id} failed`;
    const how = isOfTheDisk(evidence) || reason === "idle" ? "" : " within seconds, without a token used";
    const both = `${tasks} in the same way${how}: ${evidence}`;
    return { suspects, failed: { kind: "failed", reason: "unusable", evidence: both } };
  }
  if (wasHeld) return { suspects };
  suspects.set(agent, { id, evidence, like });
  if (!hasOther) return { suspects };
  return { suspects, held: id, failed: { kind: "held", reason, evidence } };
}

function readFailure(end: AgentFinished): { reason: string; evidence: string } | undefined {
  const { usage, duration_ms: ms, report } = end;
  const missing = report !== undefined && "missing" in report ? report.missing : undefined;
  const reason = end.outcome === "failed" ? end.reason : missing === undefined ? undefined : "no-summary";
  if (reason === undefined || !REASONS.has(reason)) return undefined;
  const evidence = end.evidence ?? missing ?? "";
  const isSilent = evidence.startsWith(NEVER_BEGAN);
  if (reason === "idle" && !isSilent) return undefined;
  const isAtWork = (ms > MOST_MS && !isSilent) || (usage !== undefined && tokensOf(usage) > 0);
  return isAtWork && !isOfTheDisk(evidence) ? undefined : { reason, evidence };
}

/** Numbers, ids of sessions and the task's own id differ from one attempt to the next. */
function mask(evidence: string, id: TaskId): string {
  const [failed = ""] = evidence.split(ON_STDOUT);
  return failed
    .split(id)
    .join("#")
    .replace(/[0-9a-f-]{8,}|[0-9]+/giu, "#");
}
