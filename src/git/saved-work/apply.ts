// Puts the saved work of a task into the tree of its new checkpoint, three-way where the branch or the tree has changed since.
// Either all of it is put there, or nothing.
import type { Checkpoint } from "../checkpoint/checkpoint.js";
import { toText } from "../base/bytes.js";
import { type DiffEntry, joinChanges, sameContent, NOTHING, isModule } from "../base/read/diff.js";
import type { Repository } from "../base/repository/repository.js";
import { planAll, writeTree, type Clash, withChanges, mergeChanges } from "../bring-back/bring-back.js";
import { byPath, type ByPath, listEntries } from "../index/index-person.js";
import { diffTrees, ownIndex, stageAll } from "../index/index-file.js";
import { diffWork, readWork, writeVisits, type TaskWork, type Saved, type VisitWork } from "./work-ref.js";
import { workRef } from "../base/names.js";
import { keepChanges } from "../rescue/rescue.js";
import { filesOf } from "../base/objects.js";

/**
 * `held`: the tree had the work already. `present`: so it had, but the checkpoint was made of it, so that the work's own one is to be
 * used. `commit`: the last commit of the work, which now is on the new checkpoint.
 */
export type AppliedWork =
  | { how: "none" }
  | { how: "held"; commit: string }
  | { how: "present"; work: TaskWork }
  | { how: "applied"; commit: string; paths: readonly string[]; modules: readonly string[] }
  | { how: "conflicts"; clashes: readonly Clash[] };

/**
 * Puts the saved work of a task into the tree. Contract: the tree is that of the checkpoint, unless the work is based on it: then
 * the tree has the work. The ref names the new checkpoint only once the tree has it all, so after a kill it is done again.
 */
export async function applyWork(
  repo: Repository,
  task: string,
  checkpoint: Pick<Checkpoint, "base" | "recorded" | "dirty">,
): Promise<AppliedWork> {
  const work = await readWork(repo, task);
  if (work === undefined) return { how: "none" };
  if (work.base === checkpoint.base) return { how: "held", commit: work.tip };
  await stageAll(repo, checkpoint.base);
  let tree: ByPath = byPath(await listEntries(repo, ownIndex(repo)));
  const there = await findPresent(repo, work, { tree, dirty: checkpoint.dirty });
  if (there.isAll) return { how: "present", work };
  const steps: (readonly DiffEntry[])[] = [];
  const modules = new Set<string>();
  let before = work.base;
  for (const { commit } of work.visits) {
    const plan = await planAll(repo, await diffTrees(repo, commit, before), tree);
    if (plan.clashes.length > 0) return { how: "conflicts", clashes: plan.clashes };
    for (const path of plan.left) modules.add(toText(path));
    tree = withChanges(tree, plan.set);
    steps.push(plan.set);
    before = commit;
  }
  const all = joinChanges(...steps);
  const lost = there.uncommitted.filter((path) => !all.some((entry) => entry.path === path));
  if (lost.length > 0)
    return { how: "conflicts", clashes: lost.map((path) => ({ path: toText(path), why: "differs" })) };
  if (all.length > 0) await writeTree(repo, all);
  const { base, recorded } = checkpoint;
  const made = await writeVisits(
    repo,
    { ref: work.ref, base },
    work.visits.map(({ facts }, at) => ({
      facts: { ...facts, base, head: recorded.commit },
      entries: steps[at] ?? [],
    })),
  );
  const paths = all.map(({ path }) => toText(path));
  return { how: "applied", commit: made.at(-1) ?? work.tip, paths, modules: [...modules] };
}

/**
 * The paths of the work with uncommitted changes, and whether the tree has all of the work as such. A checkpoint that was made of
 * them takes them for a person's own, so that no commit would have them. Starts a process only if there are uncommitted changes.
 */
async function findPresent(
  repo: Repository,
  work: TaskWork,
  { tree, dirty }: { tree: ByPath; dirty: ReadonlySet<string> },
): Promise<{ uncommitted: string[]; isAll: boolean }> {
  if (dirty.size === 0) return { uncommitted: [], isAll: false };
  const changes = (await diffWork(repo, work)).filter((entry) => !isModule(entry));
  const uncommitted = changes.filter(({ path }) => dirty.has(path)).map(({ path }) => path);
  const isAll = changes.every(({ path, to }) => sameContent(tree.get(path) ?? NOTHING, to));
  return { uncommitted, isAll: isAll && uncommitted.length > 0 };
}

export interface DiscardOrder {
  task: string;
  run: string;
  /** The stage whose latest changes are dropped. */
  stage: string;
  /** Drops only what this visit saved. */
  only?: number;
  /** The visit that drops them; a second call for the same visit changes nothing. */
  by: { stage: string; visit: number };
}

export type Discarded =
  | { how: "nothing" }
  | { how: "discarded"; saved: Saved; rescue?: string }
  /** A later visit changed the same lines. Nothing was dropped. */
  | { how: "conflicts"; paths: readonly string[] };

/** Drops the latest visits of a stage, one after the other, and keeps their changes as a rescue. */
export async function discardStage(
  repo: Repository,
  { task, run, stage, only, by }: DiscardOrder,
): Promise<Discarded> {
  const work = await readWork(repo, task);
  if (work === undefined) return { how: "nothing" };
  const { visits, base, head } = work;
  const isDone = visits.some(({ facts }) => facts.discarded === stage && facts.visit === by.visit);
  const isOfStage = ({ facts }: VisitWork): boolean =>
    facts.stage === stage && facts.discarded === undefined && (only === undefined || facts.visit === only);
  const last = visits.findLastIndex(isOfStage);
  if (isDone || last === -1) return { how: "nothing" };
  let first = last;
  while (visits.slice(first - 1, first).some(isOfStage)) first--;
  const before = visits[first - 1]?.commit ?? base;
  const dropped = visits[last]?.commit ?? base;
  const rebased = await rebase(repo, before, [
    dropped,
    ...visits.slice(last + 1).map(({ commit }) => commit),
  ]);
  if ("conflicts" in rebased) return { how: "conflicts", paths: rebased.conflicts };
  const rescue = await keepDropped(repo, { task, run, stage, before, dropped });
  const facts = { task, run, ...by, base, discarded: stage, ...(head === undefined ? {} : { head }) };
  const made = await writeVisits(repo, { ref: workRef(repo.tree, task), base: before }, [
    ...visits.slice(last + 1).map((visit, at) => ({ facts: visit.facts, entries: rebased.steps[at] ?? [] })),
    { facts, entries: [] },
  ]);
  const saved = { commit: made.at(-1) ?? work.tip, base: head ?? base };
  return { how: "discarded", saved, ...(rescue === undefined ? {} : { rescue }) };
}

/** The changes of the commits after the first, as changes on `onto`. */
async function rebase(
  repo: Repository,
  onto: string,
  commits: readonly string[],
): Promise<{ steps: (readonly DiffEntry[])[] } | { conflicts: string[] }> {
  const steps: (readonly DiffEntry[])[] = [];
  if (commits.length < 2) return { steps };
  let tree = await filesOf(repo, onto);
  const conflicts: string[] = [];
  for (const [at, commit] of commits.slice(1).entries()) {
    const changes = await diffTrees(repo, commit, commits[at] ?? "");
    const { set, clashes } = await mergeChanges(repo, changes, tree);
    conflicts.push(...clashes.map(({ path }) => path));
    tree = withChanges(tree, set);
    steps.push(set);
  }
  return conflicts.length > 0 ? { conflicts } : { steps };
}

async function keepDropped(
  repo: Repository,
  { task, run, stage, before, dropped }: Omit<DiscardOrder, "by"> & { before: string; dropped: string },
): Promise<string | undefined> {
  const entries = await diffTrees(repo, dropped, before);
  if (entries.length === 0) return undefined;
  const facts = { run, label: `${task}-${stage}`, task, why: "dropped" as const, base: before };
  return keepChanges(repo, facts, entries);
}
