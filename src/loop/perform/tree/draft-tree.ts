// The working tree of an agent that drafts or repairs the backlog and may write only that file. If its work is rejected, the
// tree is restored and the agent's changes are saved as a rescue. perform-adopt.ts takes over the backlog.
import { performAs } from "../perform-as.js";
import { checkpoint, dropCheckpoint } from "../../../git/checkpoint/checkpoint.js";
import { RESCUES, THE_DRAFT } from "../../../git/base/names.js";
import { restoreTo } from "../../../git/restore/restore.js";
import { listSome } from "../../../system/text/cut.js";
import type { JobFacts } from "../../step/effects.js";
import { forget, takeSnapshot } from "./perform-tree.js";
import type { World } from "../world.js";

/** Makes a checkpoint of the tree before the agent starts; does nothing without git. */
export async function checkpointDraft({ repo, log, memory }: World, { job }: JobFacts): Promise<void> {
  if (repo === undefined) return;
  const order = { id: THE_DRAFT, run: log.run, reuse: false };
  memory.of(job).checkpoint = await performAs("checkpoint", () => checkpoint(repo, order));
}

/** Drops the checkpoint of an accepted draft; its agent's other changes stay. */
export async function dropDraftCheckpoint(world: World, job: JobFacts): Promise<void> {
  forget(world, job);
  const { repo } = world;
  if (repo !== undefined) await performAs("checkpoint", () => dropCheckpoint(repo, THE_DRAFT));
}

/** Restores the tree after a rejected draft, and logs the rescue that keeps the agent's changes. */
export async function undoDraft(world: World, job: JobFacts): Promise<void> {
  const { repo, log, memory } = world;
  const before = memory.of(job.job).checkpoint;
  if (repo === undefined || before === undefined) return;
  const kind = job.phase === "repair" ? "repair" : "draft";
  const label = `${kind}-${String(job.attempt)}`;
  const { warnings: seen = [] } = (await takeSnapshot(world, job, label)) ?? {};
  const back = await performAs("restore", () => restoreTo(repo, { checkpoint: before, run: log.run, label }));
  await dropDraftCheckpoint(world, job);
  for (const message of [...seen, ...back.warnings]) await log.tell({ type: "warning", ...job, message });
  if (back.rescue === undefined) return;
  const shown = back.rescue.slice(RESCUES.length + 1);
  const message = `the failed ${kind} left ${describePaths(back.paths)}: put back, and kept as looper rescue show ${shown}`;
  await log.tell({ type: "warning", ...job, message });
}

const NAMED = 3;

function describePaths(paths: readonly string[]): string {
  return paths.length === 0 ? "changes" : listSome(paths, NAMED);
}
