// Saves the work of a visit: a commit on the visits before it, with the tree as the visit left it.
import type { Checkpoint } from "../checkpoint/checkpoint.js";
import type { DiffEntry } from "../base/read/diff.js";
import { runGit } from "../base/git.js";
import { workRef } from "../base/names.js";
import type { Repository } from "../base/repository/repository.js";
import { diffTrees } from "../index/index-file.js";
import {
  keepAsRescue,
  readWork,
  rememberWork,
  workMessage,
  type TaskWork,
  type VisitWork,
} from "./work-ref.js";
import { importCommit, OWN_IDENT } from "../base/fast-import.js";

export interface SaveOrder {
  task: string;
  run: string;
  stage: string;
  visit: number;
  since?: string;
  checkpoint: Pick<Checkpoint, "base" | "recorded">;
  /** Everything in the tree that differs from the checkpoint: the work of earlier visits too. */
  changes: readonly DiffEntry[];
}

/** Saved work, as the task's row names it. `base`: the commit of HEAD it is based on, or the checkpoint before the first commit. */
export interface Saved {
  commit: string;
  base: string;
}

/**
 * Saves the work of a visit under the task's ref. Replaces what an earlier attempt at the same visit saved. Work that is based on
 * another checkpoint is kept as a rescue first. Returns all of the saved work.
 */
export async function saveWork(repo: Repository, order: SaveOrder): Promise<TaskWork> {
  const { task, run, stage, visit, since, checkpoint, changes } = order;
  const { base, recorded } = checkpoint;
  const known = await readWork(repo, task);
  const fits = known?.base === base;
  if (known !== undefined && !fits) await keepAsRescue(repo, known, { task, run, label: `${task}-work` });
  const visits = fits ? [...known.visits] : [];
  const isThis = (one: VisitWork | undefined): boolean =>
    one?.facts.stage === stage && one.facts.visit === visit && one.facts.since === since;
  while (isThis(visits.at(-1))) visits.pop();
  const parent = visits.at(-1)?.commit;
  const entries = parent === undefined ? changes : onTop(changes, await diffTrees(repo, parent, base));
  const facts = {
    ...{ task, run, stage, visit, base },
    ...(since === undefined ? {} : { since }),
    ...(recorded.commit === undefined ? {} : { head: recorded.commit }),
  };
  const ref = workRef(repo.tree, task);
  const { commit } = await importCommit(repo, {
    ref,
    parent: parent ?? base,
    ident: OWN_IDENT,
    message: workMessage(facts),
    entries,
  });
  const saved = [...visits, { commit, facts }];
  return rememberWork(repo, task, { ref, tip: commit, base, head: recorded.commit, visits: saved });
}

/** The changes to the tree with `before` that make it the one with `after`; both are changes of the same base. */
function onTop(after: readonly DiffEntry[], before: readonly DiffEntry[]): DiffEntry[] {
  const kept = new Set(after.map(({ path }) => path));
  const undone = before
    .filter(({ path }) => !kept.has(path))
    .map(({ path, from, to }) => ({ path, from: to, to: from }));
  return [...undone, ...after];
}

/** Makes the task's ref the commit that its row names, if this repository has it. Returns whether it does. */
export async function reviveWork(repo: Repository, task: string, commit: string): Promise<boolean> {
  const { code } = await runGit(repo, ["cat-file", "-e", `${commit}^{commit}`], { answers: [1, 128] });
  if (code !== 0) return false;
  await runGit(repo, ["update-ref", workRef(repo.tree, task), commit]);
  return true;
}
