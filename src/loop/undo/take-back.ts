// Takes back what a task that is not done has changed so far: the tree goes back to its base, its saved work becomes a rescue,
// and it begins again. If others changed the same paths, nothing is changed.
import { toText } from "../../git/base/bytes.js";
import { sameVersion, type DiffEntry } from "../../git/base/read/diff.js";
import { readHead } from "../../git/base/repository/head.js";
import { asideId, checkpointRef } from "../../git/base/names.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { checkpoint, dropCheckpoint, type Checkpoint } from "../../git/checkpoint/checkpoint.js";
import { leaveOutLarge } from "../../git/checkpoint/large.js";
import { diffOwnIndex, diffTrees, stageAll } from "../../git/index/index-file.js";
import { restoreTo } from "../../git/restore/restore.js";
import { finishShelving } from "../../git/saved-work/shelve.js";
import { diffWork, dropWork, keepAsRescue, readWork, type TaskWork } from "../../git/saved-work/work-ref.js";
import { UserError } from "../../system/errors.js";
import type { By } from "../../workflow/progress.js";
import type { Task } from "../../todo/model/task.js";
import { countChanges, type ChangeCounts } from "./plan-undo.js";
import type { UndoSite } from "./undo-site.js";

/** `foreign`: paths that others changed as well, and nothing was changed. */
export type TaskTakenBack =
  | { outcome: "nothing" }
  | { outcome: "foreign"; paths: readonly string[] }
  | { outcome: "declined" | "would-take-back"; counts: ChangeCounts }
  | { outcome: "taken-back"; counts: ChangeCounts; rescue?: string | undefined; warnings: readonly string[] };

export interface TakeBackRequest {
  who: Pick<By, "by" | "via">;
  dryRun: boolean;
  confirm: (counts: ChangeCounts) => Promise<boolean>;
}

/** Whether a task has work in the tree, or saved work. */
export async function hasWork({ repo }: UndoSite, task: Task): Promise<boolean> {
  const own = checkpointRef(repo.tree, task.id);
  const { refs } = await readHead(repo, [own]);
  return refs.has(own) || (await readWork(repo, task.id)) !== undefined;
}

/** Takes the work of a task back. The site is taken over. */
export async function takeBack(site: UndoSite, task: Task, request: TakeBackRequest): Promise<TaskTakenBack> {
  const { repo } = site;
  const run = `undo-${task.id}`;
  const work = await readWork(repo, task.id);
  const finished = await finishShelving(repo, { task: task.id, run, label: `${task.id}-left` });
  const own = finished === undefined ? await findOwn(repo, task.id, run) : undefined;
  const held = own === undefined ? undefined : await lookAt(repo, own);
  const changes = held ?? (work === undefined ? [] : await diffWork(repo, work));
  if (changes.length === 0) return { outcome: "nothing" };
  const counts = countChanges(changes);
  const paths = own === undefined ? [] : await findForeign(repo, task, { own, work, changes });
  if (paths.length > 0) return { outcome: "foreign", paths };
  if (request.dryRun) return { outcome: "would-take-back", counts };
  if (!(await request.confirm(counts))) return { outcome: "declined", counts };
  // The row first: a start that finds the work without it puts the work aside.
  await changeRow(site, task, request.who);
  const label = `${task.id}-undone`;
  const back = own === undefined ? undefined : await restoreTo(repo, { checkpoint: own, run, label });
  const kept =
    back === undefined && work !== undefined
      ? await keepAsRescue(repo, work, { task: task.id, run, label })
      : undefined;
  await dropCheckpoint(repo, asideId(task.id));
  await dropWork(repo, task.id);
  const rescue = back?.rescue ?? kept;
  return { outcome: "taken-back", counts, rescue, warnings: back?.warnings ?? [] };
}

/** The checkpoint of a task whose work is in the tree. */
async function findOwn(repo: Repository, task: string, run: string): Promise<Checkpoint | undefined> {
  const own = checkpointRef(repo.tree, task);
  const { refs } = await readHead(repo, [own]);
  return refs.has(own) ? checkpoint(repo, { id: task, run, reuse: true }) : undefined;
}

async function lookAt(repo: Repository, own: Checkpoint): Promise<DiffEntry[]> {
  await leaveOutLarge(repo);
  await stageAll(repo, own.base);
  return diffOwnIndex(repo, own.base, repo.excludes);
}

/**
 * The changed paths that others changed too: in a commit since the task began, or in the tree since its work was saved. Without saved
 * work, or at a stage that changes the tree, all changes in the tree are the task's.
 */
async function findForeign(
  repo: Repository,
  task: Task,
  { own, work, changes }: { own: Checkpoint; work: TaskWork | undefined; changes: readonly DiffEntry[] },
): Promise<string[]> {
  const { commit } = own.before;
  const since =
    commit === undefined || own.recorded.commit === undefined || commit === own.recorded.commit
      ? []
      : await diffTrees(repo, commit, own.recorded.commit);
  const committed = new Set(since.map(({ path }) => path).filter((path) => !repo.isOwn(path)));
  const saved = new Map(
    work === undefined ? [] : (await diffWork(repo, work)).map(({ path, to }) => [path, to]),
  );
  const isAtWork =
    work?.visits.at(-1)?.facts.stage !== undefined &&
    task.progress?.visit === work.visits.at(-1)?.facts.visit;
  const foreign = changes.filter(({ path, to }) => {
    if (committed.has(path)) return true;
    const version = saved.get(path);
    return !isAtWork && version !== undefined && !sameVersion(version, to);
  });
  return foreign.map(({ path }) => toText(path)).sort();
}

/** The task begins again: its place in the workflow and its work are gone from the row, its outputs stay. */
async function changeRow({ store }: UndoSite, { id }: Task, who: TakeBackRequest["who"]): Promise<void> {
  const changed = await store.change([{ op: "restart", id, ...who }], { while: "idle", finished: new Set() });
  const refused = changed.ok ? changed.value.applied.refused[0] : undefined;
  if (refused !== undefined) throw new UserError("no", `cannot undo ${id}: ${refused.why}`);
}
