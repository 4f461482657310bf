// The commit protocol, which includes the backlog: pending commit, backlog, HEAD; and what a killed run left of it. Also the end of a visit:
// the stage's output as a file, then the task's work under its ref. The row names both only afterwards, so a job that is killed in
// between does the same visit again.
import { asResult, failureText } from "../../../git/base/git.js";
import { asideId, RESCUES } from "../../../git/base/names.js";
import { keepCheckpoints } from "../../../git/checkpoint/checkpoint.js";
import {
  commitBacklog,
  prepareCommit,
  type Preparation,
  type TravellingOutputs,
  dropPending,
  readPending,
  publish,
} from "../../../git/commit/commit.js";
import { formatMessage } from "../../../git/commit/message.js";
import { publishWithTree } from "../../../git/undo/revert-tree.js";
import { taskFolderName } from "../../../workflow/outputs/task-files.js";
import type { StepEvent, EventOf } from "../../../logging/events/events.js";
import { readMissingFacts } from "../../runs/recover.js";
import { EffectError } from "../../step/drive.js";
import type { JobFacts, EffectOf } from "../../step/effects.js";
import { describeUnread, readUnread } from "../agent/messages.js";
import { keepAttempt } from "./keep-attempt.js";
import { performAs } from "../perform-as.js";
import { changeBacklog, makeEmptyResult } from "../perform-backlog.js";
import { forget, forgetCheckpoints, makeRescueLabel, takeSnapshot } from "./perform-tree.js";
import { collectOutputs, explainLostFiles, writeOutput, writeTaskDocument } from "../outputs/stage-output.js";
import {
  findCommitAgent,
  getTask,
  listApprovals,
  getProgress,
  getStage,
  type JobStage,
} from "../stage-of.js";
import type { World } from "../world.js";
import { diffWork, readWork, reviveWork, saveWork, type TaskWork } from "../../../git/saved-work/work-ref.js";
import { discardStage } from "../../../git/saved-work/apply.js";
import { shelveWork } from "../../../git/saved-work/shelve.js";
import { headOf } from "../../../git/base/repository/head.js";
import type { Repository } from "../../../git/base/repository/repository.js";
import { listSome } from "../../../system/text/cut.js";
import type { StageOutput } from "../../../workflow/progress.js";
import { describeMore } from "./stage-tree.js";
import { doneBy } from "../../../workflow/stage-kinds.js";

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
  const prepared = await readPending(repo);
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

type SaveWork = EffectOf<"save-work">;

/** Writes the output of a visit, saves the task's work, and takes it out of the tree if the task waits. */
export async function performSaveWork(world: World, effect: SaveWork): Promise<StepEvent> {
  const { job, outcome, text } = effect;
  const at = getStage(world, job);
  if (at === undefined) throw new EffectError("save-work", `job ${String(job.job)} is not in a stage`);
  let output: StageOutput | undefined;
  const lost: string[] = [];
  try {
    output = await writeOutput(world, job, at, { outcome, text });
    await writeTaskDocument(world, job, at, output);
  } catch (error) {
    // An agent is started only where its output can be written. A check has none, and a blocked visit no output.
    const why = explainLostFiles(world.project, job.task_id, error);
    if (why === undefined || (doneBy(at.stage?.kind) !== "commands" && outcome !== "blocked")) throw error;
    lost.push(why);
  }
  const { repo } = world;
  const undropped = `the changes of ${effect.discard?.stage ?? at.name} of ${job.task_id ?? "the task"} are still in the files: without git they cannot be dropped`;
  const kept =
    repo === undefined
      ? // A stage that was told so must not be taken for undone.
        { shelved: false, paths: 0, warnings: effect.discard === undefined ? [] : [undropped] }
      : await performAs("save-work", () => keepWork(world, repo, effect, at));
  world.memory.of(job.job).own = undefined;
  forget(world, job);
  return {
    ...{ type: "work_saved", ...job, output, ...kept },
    warnings: [...lost, ...kept.warnings],
  };
}

/** Commits that an agent made itself stay on the branch, whatever is dropped from the saved work. */
async function warnOfCommits(world: World, repo: Repository, job: SaveWork["job"]): Promise<string[]> {
  if (world.project.resolved.settings.git.commit !== "agent") return [];
  const before = (await readWork(repo, job.task_id ?? ""))?.head;
  const { commit } = await headOf(repo);
  if (before === undefined || commit === undefined || before === commit) return [];
  return [
    `git.commit is agent: what agents committed since ${before.slice(0, 12)} stays on the branch, also where it was dropped from the work; to see it: git log ${before.slice(0, 12)}..`,
  ];
}

type Kept = Pick<EventOf<"work_saved">, "work" | "shelved" | "paths" | "warnings">;

async function keepWork(world: World, repo: Repository, effect: SaveWork, at: JobStage): Promise<Kept> {
  const { job, discard } = effect;
  const task = job.task_id ?? "";
  const warnings: string[] = [];
  const known = world.memory.of(job.job);
  const own = known.own ?? known.checkpoint;
  // A visit that saves and drops nothing leaves the work that was put into the tree.
  let work = effect.work ? await saveVisit(world, repo, job, at) : world.memory.of(job.job).work;
  if (discard !== undefined) warnings.push(...(await dropStage(world, repo, effect, at)));
  const shelved = own !== undefined && (effect.shelve || discard !== undefined);
  if (shelved) {
    const order = { task, run: world.log.run, label: makeRescueLabel(job) };
    const done = await shelveWork(repo, own, order);
    const more = describeMore(task, done);
    warnings.push(...done.warnings, ...(more === undefined ? [] : [more]));
  }
  if (work === undefined || discard !== undefined) work = await readWork(repo, task);
  if (work === undefined) return { shelved, paths: 0, warnings };
  const paths = (await diffWork(repo, work)).length;
  return { work: { commit: work.tip, base: work.head ?? work.base }, shelved, paths, warnings };
}

async function saveVisit(
  world: World,
  repo: Repository,
  job: SaveWork["job"],
  at: JobStage,
): Promise<TaskWork | undefined> {
  const checkpoint = world.memory.of(job.job).checkpoint;
  if (checkpoint === undefined) return undefined;
  // The unfinished attempt of a paused task has no snapshot yet.
  const taken = world.memory.of(job.job).snapshot ?? (await takeSnapshot(world, job, makeRescueLabel(job)));
  const changes = taken?.changes ?? [];
  await keepAttempt(world, job);
  const since = getProgress(world, job)?.since;
  const place = { task: job.task_id ?? "", run: world.log.run, stage: at.name, visit: at.visit };
  return saveWork(repo, { ...place, since, checkpoint, changes });
}

/** Drops the changes of a stage from the saved work: those of this visit, or the latest of the stage that the effect names. */
async function dropStage(
  world: World,
  repo: Repository,
  { job, discard }: SaveWork,
  at: JobStage,
): Promise<string[]> {
  const by = { stage: at.name, visit: at.visit };
  const task = job.task_id ?? "";
  const named = getProgress(world, job)?.work?.commit;
  if (named !== undefined && (await readWork(repo, task)) === undefined) await reviveWork(repo, task, named);
  const stage = discard?.stage ?? at.name;
  const only = discard?.stage === undefined ? at.visit : undefined;
  const dropped = await discardStage(repo, { task, run: world.log.run, stage, only, by });
  if (dropped.how === "conflicts")
    throw new EffectError(
      "save-work",
      `the changes of ${stage} cannot be dropped from the work of ${task}: later stages changed the same lines of ${listSome(dropped.paths)}`,
    );
  const name = dropped.how === "discarded" ? dropped.rescue?.slice(`${RESCUES}/`.length) : undefined;
  const message = `the changes of ${stage} were dropped from the work of ${task}; they are kept: looper rescue show ${name ?? ""}`;
  return [...(name === undefined ? [] : [message]), ...(await warnOfCommits(world, repo, job))];
}
