// The reference of an attempt: the project at the start of the run, with the changes that a person made
// since, and with those to checks that the verdict on an earlier task says it needs, so that no later task is
// accused of them, and with the dependencies that tasks added to manifests. All other changes by agents since
// then, committed or not, count as one long attempt, because only the gate has checked them.
// src/loop/perform/gate/run-start.ts finds the start of the run.
import { toText } from "../../git/base/bytes.js";
import {
  exists,
  joinChanges,
  sameVersion,
  turnBack,
  type DiffEntry,
  type Version,
} from "../../git/base/read/diff.js";
import { readBlobs } from "../../git/base/objects.js";
import { mergeChanges } from "../../git/bring-back/bring-back.js";
import { diffTrees } from "../../git/index/index-file.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { readManifest } from "../sort/dependencies.js";
import { influenceOf } from "../sort/manifests.js";
import type { GateReport } from "../verdict.js";

/** A change that an agent left at a task. */
interface Left {
  task: string;
  entry: DiffEntry;
}

/** The facts about a run that the reference needs. */
export interface RunStart {
  /** The commit the run began with. */
  start: string;
  /** Every version (`keyOf`) that agents left, by path (bytes), as it was left first. */
  left: Map<string, Map<string, Left>>;
  /** Needed changes, by the unverified task: paths (text) of its own, or all of earlier tasks. */
  needed: Map<string, { paths: ReadonlySet<string>; on: readonly string[] }>;
  /** Tasks whose verdict a person accepted. */
  accepted: ReadonlySet<string>;
}

/** The state at the beginning of a task: `start`, then `persons`, then `since`. */
export interface Reference {
  start: string;
  /** Changes by a person since `start`, and needed ones by agents; trusted like `start` itself. */
  persons: readonly DiffEntry[];
  /** Other changes by agents since then. */
  since: readonly DiffEntry[];
  /** The task that left this version of a path, or the part of it that is in `since`; `undefined` if none of it is. */
  taskOf: (entry: DiffEntry) => string | undefined;
  /** The unverified tasks whose needed changes are in it. */
  onTopOf: readonly string[];
}

/** The reference of a commit to which no agent has added anything. */
export function referenceAt(start: string): Reference {
  return { start, persons: [], since: [], taskOf: () => undefined, onTopOf: [] };
}

/** Records the versions that an agent left at a task. */
export function noteLeft(
  { left }: Pick<RunStart, "left">,
  changes: readonly DiffEntry[],
  task: string,
): void {
  for (const entry of changes) {
    const versions = left.get(entry.path) ?? new Map<string, Left>();
    if (!versions.has(keyOf(entry))) left.set(entry.path, versions.set(keyOf(entry), { task, entry }));
  }
}

/** Records what the last verdict on a task says it needs. */
export function noteNeeded(
  { needed }: Pick<RunStart, "needed">,
  task: string,
  { verdict, needs = [], on = [] }: Pick<GateReport, "verdict" | "needs" | "on">,
): void {
  if (verdict === "unverified") needed.set(task, { paths: new Set(needs.map(({ path }) => path)), on });
  else needed.delete(task);
}

/**
 * Tells changes by agents from changes by a person at a task's base. `isAllowed`: an agent changed a path (text) with a person's word,
 * since its task allows it: this counts as the person's. Starts a process, and a few for each manifest that agents changed.
 */
export async function findReference(
  repo: Repository,
  { start, left, needed, accepted }: RunStart,
  base: string,
  isAllowed: (task: string, path: string) => boolean,
): Promise<Reference> {
  const found = base === start ? [] : await diffTrees(repo, base, start);
  const leftAs = (entry: DiffEntry) => left.get(entry.path)?.get(keyOf(entry));
  const taskOf = (entry: DiffEntry): string | undefined => leftAs(entry)?.task;
  const needing = (entry: DiffEntry): string[] => {
    const by = taskOf(entry);
    if (by === undefined) return [];
    return [...needed]
      .filter(([task, { paths, on }]) => (task === by ? paths.has(toText(entry.path)) : on.includes(by)))
      .map(([task]) => task);
  };
  const isTrusted = (entry: DiffEntry): boolean => {
    const by = taskOf(entry);
    return by === undefined || needing(entry).length > 0 || isAllowed(by, toText(entry.path));
  };
  /** The changes of agents that lead to a version, the first one first; none if a person made one of them. */
  const stepsTo = (entry: DiffEntry): Left[] => {
    const steps: Left[] = [];
    for (
      let at = entry;
      !sameVersion(at.to, entry.from);
      at = { ...at, to: steps[0]?.entry.from ?? at.from }
    ) {
      const step = leftAs(at);
      if (step === undefined || steps.includes(step)) return [];
      steps.unshift(step);
    }
    return steps;
  };
  const since = found.filter((entry) => !isTrusted(entry));
  const manifests: DiffEntry[] = [];
  const kept: DiffEntry[] = [];
  const heldBack = new Map<string, string>();
  for (const entry of since.filter(isManifest)) {
    let { from: to } = entry;
    for (const { task, entry: step } of stepsTo(entry)) {
      const merged = await addDependencies(repo, step, to, isTrusted(step));
      if (merged === undefined) heldBack.set(entry.path, task);
      else kept.push(step);
      to = merged ?? to;
    }
    manifests.push({ ...entry, to });
  }
  return {
    start,
    persons: joinChanges(found.filter(isTrusted), manifests),
    since: joinChanges(turnBack(manifests), since),
    taskOf: (entry) => heldBack.get(entry.path) ?? taskOf(entry),
    onTopOf: [...new Set([...found, ...kept].flatMap(needing))].filter((task) => !accepted.has(task)),
  };
}

function isManifest({ path }: DiffEntry): boolean {
  return readManifest(toText(path)) !== undefined;
}

/**
 * A manifest with what a later change of it adds to its dependencies, by a three-way merge; `undefined` if the change
 * is more than that and not trusted, or conflicts.
 */
async function addDependencies(
  repo: Repository,
  step: DiffEntry,
  manifest: Version,
  isTrusted = false,
): Promise<Version | undefined> {
  const { set, already } = await mergeChanges(repo, [step], new Map([[step.path, manifest]]));
  const to = already.length > 0 ? manifest : set[0]?.to;
  if (to === undefined || isTrusted) return to;
  if (!exists(to) || !exists(manifest)) return undefined;
  const blobs = await readBlobs(repo, [manifest.oid, to.oid], MOST_BYTES);
  const [before, after] = [manifest, to].map(({ oid }) => blobs.get(oid)).map((one) => one && toText(one));
  const change = { path: toText(step.path), from: manifest, to, before, after };
  return influenceOf(change) === undefined ? to : undefined;
}

/**
 * Manifests that an attempt only adds dependencies to, though an earlier task changed more of them: by path (bytes)
 * the version with the dependencies alone. A manifest whose changes conflict is not among them.
 */
export async function mergeManifests(
  repo: Repository,
  { since }: Pick<Reference, "since">,
  changes: readonly DiffEntry[],
): Promise<ReadonlyMap<string, Version>> {
  const merged = new Map<string, Version>();
  for (const { path, from } of since.filter(isManifest)) {
    const own = changes.find((entry) => entry.path === path);
    const to = own && (await addDependencies(repo, own, from));
    if (own !== undefined && to !== undefined && !sameVersion(to, own.to)) merged.set(path, to);
  }
  return merged;
}

/** A larger manifest is taken as a whole. */
const MOST_BYTES = 1024 * 1024;

function keyOf({ to }: DiffEntry): string {
  return to.mode === "000000" ? "gone" : `${to.mode} ${to.oid}`;
}
