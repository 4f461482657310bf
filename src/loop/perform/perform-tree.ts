// Effects on the working tree: checkpoint, snapshot, restore, and the commit protocol with the backlog in it.
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
import { missingOf } from "../runs/pending-facts.js";
import { changeBacklog, makeEdit, toOutcome } from "./perform-backlog.js";
import { PUSH_LABEL } from "../step/releasing.js";
import { endsAttempt, taskOfChange } from "../../todo/model/person-change.js";
import { unwrap } from "./unwrap.js";
import type { World } from "./world.js";

type Do<K extends Effect["kind"]> = Extract<Effect, { kind: K }>;

/** Keeps the tree as an attempt finds it. Without git there is nothing to keep. */
export async function performCheckpoint(world: World, { job, reuse }: Do<"checkpoint">): Promise<StepEvent> {
  if (world.repo === undefined) return { type: "checkpoint", ...job, reused: false, dirty: 0 };
  const isRelease = job.phase === "push";
  if (!isRelease) await noteStart(world);
  const id = isRelease ? THE_RELEASE : (job.task_id ?? THE_REVIEW);
  // The checks of a release run where it is made.
  if (!isRelease) await openCold(world);
  const made = unwrap(
    "checkpoint",
    await checkpoint(world.repo, { id, run: world.log.run, job: job.job, reuse }),
  );
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

/** What the attempt did to the tree and to HEAD, as the agent left them. */
export async function performSnapshot(world: World, { job }: Do<"snapshot">): Promise<StepEvent> {
  const taken = await takeSnapshot(world, job, labelOf(job));
  if (taken === undefined) return { type: "snapshot", ...job, changed: 0, head: "same", warnings: [] };
  const { verdict } = taken;
  return {
    type: "snapshot",
    ...job,
    changed: taken.changes.length,
    head: typeof verdict === "object" ? "moved" : verdict,
    ...(typeof verdict === "object" ? { why: verdict.moved } : {}),
    ...headOf(world, job, taken),
    warnings: [...taken.warnings],
  };
}

/** Where HEAD is now, if it went on during the attempt. */
function headOf({ memory }: World, { job }: JobFacts, taken: Snapshot | undefined): { head_commit?: string } {
  const commit = taken?.head.commit;
  const before = memory.checkpoints.get(job)?.before.commit;
  return commit === undefined || commit === before ? {} : { head_commit: commit };
}

/** Names what is put aside. */
function labelOf({ task_id, attempt, phase }: JobFacts): string {
  return phase === "push" ? PUSH_LABEL : `${task_id ?? "job"}-${String(attempt)}`;
}

/** What the job left, HEAD put back where it belongs; `undefined` without a repository. */
export async function takeSnapshot(
  world: World,
  job: JobFacts,
  label: string,
): Promise<Snapshot | undefined> {
  const { repo, memory } = world;
  const before = memory.checkpoints.get(job.job);
  if (repo === undefined || before === undefined) return undefined;
  const { run } = world.log;
  // A release is committed by the runner, whoever commits elsewhere.
  const policy = job.phase === "push" ? "runner" : world.project.resolved.settings.git.commit;
  const taken = unwrap("snapshot", await snapshot(repo, { checkpoint: before, run, label, policy }));
  const tags = world.release?.tags;
  const putBack = tags === undefined ? [] : unwrap("snapshot", await putTagsBack(repo, tags, { run, label }));
  const all = { ...taken, warnings: [...taken.warnings, ...putBack] };
  memory.snapshots.set(job.job, all);
  return all;
}

/**
 * Puts back what a review changed, or the work of a task that is given up; a rescue keeps what was there. Killed in between,
 * the next start finds the checkpoint, or a tree that is at its base already.
 */
export async function performRestore(world: World, { job }: Do<"restore">): Promise<StepEvent> {
  const isReview = job.task_id === undefined;
  const label = job.phase === "review" ? `review-${String(job.iteration)}` : labelOf(job);
  // Of an attempt the snapshot was taken before it was judged.
  const taken = isReview ? await takeSnapshot(world, job, label) : undefined;
  const head = headOf(world, job, taken);
  for (const message of taken?.told ?? []) await world.log.tell({ type: "warning", ...job, message });
  const before = world.memory.checkpoints.get(job.job);
  if (job.phase !== "push") await keepAttempt(world, job);
  forget(world, job);
  if (world.repo === undefined || before === undefined) return { type: "restored", ...job, paths: [] };
  const back = unwrap(
    "restore",
    await restoreTo(world.repo, { checkpoint: before, run: world.log.run, label }),
  );
  unwrap("restore", await dropCheckpoint(world.repo, before.id));
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

/** L2: pending commit, backlog, HEAD, in this order; a start that finds pending goes on from there. */
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
      title: titleOf(world, job),
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
    prepared = unwrap("commit", await prepareCommit(repo, order));
  };
  const outcome = await changeBacklog(world, changes, effect.during, prepare);
  memory.baseline = memory.nextBaselines.get(job.job) ?? memory.baseline;
  if (prepared === undefined && changes.length === 0) await prepare(await bytesOf(world));
  if (outcome.refused.length > 0) {
    // Its task was given another status meanwhile: a commit would say done where the backlog does not. The tree is put back next.
    if (repo !== undefined && prepared !== undefined && prepared !== "nothing")
      unwrap("publish", await dropPending(repo));
    return { type: "committed", ...job, ...outcome };
  }
  if (prepared === undefined || prepared === "nothing") await keepAttempt(world, job);
  forget(world, job);
  if (repo === undefined || prepared === undefined || prepared === "nothing") {
    if (job.task_id !== undefined) await forgetCheckpoints(world, [job.task_id]);
    return { type: "committed", ...job, ...outcome };
  }
  const published = unwrap("publish", await publish(repo, prepared));
  outcome.warnings.push(...published.warnings);
  return { type: "committed", ...job, commit: published.commit, ...outcome };
}

/** Goes on where a killed run left its commit. */
export async function performFinishPending(world: World): Promise<StepEvent> {
  const { repo } = world;
  if (repo === undefined) throw new EffectError("finish-pending", "there is no repository");
  const prepared = unwrap("finish-pending", await recoverPending(repo));
  if (prepared === undefined) return { type: "committed", ...toOutcome(world.memory.backlog) };
  const { changes, undone } = missingOf(prepared, world.memory.backlog?.tasks ?? []);
  const outcome =
    changes.length === 0 ? toOutcome(world.memory.backlog) : await changeBacklog(world, changes, "idle");
  if (outcome.refused.length > 0 && undone === undefined) {
    unwrap("finish-pending", await dropPending(repo));
    return { type: "committed", ...outcome };
  }
  const publishing = undone === undefined ? publish(repo, prepared) : publishWithTree(repo, prepared);
  const published = unwrap("publish", await publishing);
  outcome.warnings.push(...published.warnings);
  return { type: "committed", commit: published.commit, ...outcome };
}

/** The backlog's own commit at the end of a run, where git tracks it and it changed. */
export async function performCommitBacklog(
  world: World,
  { ending }: Do<"commit-backlog">,
): Promise<StepEvent> {
  const outcome = toOutcome(world.memory.backlog);
  const bytes = await world.ports.files.read(world.project.todoFile);
  if (world.repo === undefined || bytes === undefined) return { type: "committed", ...outcome };
  // Runs that were killed left theirs.
  const inHand = (world.memory.backlog?.tasks ?? []).filter(({ status }) => status === "doing");
  const kept = await keepCheckpoints(
    world.repo,
    inHand.map(({ id }) => id),
  );
  if (!kept.ok) outcome.warnings.push(`${kept.error.command}: ${kept.error.message}`);
  const message = `looper: ${ending}\n\nLooper-Run: ${world.log.run}\n`;
  const done = unwrap(
    "commit-backlog",
    await commitBacklog(world.repo, { run: world.log.run, bytes, message }),
  );
  if (done === "nothing") return { type: "committed", ...outcome };
  return { type: "committed", commit: done.commit, ...outcome };
}

/** A task that is done or given up begins anew the next time it is claimed. */
async function forgetCheckpoints({ repo }: World, ids: readonly string[]): Promise<void> {
  if (repo === undefined) return;
  for (const id of ids) unwrap("checkpoint", await dropCheckpoint(repo, id));
}

/** A change of the backlog alone; the checkpoint of a task that is given up goes with it. */
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

/** The edit that was asked for: its tasks begin anew the next time they are claimed. */
async function performEdit(world: World, request: string, during: "agent" | "idle"): Promise<StepEvent> {
  const changes = world.memory.asked.get(request);
  if (changes === undefined) throw new Error(`nothing is known of the edit ${request}`);
  const statuses = new Map(world.memory.backlog?.tasks.map(({ id, status }) => [id, status]));
  const outcome = await makeEdit(world, changes, during);
  world.memory.asked.delete(request);
  if (outcome.refused.length === 0) {
    const ended = changes.filter((change) => endsAttempt(change, statuses.get(taskOfChange(change))));
    const { repo } = world;
    if (repo !== undefined)
      for (const id of ended.map(taskOfChange)) unwrap("checkpoint", await dropCheckpoint(repo, id));
  }
  return { type: "backlog_changed", request, ...outcome };
}

function titleOf(world: World, job: JobFacts): string {
  return world.memory.backlog?.tasks.find(({ id }) => id === job.task_id)?.title ?? job.task_id ?? "work";
}

async function bytesOf(world: World): Promise<Uint8Array> {
  return (await world.ports.files.read(world.project.todoFile)) ?? new Uint8Array();
}

/** Drops what is remembered of a job's tree. */
export function forget({ memory }: World, { job }: JobFacts): void {
  memory.checkpoints.delete(job);
  memory.snapshots.delete(job);
  memory.nextBaselines.delete(job);
}
