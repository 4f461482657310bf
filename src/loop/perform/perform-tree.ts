// Effects on the working tree: checkpoint, snapshot, restore, and the commit protocol, which includes the backlog.
import { asResult } from "../../git/base/git.js";
import { performAs } from "./perform-as.js";
import { checkpoint, dropCheckpoint, keepCheckpoints } from "../../git/checkpoint/checkpoint.js";
import { commitBacklog, prepareCommit, type Preparation } from "../../git/commit/commit.js";
import { formatMessage } from "../../git/commit/message.js";
import { dropPending, recoverPending } from "../../git/commit/pending.js";
import { publish } from "../../git/commit/publish.js";
import { publishWithTree } from "../../git/undo/revert-tree.js";
import { restoreTo } from "../../git/restore/restore.js";
import { snapshot, type Snapshot } from "../../git/attempt/snapshot.js";
import { putTagsBack } from "../../git/release/tags.js";
import type { StepEvent } from "../../logging/events.js";
import { given } from "../../system/given.js";
import { openCold } from "./checks.js";
import { EffectError } from "../step/drive.js";
import type { Effect, JobFacts } from "../step/effects.js";
import { keepAttempt, keepStart, noteStart, THE_RELEASE, THE_REVIEW } from "./keep-attempt.js";
import { readMissingFacts } from "../runs/pending-facts.js";
import { changeBacklog, makeEdit, makeEmptyResult } from "./perform-backlog.js";
import { PUSH_LABEL } from "../step/releasing.js";
import { endsAttempt, taskOfChange } from "../../todo/model/person-change.js";
import type { World } from "./world.js";

type Do<K extends Effect["kind"]> = Extract<Effect, { kind: K }>;

/** Makes a checkpoint of the tree before an attempt; does nothing without git. */
export async function performCheckpoint(world: World, { job, reuse }: Do<"checkpoint">): Promise<StepEvent> {
  if (world.repo === undefined) return { type: "checkpoint", ...job, reused: false, dirty: 0 };
  const isRelease = job.phase === "push";
  if (!isRelease) await noteStart(world);
  const id = isRelease ? THE_RELEASE : (job.task_id ?? THE_REVIEW);
  // The checks of a release run in the project, not in a cold room.
  if (!isRelease) await openCold(world);
  const made = await checkpoint(world.repo, { id, run: world.log.run, job: job.job, reuse });
  world.memory.checkpoints.set(job.job, made);
  if (!isRelease) await keepStart(world, made.base);
  for (const message of made.warnings) await world.log.tell({ type: "warning", ...job, message });
  return {
    type: "checkpoint",
    ...job,
    base: made.base,
    ...given({ head: made.before.commit }),
    reused: made.reused,
    dirty: made.dirty.size,
  };
}

/** Records what an attempt changed in the tree and whether it moved HEAD. */
export async function performSnapshot(world: World, { job }: Do<"snapshot">): Promise<StepEvent> {
  const taken = await takeSnapshot(world, job, makeRescueLabel(job));
  if (taken === undefined) return { type: "snapshot", ...job, changed: 0, head: "same", warnings: [] };
  const { verdict } = taken;
  return {
    type: "snapshot",
    ...job,
    changed: taken.changes.length,
    head: typeof verdict === "object" ? "moved" : verdict,
    ...(typeof verdict === "object" ? { why: verdict.moved } : {}),
    ...findMovedHead(world, job, taken),
    warnings: [...taken.warnings],
  };
}

/** The commit of HEAD, if it moved during the attempt. */
function findMovedHead(
  { memory }: World,
  { job }: JobFacts,
  taken: Snapshot | undefined,
): { head_commit?: string } {
  const commit = taken?.head.commit;
  const before = memory.checkpoints.get(job)?.before.commit;
  return commit === undefined || commit === before ? {} : { head_commit: commit };
}

/** The name of the rescue that keeps the job's work. */
function makeRescueLabel({ task_id, attempt, phase }: JobFacts): string {
  return phase === "push" ? PUSH_LABEL : `${task_id ?? "job"}-${String(attempt)}`;
}

/** Takes a snapshot of the job's work and puts HEAD back where the job found it; `undefined` without a repository. */
export async function takeSnapshot(
  world: World,
  job: JobFacts,
  label: string,
): Promise<Snapshot | undefined> {
  const { repo, memory } = world;
  const before = memory.checkpoints.get(job.job);
  if (repo === undefined || before === undefined) return undefined;
  const { run } = world.log;
  // The runner always commits a release, even if the settings leave commits to the agent.
  const policy = job.phase === "push" ? "runner" : world.project.resolved.settings.git.commit;
  const taken = await performAs("snapshot", () => snapshot(repo, { checkpoint: before, run, label, policy }));
  const tags = world.release?.tags;
  const putBack =
    tags === undefined ? [] : await performAs("snapshot", () => putTagsBack(repo, tags, { run, label }));
  const all = { ...taken, warnings: [...taken.warnings, ...putBack] };
  memory.snapshots.set(job.job, all);
  return all;
}

/**
 * Reverts a review's changes, or the work of an abandoned task, and saves it as a rescue. If the run is killed meanwhile, the
 * next start finds the checkpoint, or a tree that is restored already.
 */
export async function performRestore(world: World, { job }: Do<"restore">): Promise<StepEvent> {
  const isReview = job.task_id === undefined;
  const label = job.phase === "review" ? `review-${String(job.iteration)}` : makeRescueLabel(job);
  // An attempt's snapshot was taken before its verdict; a review has none yet.
  const taken = isReview ? await takeSnapshot(world, job, label) : undefined;
  const head = findMovedHead(world, job, taken);
  for (const message of taken?.told ?? []) await world.log.tell({ type: "warning", ...job, message });
  const before = world.memory.checkpoints.get(job.job);
  if (job.phase !== "push") await keepAttempt(world, job);
  forget(world, job);
  if (world.repo === undefined || before === undefined) return { type: "restored", ...job, paths: [] };
  const back = await restoreTo(world.repo, { checkpoint: before, run: world.log.run, label });
  await dropCheckpoint(world.repo, before.id);
  for (const message of back.warnings) await world.log.tell({ type: "warning", ...job, message });
  return {
    type: "restored",
    ...job,
    paths: [...back.paths],
    ...(back.inside.length === 0 ? {} : { inside: [...back.inside] }),
    ...head,
    ...given({ rescue: back.rescue }),
  };
}

/** L2: writes the pending commit, the backlog and HEAD, in this order; a start that finds a pending commit finishes it. */
export async function performCommit(world: World, effect: Do<"commit">): Promise<StepEvent> {
  const { job, changes } = effect;
  const { repo, memory } = world;
  await world.log.sync();
  const taken = memory.snapshots.get(job.job);
  const commits = world.project.resolved.settings.git.commit === "runner";
  let prepared: Preparation | undefined;
  const prepare = async (backlog: Uint8Array): Promise<void> => {
    if (repo === undefined || taken === undefined || !commits) return;
    const message = formatMessage({
      title: findTitle(world, job),
      summary: effect.summary,
      task: job.task_id ?? "",
      run: world.log.run,
      agent: job.agent,
    });
    const order = {
      taskId: job.task_id ?? "",
      attempt: job.job,
      run: world.log.run,
      snapshot: taken,
      backlog,
      message,
      facts: { changes },
    };
    prepared = await prepareCommit(repo, order);
  };
  const outcome = await changeBacklog(world, changes, effect.during, prepare);
  memory.baseline = memory.nextBaselines.get(job.job) ?? memory.baseline;
  if (prepared === undefined && changes.length === 0) await prepare(await readBacklogBytes(world));
  if (outcome.refused.length > 0) {
    // The task's status changed meanwhile, so a commit would contradict the backlog. The tree is restored next.
    if (repo !== undefined && prepared !== undefined && prepared !== "nothing")
      await performAs("publish", () => dropPending(repo));
    return { type: "committed", ...job, ...outcome };
  }
  if (prepared === undefined || prepared === "nothing") await keepAttempt(world, job);
  forget(world, job);
  if (repo === undefined || prepared === undefined || prepared === "nothing") {
    if (job.task_id !== undefined) await forgetCheckpoints(world, [job.task_id]);
    return { type: "committed", ...job, ...outcome };
  }
  const built = prepared;
  const published = await performAs("publish", () => publish(repo, built));
  outcome.warnings.push(...published.warnings);
  return { type: "committed", ...job, commit: published.commit, ...outcome };
}

/** Finishes the pending commit of a killed run. */
export async function performFinishPending(world: World): Promise<StepEvent> {
  const { repo } = world;
  if (repo === undefined) throw new EffectError("finish-pending", "the run has no repository");
  const prepared = await recoverPending(repo);
  if (prepared === undefined) return { type: "committed", ...makeEmptyResult(world.memory.backlog) };
  const { changes, undone } = readMissingFacts(prepared, world.memory.backlog?.tasks ?? []);
  const outcome =
    changes.length === 0
      ? makeEmptyResult(world.memory.backlog)
      : await changeBacklog(world, changes, "idle");
  if (outcome.refused.length > 0 && undone === undefined) {
    await dropPending(repo);
    return { type: "committed", ...outcome };
  }
  const finish = undone === undefined ? publish : publishWithTree;
  const published = await performAs("publish", () => finish(repo, prepared));
  outcome.warnings.push(...published.warnings);
  return { type: "committed", commit: published.commit, ...outcome };
}

/** Commits the backlog at the end of a run, if git tracks it and it changed. */
export async function performCommitBacklog(
  world: World,
  { ending }: Do<"commit-backlog">,
): Promise<StepEvent> {
  const outcome = makeEmptyResult(world.memory.backlog);
  const bytes = await world.ports.files.read(world.project.todoFile);
  const { repo } = world;
  if (repo === undefined || bytes === undefined) return { type: "committed", ...outcome };
  // Killed runs may have left checkpoints of other tasks.
  const inHand = (world.memory.backlog?.tasks ?? []).filter(({ status }) => status === "doing");
  const kept = await asResult(() =>
    keepCheckpoints(
      repo,
      inHand.map(({ id }) => id),
    ),
  );
  if (!kept.ok) outcome.warnings.push(`${kept.error.command}: ${kept.error.message}`);
  const message = `looper: ${ending}\n\nLooper-Run: ${world.log.run}\n`;
  const done = await commitBacklog(repo, { run: world.log.run, bytes, message });
  if (done === "nothing") return { type: "committed", ...outcome };
  return { type: "committed", commit: done.commit, ...outcome };
}

/** Drops the checkpoints of tasks that are done or abandoned; the next claim makes a new one. */
async function forgetCheckpoints({ repo }: World, ids: readonly string[]): Promise<void> {
  if (repo === undefined) return;
  for (const id of ids) await performAs("checkpoint", () => dropCheckpoint(repo, id));
}

/** Changes only the backlog, and drops the checkpoints of tasks it blocks. */
export async function performChange(world: World, effect: Do<"change-backlog">): Promise<StepEvent> {
  await noteStart(world);
  if (effect.request !== undefined) return performEdit(world, effect.request, effect.during);
  const outcome = await changeBacklog(world, effect.changes, effect.during);
  if (effect.job !== undefined) await keepAttempt(world, effect.job);
  await forgetCheckpoints(
    world,
    effect.changes.flatMap((change) => (change.op === "block" ? [change.id] : [])),
  );
  return { type: "backlog_changed", ...effect.job, ...outcome };
}

/** Makes a requested edit, and drops the checkpoints of its tasks; the next claim makes new ones. */
async function performEdit(world: World, request: string, during: "agent" | "idle"): Promise<StepEvent> {
  const changes = world.memory.asked.get(request);
  if (changes === undefined) throw new Error(`the edit ${request} is unknown`);
  const statuses = new Map(world.memory.backlog?.tasks.map(({ id, status }) => [id, status]));
  const outcome = await makeEdit(world, changes, during);
  world.memory.asked.delete(request);
  if (outcome.refused.length === 0) {
    const ended = changes.filter((change) => endsAttempt(change, statuses.get(taskOfChange(change))));
    const { repo } = world;
    if (repo !== undefined)
      for (const id of ended.map(taskOfChange)) await performAs("checkpoint", () => dropCheckpoint(repo, id));
  }
  return { type: "backlog_changed", request, ...outcome };
}

function findTitle(world: World, job: JobFacts): string {
  return world.memory.backlog?.tasks.find(({ id }) => id === job.task_id)?.title ?? job.task_id ?? "work";
}

async function readBacklogBytes(world: World): Promise<Uint8Array> {
  return (await world.ports.files.read(world.project.todoFile)) ?? new Uint8Array();
}

/** Forgets the checkpoint, the snapshot and the baseline of a job. */
export function forget({ memory }: World, { job }: JobFacts): void {
  memory.checkpoints.delete(job);
  memory.snapshots.delete(job);
  memory.nextBaselines.delete(job);
}
