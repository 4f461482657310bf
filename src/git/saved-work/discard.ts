// Drops what one stage changed from the saved work of a task; what later visits changed stays, three-way.
import { toText } from "../base/bytes.js";
import { exists, sameVersion, type DiffEntry, type Version } from "../base/read/diff.js";
import { importAll } from "../base/fast-import.js";
import { runGit } from "../base/git.js";
import { workRef } from "../base/names.js";
import type { Repository } from "../base/repository/repository.js";
import { mergeVersion } from "../bring-back/bring-back.js";
import { diffTrees } from "../index/index-file.js";
import { freeRescueRef, rescueMessage } from "../rescue/rescue.js";
import type { Saved } from "./save.js";
import { readWork, writeVisits, type VisitWork } from "./work-ref.js";

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
  const tree = await readTree(repo, onto);
  const conflicts: string[] = [];
  for (const [at, commit] of commits.entries()) {
    const previous = commits[at - 1];
    if (previous === undefined) continue;
    const set: DiffEntry[] = [];
    for (const change of await diffTrees(repo, commit, previous)) {
      const { path, to } = change;
      const now = tree.get(path);
      if (now === undefined ? !exists(to) : sameVersion(now, to)) continue;
      const version = await mergeVersion(repo, change, now);
      if (version === undefined) conflicts.push(toText(path));
      else {
        set.push({ path, from: now ?? change.from, to: version });
        if (exists(version)) tree.set(path, version);
        else tree.delete(path);
      }
    }
    steps.push(set);
  }
  return conflicts.length > 0 ? { conflicts } : { steps };
}

async function readTree(repo: Repository, commit: string): Promise<Map<string, Version>> {
  const { out } = await runGit(repo, ["ls-tree", "-r", "-z", "--full-tree", commit]);
  const tree = new Map<string, Version>();
  for (const line of out.split("\0")) {
    const [, mode, oid, path] = /^(\d+) \w+ ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
    if (mode !== undefined && oid !== undefined && path !== undefined) tree.set(path, { mode, oid });
  }
  return tree;
}

async function keepDropped(
  repo: Repository,
  { task, run, stage, before, dropped }: Omit<DiscardOrder, "by"> & { before: string; dropped: string },
): Promise<string | undefined> {
  const entries = await diffTrees(repo, dropped, before);
  if (entries.length === 0) return undefined;
  const label = `${task}-${stage}`;
  const ref = await freeRescueRef(repo, run, label);
  const message = rescueMessage({ run, label, task, why: "dropped", base: before });
  const ident = await repo.identity();
  await importAll(repo, [{ ref, parent: before, ident, message, entries }]);
  return ref;
}
