// The data a hook gets about an attempt: the file that is its third argument, and the event on its stdin. Pure.
import type { Summary } from "../../todo/model/summary.js";

/** The content of the file. Without a summary it has only the task and the status. */
export interface HookSummary extends Omit<Partial<Summary>, "status"> {
  task_id: string | null;
  /** The status the runner decided, as in the second argument. */
  status: string;
  /** The status the agent reported, if it is different. */
  reported_status?: Summary["status"];
}

/** The agent's summary of a job, under the status that the runner gave the attempt. */
export function makeHookSummary(
  taskId: string | undefined,
  status: string,
  found: Summary | undefined,
): HookSummary {
  const about = { task_id: taskId ?? null, status };
  if (found === undefined) return about;
  const { summary = "", files = [], blockers = [], new_tasks = [] } = found;
  const reported = found.status === status ? {} : { reported_status: found.status };
  return { ...about, ...reported, summary, files, blockers, new_tasks };
}

/** The event on stdin, with the agent's report. */
export function makeHookEvent(
  facts: object,
  { summary = "", files = [], blockers = [], new_tasks = [] }: HookSummary,
) {
  return { ...facts, summary, files, blockers, new_tasks };
}
