// Takes the saved work of a task out of the tree, back to its checkpoint, so that another task can start. May be repeated after a
// kill at any point: until the end a ref says that the tree may hold only a part of the work.
import type { Checkpoint } from "../checkpoint/checkpoint.js";
import { checkpoint as reuse } from "../checkpoint/checkpoint.js";
import { toText } from "../base/bytes.js";
import { sameVersion, type Version } from "../base/read/diff.js";
import { runGit } from "../base/git.js";
import { readHead } from "../base/repository/head.js";
import { checkpointRef, shelvedRef, shelvingRef } from "../base/names.js";
import { deleteRefs } from "../base/list-refs.js";
import type { Repository } from "../base/repository/repository.js";
import { readKeptAt, type KeptWork, keepObject, toMap } from "../rescue/rescue.js";
import { restoreTo } from "../restore/restore.js";
import { diffWork, readWork } from "./work-ref.js";
import { given } from "../../system/given.js";

export interface ShelveOrder {
  task: string;
  run: string;
  /** The name of a rescue, if the tree holds more than the saved work. */
  label: string;
}

export interface Shelved {
  /** The changes of the tree beside the saved work, and the rescue that keeps it. */
  rescue?: string;
  paths: readonly string[];
  warnings: readonly string[];
}

/** Resets the tree to the task's checkpoint and drops the checkpoint. Contract: the work is saved. */
export async function shelveWork(
  repo: Repository,
  checkpoint: Checkpoint,
  order: ShelveOrder,
): Promise<Shelved> {
  await runGit(repo, ["update-ref", shelvingRef(repo.tree, order.task), checkpoint.base]);
  return finish(repo, checkpoint, order);
}

/** Finishes what a killed run began; `undefined` if it began nothing. Starts one process then. */
export async function finishShelving(repo: Repository, order: ShelveOrder): Promise<Shelved | undefined> {
  const { task, run } = order;
  const marker = shelvingRef(repo.tree, task);
  const own = checkpointRef(repo.tree, task);
  const { refs } = await readHead(repo, [marker, own]);
  if (!refs.has(marker)) return undefined;
  if (refs.has(own)) return finish(repo, await reuse(repo, { id: task, run, reuse: true }), order);
  await dropRefs(repo, task);
  return { paths: [], warnings: [] };
}

async function finish(repo: Repository, checkpoint: Checkpoint, order: ShelveOrder): Promise<Shelved> {
  const shelved = await takeOut(repo, checkpoint, order);
  await dropRefs(repo, order.task);
  return shelved;
}

/**
 * Resets the tree to a checkpoint that was made before the work was put into it, because only a part of the work may be there. The
 * checkpoint stays.
 */
export async function resetTree(
  repo: Repository,
  checkpoint: Checkpoint,
  order: ShelveOrder,
): Promise<Shelved> {
  const shelved = await takeOut(repo, checkpoint, order);
  await runGit(repo, ["update-ref", "-d", shelvedRef(repo.tree, order.task)]);
  return shelved;
}

async function takeOut(repo: Repository, checkpoint: Checkpoint, order: ShelveOrder): Promise<Shelved> {
  const { task, run, label } = order;
  const shelf = shelvedRef(repo.tree, task);
  const { warnings } = await restoreTo(repo, { checkpoint, run, label, shelf });
  const kept = await readKeptAt(repo, shelf);
  const more = kept === undefined ? [] : await findUnsaved(repo, task, kept);
  const rescue =
    kept === undefined || more.length === 0 ? undefined : await keepObject(repo, kept.commit, { run, label });
  return { ...given({ rescue }), paths: more, warnings };
}

/** The replaced content that the saved work does not have: changed since it was saved, by a person or a dead run's agent. */
async function findUnsaved(repo: Repository, task: string, kept: KeptWork): Promise<string[]> {
  const work = await readWork(repo, task);
  const saved = work === undefined ? new Map<string, Version>() : toMap(await diffWork(repo, work));
  const differs = [...kept.changes].filter(([path, version]) => {
    const known = saved.get(path);
    return known === undefined || !sameVersion(known, version);
  });
  return [...differs.map(([path]) => toText(path)), ...[...kept.staged.keys()].map(toText)];
}

async function dropRefs(repo: Repository, task: string): Promise<void> {
  const refs = [checkpointRef, shelvedRef, shelvingRef].map((refOf) => refOf(repo.tree, task));
  await deleteRefs(repo, refs);
}
