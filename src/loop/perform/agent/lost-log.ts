// Handles an agent that deleted the log folder, and often the rest of the project with it. Leaves a repository that is gone to
// ../perform.ts.
import { restoreTo } from "../../../git/restore/restore.js";
import { UserError } from "../../../system/errors.js";
import type { JobFacts } from "../../step/effects.js";
import { changeBacklog } from "../perform-backlog.js";
import { makeRescueLabel, takeSnapshot } from "../tree/perform-tree.js";
import type { World } from "../world.js";

/** Puts the task file and the tree back, and returns the error that ends the run, which cannot log any more. */
export async function putBackWithoutLog(world: World, job: JobFacts): Promise<UserError> {
  const { apply_summary } = world.project.resolved.settings.loop;
  const hasBacklog = job.phase === "iteration" || job.phase === "review";
  if (hasBacklog) await changeBacklog(world, [], apply_summary ? "agent" : "idle");
  const what = `the log folder ${world.log.folder} was removed while ${job.agent} was at work`;
  const again = "run again: the interrupted task resumes first";
  if (job.task_id === undefined) return new UserError("environment", what, again);
  const way = `looper undo ${job.task_id} takes back all that ${job.task_id} changed; or ${again}`;
  // The work of stages is saved one by one: `undo` knows how to take it back.
  if (job.stage !== undefined || world.repo === undefined)
    return new UserError("environment", what, world.repo === undefined ? again : way);
  const label = makeRescueLabel(job);
  const taken = await takeSnapshot(world, job, label);
  const before = world.memory.of(job.job).checkpoint;
  if (taken === undefined || before === undefined) return new UserError("environment", what, way);
  // The checkpoint stays: the task resumes from it.
  const { rescue } = await restoreTo(world.repo, { checkpoint: before, run: world.log.run, label });
  const back = "the files are as they were before the task, except those that git ignores";
  const kept = rescue === undefined ? "" : `; the agent's changes are kept: looper rescue show ${label}`;
  return new UserError("environment", `${what}; ${back}${kept}`, again);
}
