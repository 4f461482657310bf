// Records what a replay with the tree needs and no commit has: the start of the run, and the changes of attempts that ended
// without a commit. src/git/commit/run-refs.ts writes the records; one that cannot be written is only a warning.
import { recordAttempt, recordStart } from "../../../git/commit/run-refs.js";
import { asResult, failureText } from "../../../git/base/git.js";
import type { JobFacts } from "../../step/effects.js";
import type { World } from "../world.js";

/** Cannot be a task id, because it has a space. All reviews share the name, so that a killed run leaves at most one. */
export const THE_REVIEW = "the review";

/** The checkpoint id of a release; cannot be a task id either. */
export const THE_RELEASE = "the release";

/** The name of a release's rescue and of its agent's folder. */
export const PUSH_LABEL = "push";

/** The checkpoint id of the checks before the run. */
export const THE_PREFLIGHT = "the preflight";

/** Remembers the backlog before the run's first claim or review. Waits for an editor that is writing the file. */
export async function noteStart({
  store,
  repo,
  memory,
}: Pick<World, "store" | "repo" | "memory">): Promise<void> {
  if (repo === undefined || memory.start !== undefined) return;
  const read = await store.readSaved();
  if (read.kind !== "missing") memory.start = { backlog: read.bytes, kept: false };
}

/** Records the start once there is a checkpoint. */
export async function keepStart(world: World, base: string): Promise<void> {
  const { repo, log, memory } = world;
  const { start } = memory;
  if (repo === undefined || start === undefined || start.kept) return;
  memory.start = { ...start, kept: true };
  const order = { run: log.run, base, backlog: start.backlog, log: log.folder };
  await orWarn(world, () => recordStart(repo, order));
}

/** Records the changes of an attempt. Contract: called before its snapshot is forgotten, and not for a commit. */
export async function keepAttempt(world: World, job: JobFacts): Promise<void> {
  const { repo, log, memory } = world;
  const base = memory.of(job.job).checkpoint?.base;
  const changes = memory.of(job.job).snapshot?.changes ?? [];
  if (repo === undefined || base === undefined || changes.length === 0) return;
  await orWarn(world, () => recordAttempt(repo, { run: log.run, ...nameAttempt(job), base, changes }));
}

/** The name of an attempt's record: its job number, since an attempt that did not count shares its number with the next. */
export function nameAttempt({ task_id, job }: Pick<JobFacts, "task_id" | "job">): {
  task: string;
  attempt: number;
} {
  return { task: task_id ?? THE_REVIEW, attempt: job };
}

async function orWarn(world: World, keep: () => Promise<string>): Promise<void> {
  const result = await asResult(keep);
  if (result.ok) return;
  const message = `not kept for a replay: ${failureText(result.error)}`;
  await world.log.tell({ type: "warning", message });
}
