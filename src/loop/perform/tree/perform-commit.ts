// The commit protocol, which includes the backlog: pending commit, backlog, HEAD; and what a killed run left of it.
import { asResult, failureText } from "../../../git/base/git.js";
import { asideId } from "../../../git/base/names.js";
import { keepCheckpoints } from "../../../git/checkpoint/checkpoint.js";
import {
  commitBacklog,
  prepareCommit,
  type Preparation,
  type TravellingOutputs,
  dropPending,
  recoverPending,
  publish,
} from "../../../git/commit/commit.js";
import { formatMessage } from "../../../git/commit/message.js";
import { publishWithTree } from "../../../git/undo/revert-tree.js";
import { taskFolderName } from "../../../workflow/outputs/task-files.js";
import type { StepEvent } from "../../../logging/events/events.js";
import { readMissingFacts } from "../../runs/pending-facts.js";
import { EffectError } from "../../step/drive.js";
import type { JobFacts, EffectOf } from "../../step/effects.js";
import { describeUnread, readUnread } from "../agent/messages.js";
import { keepAttempt } from "./keep-attempt.js";
import { performAs } from "../perform-as.js";
import { changeBacklog, makeEmptyResult } from "../perform-backlog.js";
import { forget, forgetCheckpoints, makeRescueLabel, takeSnapshot } from "./perform-tree.js";
import { collectOutputs } from "../outputs/stage-output.js";
import { findCommitAgent, getTask, listApprovals } from "../stage-of.js";
import type { World } from "../world.js";

/** L2: writes the pending commit, the backlog and HEAD, in this order; a start that finds a pending commit finishes it. */
export async function performCommit(world: World, effect: EffectOf<"commit">): Promise<StepEvent> {
  const { job, changes } = effect;
  const { repo, memory } = world;
  await world.log.sync();
  // A job at finish has no attempt: its snapshot is of the saved work in the tree.
  const taken =
    memory.of(job.job).snapshot ??
    (job.stage === undefined ? undefined : await takeSnapshot(world, job, makeRescueLabel(job)));
  const commits = world.project.resolved.settings.git.commit === "runner";
  let prepared: Preparation | undefined;
  const prepare = async (backlog: Uint8Array): Promise<void> => {
    if (repo === undefined || taken === undefined || !commits) return;
    const message = formatMessage({
      title: getTask(world, job)?.title ?? job.task_id ?? "work",
      summary: effect.summary,
      task: job.task_id ?? "",
      run: world.log.run,
      agent: findCommitAgent(world, job),
      approvals: listApprovals(world, job),
    });
    const order = {
      taskId: job.task_id ?? "",
      attempt: job.job,
      run: world.log.run,
      snapshot: taken,
      backlog,
      message,
      facts: { changes },
      outputs: await collectDone(world, job),
    };
    prepared = await prepareCommit(repo, order);
  };
  const row = job.task_id === undefined ? undefined : memory.messages.get(job.task_id);
  const unread = await readUnread(world, job, row);
  const { outcome, bytes } = await changeBacklog(world, changes, effect.during, { beforeWrite: prepare });
  memory.baseline = memory.of(job.job).nextBaseline ?? memory.baseline;
  // The commit holds the bytes that the event describes: an edit made since then belongs to a later event.
  if (prepared === undefined && changes.length === 0) await prepare(bytes);
  if (outcome.refused.length > 0) {
    // The task's status changed meanwhile, so a commit would contradict the backlog. The tree is restored next.
    if (repo !== undefined && prepared !== undefined && prepared !== "nothing")
      await performAs("publish", () => dropPending(repo));
    return { type: "committed", ...job, ...outcome };
  }
  if (unread.length > 0) outcome.warnings.push(describeUnread(job, unread, "its agents had ended"));
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
      : (await changeBacklog(world, changes, "idle")).outcome;
  if (outcome.refused.length > 0 && undone === undefined) {
    await dropPending(repo);
    return { type: "committed", ...outcome };
  }
  const finish = undone === undefined ? publish : publishWithTree;
  const published = await performAs("publish", () => finish(repo, prepared));
  outcome.warnings.push(...published.warnings);
  return { type: "committed", commit: published.commit, ...outcome };
}

/**
 * Commits the backlog and the outputs of open tasks at the end of a run, if git tracks it and they changed. Takes over the edits made since the last change, so that
 * the event names all that the commit holds.
 */
export async function performCommitBacklog(
  world: World,
  { ending }: EffectOf<"commit-backlog">,
): Promise<StepEvent> {
  const { repo } = world;
  if (repo === undefined) return { type: "committed", ...makeEmptyResult(world.memory.backlog) };
  // Killed runs may have left checkpoints of other tasks. An edit of a task in hand leaves its checkpoint to the next run, which
  // saves the work by it; so this comes before the look at the file.
  const inHand = (world.memory.backlog?.tasks ?? []).filter(({ status }) => status === "doing");
  const kept = await asResult(() =>
    keepCheckpoints(
      repo,
      inHand.flatMap(({ id }) => [id, asideId(id)]),
    ),
  );
  const { outcome, bytes } = await changeBacklog(world, [], "idle");
  if (!kept.ok) outcome.warnings.push(failureText(kept.error));
  const message = `looper: ${ending}\n\nLooper-Run: ${world.log.run}\n`;
  const tasks = world.memory.backlog?.tasks ?? [];
  const outputs = await collectOutputs(world.ports, world.project, tasks);
  const done = await commitBacklog(repo, { run: world.log.run, bytes, message, outputs });
  if (done === "nothing") return { type: "committed", ...outcome };
  return { type: "committed", commit: done.commit, ...outcome };
}

/** The task of a commit is done: none of its outputs stays in HEAD. */
async function collectDone(world: World, job: JobFacts): Promise<TravellingOutputs | undefined> {
  if (job.stage === undefined) return undefined;
  const outputs = await collectOutputs(world.ports, world.project, []);
  return outputs === undefined
    ? undefined
    : { ...outputs, owned: new Set([taskFolderName(job.task_id ?? "")]) };
}
