// The working tree around an agent that drafts or mends the backlog: it may write that one file. Where its work is not taken,
// the tree becomes what it was, and what the agent left there is kept as a rescue. Leaves the backlog to perform-adopt.ts.
import { checkpoint, dropCheckpoint } from "../../git/checkpoint/checkpoint.js";
import { RESCUES, THE_DRAFT } from "../../git/base/names.js";
import { restoreTo } from "../../git/restore/restore.js";
import { listSome } from "../../system/text/cut.js";
import type { JobFacts } from "../step/effects.js";
import { forget, takeSnapshot } from "./perform-tree.js";
import { unwrap } from "./unwrap.js";
import type { World } from "./world.js";

/** Keeps the tree as the agent finds it. Without git nothing can be kept. */
export async function beforeDraft({ repo, log, memory }: World, { job }: JobFacts): Promise<void> {
  if (repo === undefined) return;
  const order = { id: THE_DRAFT, run: log.run, reuse: false };
  memory.checkpoints.set(job, unwrap("checkpoint", await checkpoint(repo, order)));
}

/** The draft is taken: what else its agent did stays. */
export async function afterDraft(world: World, job: JobFacts): Promise<void> {
  forget(world, job);
  if (world.repo !== undefined) unwrap("checkpoint", await dropCheckpoint(world.repo, THE_DRAFT));
}

/** The draft is not taken: puts the tree back, and names the rescue that keeps what was there. */
export async function undoDraft(world: World, job: JobFacts): Promise<void> {
  const { repo, log, memory } = world;
  const before = memory.checkpoints.get(job.job);
  if (repo === undefined || before === undefined) return;
  const kind = job.phase === "repair" ? "repair" : "draft";
  const label = `${kind}-${String(job.attempt)}`;
  const { warnings: seen = [] } = (await takeSnapshot(world, job, label)) ?? {};
  const back = unwrap("restore", await restoreTo(repo, { checkpoint: before, run: log.run, label }));
  await afterDraft(world, job);
  for (const message of [...seen, ...back.warnings]) await log.tell({ type: "warning", ...job, message });
  if (back.rescue === undefined) return;
  const shown = back.rescue.slice(RESCUES.length + 1);
  const message = `the failed ${kind} left ${pathsText(back.paths)}: put back, and kept as looper rescue show ${shown}`;
  await log.tell({ type: "warning", ...job, message });
}

const NAMED = 3;

function pathsText(paths: readonly string[]): string {
  return paths.length === 0 ? "changes" : listSome(paths, NAMED);
}
