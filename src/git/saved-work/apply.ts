// Puts the saved work of a task into the tree of its new checkpoint, three-way where the branch or the tree has changed since.
// Either all of it is put there, or nothing.
import type { Checkpoint } from "../checkpoint/checkpoint.js";
import { toText } from "../base/bytes.js";
import { exists, sameVersion, type DiffEntry } from "../base/read/diff.js";
import type { Repository } from "../base/repository/repository.js";
import { planAll, writeTree, type Clash } from "../bring-back/bring-back.js";
import { byPath, type ByPath } from "../index/index-compare.js";
import { diffTrees, ownIndex, stageAll } from "../index/index-file.js";
import { listEntries } from "../index/index-person.js";
import { diffWork, readWork, writeVisits, type TaskWork } from "./work-ref.js";

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
  const all = joinSteps(steps);
  const lost = there.uncommitted.filter((path) => !all.some((entry) => entry.path === path));
  if (lost.length > 0)
    return { how: "conflicts", clashes: lost.map((path) => ({ path: toText(path), why: "differs" })) };
  if (all.length > 0) await writeTree(repo, all);
  const { base, recorded } = checkpoint;
  const made = await writeVisits(
    repo,
    { ref: work.ref, base },
    work.visits.map(({ facts: { head: _old, ...facts } }, at) => ({
      facts: { ...facts, base, ...(recorded.commit === undefined ? {} : { head: recorded.commit }) },
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
  const changes = (await diffWork(repo, work)).filter(({ from, to }) =>
    [from, to].every(({ mode }) => mode !== SUBMODULE),
  );
  const uncommitted = changes.filter(({ path }) => dirty.has(path)).map(({ path }) => path);
  const isAll = changes.every(({ path, to }) => {
    const now = tree.get(path);
    return now === undefined ? !exists(to) : sameVersion(now, to);
  });
  return { uncommitted, isAll: isAll && uncommitted.length > 0 };
}

const SUBMODULE = "160000";

function withChanges(tree: ByPath, changes: readonly DiffEntry[]): ByPath {
  const after = new Map(tree);
  for (const { path, to } of changes) {
    if (exists(to)) after.set(path, to);
    else after.delete(path);
  }
  return after;
}

/** The changes of all steps as one. */
function joinSteps(steps: readonly (readonly DiffEntry[])[]): DiffEntry[] {
  const all = new Map<string, DiffEntry>();
  for (const entry of steps.flat()) {
    all.set(entry.path, { ...entry, from: all.get(entry.path)?.from ?? entry.from });
  }
  return [...all.values()].filter(({ from, to }) => from.mode !== to.mode || from.oid !== to.oid);
}
