// The checkpoint of a job: asks for it, and continues from it along the job's route. Pure. ends.ts has the two ends, gate.ts the gate.
import type { StepEvent } from "../../../logging/events/events.js";
import { listSome } from "../../../system/text/cut.js";
import type { Decision } from "../decision.js";
import { getTaskId, listEarlier, replaceJob } from "../jobs.js";
import type { Change } from "../../../todo/model/changes/change.js";
import type { Job, Work } from "../state.js";
import { beginEnd, leaveEnd, settleGivenUp, startGate } from "./ends.js";
import { startBaseline, startBefore } from "./job.js";
import { enter, hasAgent, hasWork, isVisit } from "./routes.js";
import { findRow, listStageBudgets } from "./stage.js";
import { shelve } from "./visit.js";

type CheckpointMade = Extract<StepEvent, { type: "checkpoint" }>;

/** Logs the entry into the workflow or the end, and asks for the checkpoint. L23: with the saved work of the task itself. */
export function startCheckpoint(work: Work, job: Job, decision: Decision): Work {
  decision.notes.push(...(job.entering ?? []));
  decision.effects.push({
    kind: "checkpoint",
    job: job.facts,
    reuse: job.from === "doing",
    ...(job.route === "analyze" ? { aside: true as const } : {}),
    ...(isVisit(job.route) ? { apply_work: true as const } : {}),
  });
  const { entering: _entering, ...rest } = job;
  const limits = hasAgent(job.route) ? listStageBudgets(work.rules, findRow(work, job)?.progress) : [];
  const limited = limits.length === 0 ? rest : { ...rest, limits };
  return replaceJob(work, enter(limited, "checkpoint"));
}

/** Continues from the checkpoint of a job that may continue. */
export function takeCheckpoint(work: Work, job: Job, event: CheckpointMade, decision: Decision): Work {
  if (event.conflicts !== undefined && event.conflicts.length > 0)
    return leaveConflict(work, job, event.conflicts, decision);
  switch (job.route) {
    case "shelve": {
      const back: Change = { op: "return", id: getTaskId(job), to: "todo" };
      return shelve(work, job, { outcome: "paused", more: [back] }, decision);
    }
    case "check":
      return startGate(work, job, decision);
    case "deliver":
    case "give-up":
      return beginEnd(work, job, event, decision);
    default: {
      const next =
        work.rules.baseline && hasWork(job.route)
          ? startBaseline(job, decision)
          : startBefore(job, work, listEarlier(work, job), decision);
      return replaceJob(work, next);
    }
  }
}

/** Other work has changed the branch since: the task begins its work again, and knows why. */
function leaveConflict(work: Work, job: Job, paths: readonly string[], decision: Decision): Work {
  const evidence = `the saved work no longer fits the branch: ${listSome(paths)}; none of it is in the tree any more, also where an item is ticked, and it is done again on the branch as it is now`;
  decision.notes.push({ type: "warning", ...job.facts, message: evidence });
  if (job.route === "give-up") return settleGivenUp(work, job, decision);
  return leaveEnd(work, job, { outcome: "conflict", reason: "conflict", evidence }, decision);
}
