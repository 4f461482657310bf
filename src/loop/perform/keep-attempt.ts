// Keeps what a replay with the tree needs and no commit holds: what the run began with, and what attempts left that ended
// without a commit. Leaves how it is kept to src/git/attempt/attempts.ts. A record that cannot be written is a warning: the work goes on.
import { recordAttempt, recordStart } from "../../git/attempt/attempts.js";
import type { GitFailure } from "../../git/base/git.js";
import type { Result } from "../../system/result.js";
import type { JobFacts } from "../step/effects.js";
import type { World } from "./world.js";

/** No task has such an id: white space is in it. One name for all, so that a killed run leaves at most one. */
export const THE_REVIEW = "the review";

/** What a release is kept under; no task has such an id either. */
export const THE_RELEASE = "the release";

/** What the tree is kept under while the checks run before anything else. */
export const THE_PREFLIGHT = "the preflight";

/** Notes the backlog as it is before the run's first claim or review; an editor that is writing the file is waited for. */
export async function noteStart({
  store,
  repo,
  memory,
}: Pick<World, "store" | "repo" | "memory">): Promise<void> {
  if (repo === undefined || memory.start !== undefined) return;
  const read = await store.readSaved();
  if (read.kind !== "missing") memory.start = { backlog: read.bytes, kept: false };
}

/** Keeps the start once there is a checkpoint. */
export async function keepStart(world: World, base: string): Promise<void> {
  const { repo, log, memory } = world;
  const { start } = memory;
  if (repo === undefined || start === undefined || start.kept) return;
  memory.start = { ...start, kept: true };
  await warnUnless(
    world,
    await recordStart(repo, { run: log.run, base, backlog: start.backlog, log: log.folder }),
  );
}

/** Keeps what an attempt left that changed something. Contract: called before its snapshot is forgotten, and not for a commit. */
export async function keepAttempt(world: World, job: JobFacts): Promise<void> {
  const { repo, log, memory } = world;
  const base = memory.checkpoints.get(job.job)?.base;
  const changes = memory.snapshots.get(job.job)?.changes ?? [];
  if (repo === undefined || base === undefined || changes.length === 0) return;
  await warnUnless(world, await recordAttempt(repo, { run: log.run, ...nameOf(job), base, changes }));
}

/** Under which name an attempt is kept: by its job, since one that did not count has the number of the next. */
export function nameOf({ task_id, job }: Pick<JobFacts, "task_id" | "job">): {
  task: string;
  attempt: number;
} {
  return { task: task_id ?? THE_REVIEW, attempt: job };
}

async function warnUnless(world: World, result: Result<string, GitFailure>): Promise<void> {
  if (result.ok) return;
  const message = `not kept for a replay: ${result.error.command}: ${result.error.message}`;
  await world.log.tell({ type: "warning", message });
}
