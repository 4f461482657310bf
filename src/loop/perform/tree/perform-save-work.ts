// The end of a visit: the stage's output as a file, then the task's work under its ref. The row names both only afterwards, so a
// job that is killed in between does the same visit again.
import { RESCUES } from "../../../git/base/names.js";
import { diffWork, readWork, type TaskWork, reviveWork, saveWork } from "../../../git/saved-work/work-ref.js";
import { discardStage } from "../../../git/saved-work/apply.js";
import { shelveWork } from "../../../git/saved-work/shelve.js";
import { headOf } from "../../../git/base/repository/head.js";
import type { Repository } from "../../../git/base/repository/repository.js";
import type { StepEvent, EventOf } from "../../../logging/events/events.js";
import { listSome } from "../../../system/text/cut.js";
import { EffectError } from "../../step/drive.js";
import type { EffectOf } from "../../step/effects.js";
import { keepAttempt } from "./keep-attempt.js";
import { performAs } from "../perform-as.js";
import { forget, makeRescueLabel, takeSnapshot } from "./perform-tree.js";
import type { StageOutput } from "../../../workflow/progress.js";
import { explainLostFiles, writeOutput, writeTaskDocument } from "../outputs/stage-output.js";
import { describeMore } from "./stage-tree.js";
import { getProgress, getStage, type JobStage } from "../stage-of.js";
import type { World } from "../world.js";

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
    if (why === undefined || (at.stage?.kind !== "check" && outcome !== "blocked")) throw error;
    lost.push(why);
  }
  const { repo } = world;
  const kept =
    repo === undefined
      ? { shelved: false, paths: 0, warnings: listUndropped(effect, at) }
      : await performAs("save-work", () => keepWork(world, repo, effect, at));
  world.memory.of(job.job).own = undefined;
  forget(world, job);
  return {
    ...{ type: "work_saved", ...job, output, ...kept },
    warnings: [...lost, ...kept.warnings],
  };
}

/** Without git no change can be dropped, and a stage that was told so must not be taken for undone. */
function listUndropped({ job, discard }: SaveWork, at: JobStage): string[] {
  if (discard === undefined) return [];
  return [
    `the changes of ${discard.stage ?? at.name} of ${job.task_id ?? "the task"} are still in the files: without git they cannot be dropped`,
  ];
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
  return saveWork(repo, {
    task: job.task_id ?? "",
    run: world.log.run,
    stage: at.name,
    visit: at.visit,
    since,
    checkpoint,
    changes,
  });
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
  const dropped = await discardStage(repo, {
    task,
    run: world.log.run,
    stage,
    ...(discard?.stage === undefined ? { only: at.visit } : {}),
    by,
  });
  if (dropped.how !== "conflicts") {
    const rescue = dropped.how === "discarded" ? dropped.rescue : undefined;
    return [...describeDropped(task, stage, rescue), ...(await warnOfCommits(world, repo, job))];
  }
  throw new EffectError(
    "save-work",
    `the changes of ${stage} cannot be dropped from the work of ${task}: later stages changed the same lines of ${listSome(dropped.paths)}`,
  );
}

function describeDropped(task: string, stage: string, rescue: string | undefined): string[] {
  if (rescue === undefined) return [];
  const name = rescue.slice(`${RESCUES}/`.length);
  return [
    `the changes of ${stage} were dropped from the work of ${task}; they are kept: looper rescue show ${name}`,
  ];
}
