// The tree around a job of a workflow: the work of the task is put into it before the job, a checkpoint beside the task's own
// lets a stage that only reads be undone, and the work of other tasks is taken out. Each can be repeated after a kill.
import { keepForeign, ownFolders, pickOwnRefs } from "../../../git/attempt/snapshot.js";
import { runGit } from "../../../git/base/git.js";
import type { DiffEntry } from "../../../git/base/read/diff.js";
import { readHead } from "../../../git/base/repository/head.js";
import {
  asideId,
  checkpointFolder,
  checkpointRef,
  decodeId,
  shelvingRef,
  workRef,
} from "../../../git/base/names.js";
import type { Repository } from "../../../git/base/repository/repository.js";
import {
  checkpoint,
  dropCheckpoint,
  setCheckpoint,
  type Checkpoint,
} from "../../../git/checkpoint/checkpoint.js";
import { restoreTo } from "../../../git/restore/restore.js";
import { applyWork } from "../../../git/saved-work/apply.js";
import {
  reviveWork,
  diffWork,
  dropSavedWork,
  dropWork,
  isOwnWork,
  keepAsRescue,
  readWork,
  type TaskWork,
} from "../../../git/saved-work/work-ref.js";
import { finishShelving, resetTree, shelveWork, type Shelved } from "../../../git/saved-work/shelve.js";
import { listSome } from "../../../system/text/cut.js";
import type { JobFacts } from "../../step/effects.js";
import { getProgress } from "../stage-of.js";
import type { World } from "../world.js";

/** Takes out of the tree what is not of this job: changes of a dead analysis, and the work of other tasks in workflows. */
export async function clearTree(world: World, repo: Repository, job: JobFacts): Promise<void> {
  const folder = checkpointFolder(repo.tree);
  const shelving = shelvingRef(repo.tree, "x").slice(0, -1);
  const { refs } = await readHead(repo, ownFolders(repo));
  const namesIn = (start: string): Set<string> =>
    new Set(
      [...refs.keys()].flatMap((ref) => (ref.startsWith(start) ? [decodeId(ref.slice(start.length))] : [])),
    );
  const begun = namesIn(shelving);
  const kept = namesIn(`${folder}/`);
  const tasks = world.memory.backlog?.tasks ?? [];
  for (const task of tasks.filter(({ progress }) => progress !== undefined)) {
    const { id } = task;
    const isKnown = begun.has(id) || kept.has(id);
    const isOther = id !== job.task_id && task.status !== "done";
    if (kept.has(asideId(id))) await undoDeadAnalysis(world, repo, { job, task: id, isKnown });
    if (!isKnown || !(isOther || begun.has(id))) continue;
    const order = { task: id, run: world.log.run, label: `${id}-left` };
    const finished = begun.has(id) ? await finishShelving(repo, order) : undefined;
    if (finished !== undefined) await tell(world, job, id, finished);
    else if (isOther) {
      const own = await checkpoint(repo, { id, run: world.log.run, reuse: true });
      await tell(world, job, id, await shelveWork(repo, own, order));
    }
  }
}

/** Undoes what the agent of a killed run changed in a stage that only reads. */
async function undoDeadAnalysis(
  world: World,
  repo: Repository,
  { job, task, isKnown }: { job: JobFacts; task: string; isKnown: boolean },
): Promise<void> {
  const id = asideId(task);
  if (isKnown) {
    const aside = await checkpoint(repo, { id, run: world.log.run, reuse: true });
    const label = `${task}-aside`;
    const { paths, rescue, warnings } = await restoreTo(repo, {
      checkpoint: aside,
      run: world.log.run,
      label,
    });
    for (const message of warnings) await world.log.tell({ type: "warning", ...job, message });
    if (paths.length > 0) {
      const message = `changed while an earlier run read ${task}, and put back: ${listSome(paths)} (kept: git show ${rescue ?? ""})`;
      await world.log.tell({ type: "warning", ...job, message });
    }
  }
  await dropCheckpoint(repo, id);
}

async function tell(world: World, job: JobFacts, task: string, shelved: Shelved): Promise<void> {
  for (const message of shelved.warnings) await world.log.tell({ type: "warning", ...job, message });
  const message = describeMore(task, shelved);
  if (message !== undefined) await world.log.tell({ type: "warning", ...job, message });
}

/** The changes of the tree beside the saved work of a task. */
export function describeMore(task: string, { paths, rescue }: Shelved): string | undefined {
  if (rescue === undefined) return undefined;
  const name = rescue.replace(/^refs\/looper\/rescue\//u, "");
  return `not in the saved work of ${task}, and put aside: ${listSome(paths)}; bring it back with \`looper rescue restore ${name}\``;
}

/** The changes in the saved work of the job's task, on its checkpoint. */
export async function listWorkInTree(
  { repo, memory }: World,
  { job, task_id: task }: JobFacts,
): Promise<readonly DiffEntry[]> {
  const work =
    repo === undefined || task === undefined
      ? undefined
      : (memory.of(job).work ?? (await readWork(repo, task)));
  const base = memory.of(job).checkpoint?.base;
  return repo === undefined || work === undefined || work.base !== base ? [] : diffWork(repo, work);
}

/** Whether the tree holds the task's saved work, on its checkpoint. */
export async function isWorkInTree(repo: Repository, task: string): Promise<boolean> {
  const work = await readWork(repo, task);
  const own = checkpointRef(repo.tree, task);
  return work !== undefined && (await readHead(repo, [own])).refs.get(own) === work.base;
}

/** The task's checkpoint once its work is in the tree. `conflicts`: paths that prevent it; then the tree is as it was. */
interface Put {
  made: Checkpoint;
  conflicts: readonly string[];
}

/**
 * Puts the saved work of the job's task into the tree, unless it is there. If it conflicts, the work stays under its ref. If the tree
 * holds the work though the ref of its checkpoint is gone, that checkpoint is named again.
 */
export async function putWork(world: World, repo: Repository, job: JobFacts, made: Checkpoint): Promise<Put> {
  const task = job.task_id ?? "";
  const { run } = world.log;
  world.memory.of(job.job).work = undefined;
  const work = await findWork(world, repo, job);
  if (work === "lost") return { made, conflicts: [workRef(repo.tree, task)] };
  if (work?.base === made.base) world.memory.of(job.job).work = work;
  // A task that is given up needs no work in the tree: it becomes a rescue as it is.
  if (work === undefined || work.base === made.base || job.stage === "block") return { made, conflicts: [] };
  const order = { task, run, label: `${task}-left` };
  if (made.reused) await tell(world, job, task, await resetTree(repo, made, order));
  const applied = await applyWork(repo, task, made);
  if (applied.how === "conflicts") return { made, conflicts: applied.clashes.map(({ path }) => path) };
  if (applied.how === "present")
    return { made: await reviveCheckpoint(world, repo, job, applied.work), conflicts: [] };
  if (applied.how === "applied" && applied.modules.length > 0) {
    const message = `the commits of submodules in the work of ${task} are not checked out: ${listSome(applied.modules)}`;
    await world.log.tell({ type: "warning", ...job, message });
  }
  return { made, conflicts: [] };
}

/** Remembers the refs that only the runner moves, for the end of the job. */
export async function noteOwnRefs({ memory }: World, repo: Repository, { job }: JobFacts): Promise<void> {
  memory.of(job).ownRefs = pickOwnRefs(repo, (await readHead(repo, ownFolders(repo))).refs);
}

/** Names the checkpoint of the work again that is in the tree: an agent or a check removed the ref. */
async function reviveCheckpoint(
  world: World,
  repo: Repository,
  job: JobFacts,
  work: TaskWork,
): Promise<Checkpoint> {
  const id = job.task_id ?? "";
  await setCheckpoint(repo, { id, base: work.base });
  const message = `the work of ${id} is in the tree, but its checkpoint ${checkpointRef(repo.tree, id)} was removed by another program; it was put back`;
  await world.log.tell({ type: "warning", ...job, message });
  world.memory.of(job.job).work = work;
  return checkpoint(repo, { id, run: world.log.run, reuse: true });
}

/** The task's saved work. Work that the row does not name any more becomes a rescue; work that only the row knows comes back. */
async function findWork(
  world: World,
  repo: Repository,
  job: JobFacts,
): Promise<TaskWork | "lost" | undefined> {
  const task = job.task_id ?? "";
  const progress = getProgress(world, job);
  const work = await readWork(repo, task);
  const named = progress?.work?.commit;
  if (work === undefined) await putForeignAside(world, repo, job);
  if (work !== undefined) {
    const isOwn =
      named === undefined
        ? work.visits.at(-1)?.facts.since === progress?.since
        : await isOwnWork(repo, work, named);
    if (isOwn) return work;
    await putAside(world, repo, job, work);
  }
  if (named === undefined) return undefined;
  if (await reviveWork(repo, task, named)) {
    const revived = await readWork(repo, task);
    if (revived !== undefined) {
      await dropOldName(world, repo, { task, was: revived.visits.at(-1)?.facts.task, commit: named });
      return revived;
    }
    await dropSavedWork(repo, task);
  }
  const message = `the saved work of ${task} is not in this repository (${workRef(repo.tree, task)}, commit ${named}), so it is done again; was the project copied without its .git folder?`;
  await world.log.tell({ type: "warning", ...job, message });
  return "lost";
}

/** Drops the ref that a renamed task had before: the ref of its new id names the same work. */
async function dropOldName(
  { memory }: World,
  repo: Repository,
  { task, was = task, commit }: { task: string; was: string | undefined; commit: string },
): Promise<void> {
  if (was === task || memory.backlog?.tasks.some(({ id }) => id === was) === true) return;
  await runGit(repo, ["update-ref", "-d", workRef(repo.tree, was), commit], { answers: [1, 128] });
}

/** Makes a rescue of saved work that is not the row's: of an earlier pass, or of a task of the same id in another task file. */
async function putAside(world: World, repo: Repository, job: JobFacts, work: TaskWork): Promise<void> {
  const task = job.task_id ?? "";
  const ref = await keepAsRescue(repo, work, { task, run: world.log.run, label: `${task}-earlier` });
  await dropSavedWork(repo, task);
  const name = ref.replace(/^refs\/looper\/rescue\//u, "");
  const message = `the saved work of ${task} is not the work that the task file names, and was put aside; bring it back with \`looper rescue restore ${name}\``;
  await world.log.tell({ type: "warning", ...job, message });
}

/** Keeps what another program put in the place of the task's saved work, and drops the ref. */
async function putForeignAside(world: World, repo: Repository, job: JobFacts): Promise<void> {
  const task = job.task_id ?? "";
  const ref = workRef(repo.tree, task);
  const found = (await readHead(repo, [ref])).refs.get(ref);
  if (found === undefined) return;
  const order = { run: world.log.run, label: `${task}-foreign` };
  const kept = await keepForeign(repo, found, order);
  await dropSavedWork(repo, task);
  const where = kept === undefined ? "dropped" : `put aside: ${kept}`;
  const message = `${ref} was not the saved work of ${task} (${found}), and was ${where}`;
  await world.log.tell({ type: "warning", ...job, message });
}

/** Makes the checkpoint that the changes of a stage that only reads are undone to: of the tree with the task's work in it. */
export async function openAside(
  world: World,
  repo: Repository,
  job: JobFacts,
  own: Checkpoint,
): Promise<void> {
  const id = asideId(job.task_id ?? "");
  // Only the runner worked since the own checkpoint was made or reused, and it moves no HEAD meanwhile.
  const order = { id, run: world.log.run, job: job.job, reuse: false, head: own.before };
  const aside = await checkpoint(repo, order);
  world.memory.of(job.job).own = own;
  // A change of the task itself is not a person's uncommitted work.
  world.memory.of(job.job).checkpoint = { ...aside, dirty: new Set() };
}

/** Drops checkpoint and saved work of a task that is given up. Work that was not in the tree becomes a rescue first; returns its ref. */
export async function giveUpWork(
  world: World,
  repo: Repository,
  job: JobFacts,
  own: Checkpoint,
): Promise<string | undefined> {
  const task = job.task_id ?? "";
  const work = await readWork(repo, task);
  const rescue =
    work === undefined || work.base === own.base
      ? undefined
      : await keepAsRescue(repo, work, { task, run: world.log.run, label: `${task}-${String(job.attempt)}` });
  await dropWork(repo, task);
  return rescue;
}
