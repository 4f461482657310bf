// Effects on the working tree: checkpoint, snapshot and restore. Leaves the commit to perform-commit.ts.
import { performAs } from "../perform-as.js";
import { checkpoint, dropCheckpoint } from "../../../git/checkpoint/checkpoint.js";
import { ownRefsOf, putOwnRefsBack, snapshot, type Snapshot } from "../../../git/attempt/snapshot.js";
import { restoreTo } from "../../../git/restore/restore.js";
import { leaveOutUnwanted } from "../../../git/attempt/leave-out.js";
import { dropWork } from "../../../git/saved-work/work-ref.js";
import type { StepEvent } from "../../../logging/events/events.js";
import { listSome } from "../../../system/text/cut.js";
import { openCold } from "../gate/checks.js";
import type { JobFacts, EffectOf } from "../../step/effects.js";
import { keepAttempt, keepStart, noteStart, PUSH_LABEL, THE_RELEASE, THE_REVIEW } from "./keep-attempt.js";
import { clearTree, giveUpWork, isWorkInTree, noteOwnRefs, openAside, putWork } from "./stage-tree.js";
import type { World } from "../world.js";

/** Makes a checkpoint of the tree before an attempt; does nothing without git. */
export async function performCheckpoint(world: World, effect: EffectOf<"checkpoint">): Promise<StepEvent> {
  const { job } = effect;
  if (world.repo === undefined) return { type: "checkpoint", ...job, reused: false, dirty: 0 };
  const isRelease = job.phase === "push";
  if (!isRelease) await noteStart(world);
  const id = isRelease ? THE_RELEASE : (job.task_id ?? THE_REVIEW);
  // The checks of a release run in the project, not in a cold room.
  if (!isRelease) await openCold(world);
  if (world.workflows !== undefined) await clearTree(world, world.repo, job);
  const reuse = effect.reuse || (effect.apply_work === true && (await isWorkInTree(world.repo, id)));
  const found = await checkpoint(world.repo, { id, run: world.log.run, job: job.job, reuse });
  const { made, conflicts } =
    effect.apply_work === true
      ? await putWork(world, world.repo, job, found)
      : { made: found, conflicts: [] };
  world.memory.of(job.job).checkpoint = made;
  if (!isRelease) await keepStart(world, made.base);
  if (effect.aside === true && conflicts.length === 0) await openAside(world, world.repo, job, made);
  if (world.workflows !== undefined) await noteOwnRefs(world, world.repo, job);
  for (const message of made.warnings) await world.log.tell({ type: "warning", ...job, message });
  return {
    type: "checkpoint",
    ...job,
    base: made.base,
    head: made.before.commit,
    reused: made.reused,
    dirty: made.dirty.size,
    conflicts: conflicts.length === 0 ? undefined : [...conflicts],
  };
}

/** Records what an attempt changed in the tree and whether it moved HEAD. */
export async function performSnapshot(world: World, { job }: EffectOf<"snapshot">): Promise<StepEvent> {
  const whole = await takeSnapshot(world, job, makeRescueLabel(job));
  const { repo } = world;
  if (repo === undefined || whole === undefined)
    return { type: "snapshot", ...job, changed: 0, head: "same", warnings: [] };
  const taken = await performAs("snapshot", () => leaveOutUnwanted(repo, whole));
  world.memory.of(job.job).snapshot = taken;
  const { verdict, leftOut } = taken;
  return {
    type: "snapshot",
    ...job,
    changed: taken.changes.length,
    head: typeof verdict === "object" ? "moved" : verdict,
    why: typeof verdict === "object" ? verdict.moved : undefined,
    ...findMovedHead(world, job, taken),
    warnings: [
      ...taken.warnings,
      ...(leftOut === undefined ? [] : [`not committed, and still in the folder: ${listSome(leftOut)}`]),
    ],
  };
}

/** The commit of HEAD, if it moved during the attempt. */
function findMovedHead(
  { memory }: World,
  { job }: JobFacts,
  taken: Snapshot | undefined,
): { head_commit?: string } {
  const commit = taken?.head.commit;
  const before = memory.of(job).checkpoint?.before.commit;
  return commit === undefined || commit === before ? {} : { head_commit: commit };
}

/** The name of the rescue that keeps the job's work. */
export function makeRescueLabel({ task_id, attempt, phase }: JobFacts): string {
  return phase === "push" ? PUSH_LABEL : `${task_id ?? "job"}-${String(attempt)}`;
}

/** Takes a snapshot of the job's work and puts HEAD back where the job found it; `undefined` without a repository. */
export async function takeSnapshot(
  world: World,
  job: JobFacts,
  label: string,
): Promise<Snapshot | undefined> {
  const { repo, memory } = world;
  const before = memory.of(job.job).checkpoint;
  if (repo === undefined || before === undefined) return undefined;
  const { run } = world.log;
  // The runner always commits a release, even if the settings leave commits to the agent.
  const policy = job.phase === "push" ? "runner" : world.project.resolved.settings.git.commit;
  const taken = await performAs("snapshot", () => snapshot(repo, { checkpoint: before, run, label, policy }));
  const refs = { before: memory.of(job.job).ownRefs ?? taken.own, now: taken.own };
  const own = await performAs("snapshot", () => putOwnRefsBack(repo, refs, { run, label }));
  const told = [...taken.told, ...own];
  const all = { ...taken, told, warnings: [...taken.warnings, ...own] };
  memory.of(job.job).snapshot = all;
  return all;
}

/**
 * Reverts a review's changes, or the work of an abandoned task, and saves it as a rescue. If the run is killed meanwhile, the
 * next start finds the checkpoint, or a tree that is restored already.
 */
export async function performRestore(world: World, { job }: EffectOf<"restore">): Promise<StepEvent> {
  // An attempt's snapshot was taken before its verdict; the changes of a review or an analysis were not looked at yet.
  const isReading = job.task_id === undefined || world.memory.of(job.job).own !== undefined;
  const label = job.phase === "review" ? `review-${String(job.iteration)}` : makeRescueLabel(job);
  const taken = isReading ? await takeSnapshot(world, job, label) : undefined;
  const head = findMovedHead(world, job, taken);
  for (const message of [...(taken?.told ?? []), ...(taken?.refs ?? [])])
    await world.log.tell({ type: "warning", ...job, message });
  const before = world.memory.of(job.job).checkpoint;
  if (job.phase !== "push") await keepAttempt(world, job);
  forget(world, job);
  if (world.repo === undefined || before === undefined) return { type: "restored", ...job, paths: [] };
  const unchanged = taken?.changes.length === 0 && taken.verdict === "same";
  const order = { checkpoint: before, run: world.log.run, label, unchanged };
  const back = await restoreTo(world.repo, order);
  const rescue =
    isReading || job.stage === undefined
      ? back.rescue
      : ((await giveUpWork(world, world.repo, job, before)) ?? back.rescue);
  if (isReading || job.stage === undefined) await dropCheckpoint(world.repo, before.id);
  for (const message of back.warnings) await world.log.tell({ type: "warning", ...job, message });
  return { type: "restored", ...job, paths: [...back.paths], ...head, rescue };
}

/** Forgets the checkpoint, the snapshot and the baseline of a job. */
export function forget({ memory }: World, { job }: JobFacts): void {
  const known = memory.of(job);
  known.checkpoint = undefined;
  // A stage that only reads saves its output after its changes are undone.
  if (known.own === undefined) known.work = undefined;
  known.snapshot = undefined;
  known.ownRefs = undefined;
  known.nextBaseline = undefined;
}

/** Drops the checkpoints of tasks that are done or abandoned, with their saved work; the next claim makes a new one. */
export async function forgetCheckpoints(world: World, ids: readonly string[]): Promise<void> {
  const { repo, workflows } = world;
  if (repo === undefined) return;
  // The runner itself drops the refs of these tasks: a job in progress does not put them back.
  const gone = ids.flatMap((id) => ownRefsOf(repo, id));
  for (const { ownRefs } of world.memory.jobs.values()) for (const ref of gone) ownRefs?.delete(ref);
  const drop = workflows === undefined ? dropCheckpoint : dropWork;
  for (const id of ids) await performAs("checkpoint", () => drop(repo, id));
}
