// Finds out which old runs are still needed, and why: the next start must read the same from logs and refs without the others.
// logging/retention.ts decides which runs are old; clean-logs.ts removes them.
import { asResult } from "../../git/base/git.js";
import { findRealTodoFile, lockFolder, type Project } from "../../config/project/open-project.js";
import { readRunRefs, type RunRefs } from "../../git/commit/run-refs.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { hasEnded } from "../../logging/last-lines.js";
import { parseStart } from "../../logging/run-id.js";
import { UserError } from "../../system/errors.js";
import type { LockOwner } from "../../system/files/lock-owner.js";
import { inspectLock } from "../../system/files/lock.js";
import type { Ports } from "../../system/ports.js";
import { makeLockPaths } from "./locks.js";
import { readStart, getRunFolder } from "./own-runs.js";
import { readUnfinished } from "./earlier-results.js";

/**
 * Why a run is needed: it is running; it has rescues; a task is in progress since it or an earlier run, or has a stage that it did; the next start continues
 * from it (its commit is pending, or it was killed and its agents' changes were never checked).
 */
export const NEEDED = ["running", "rescue", "in-hand", "unfinished"] as const;
export type Needed = (typeof NEEDED)[number];

/** The project whose runs are removed. */
export interface LogSite {
  ports: Ports;
  project: Project;
  /** `undefined`: the project has none. */
  repo?: Repository | undefined;
}

/** The refs and locks of runs, read once. */
export interface RunFacts {
  refs: RunRefs;
  owners: readonly { owner: LockOwner; gone: boolean }[];
}

const NO_REFS: RunRefs = { rescues: new Set(), inHand: new Map(), pending: new Set(), starts: new Map() };

/** Reads refs and locks. If git fails it is unknown which runs are needed: an `environment` error. */
export async function readRunFacts(site: LogSite): Promise<RunFacts> {
  const { repo } = site;
  const refs = repo === undefined ? undefined : await asResult(() => readRunRefs(repo));
  if (refs?.ok === false) {
    const { command, message } = refs.error;
    throw new UserError("environment", `${command}: ${message}`, "git says which runs are still needed");
  }
  const paths = makeLockPaths(site.project, repo?.gitDir);
  const owners = await Promise.all(paths.map((path) => inspectLock(site.ports, path)));
  return { refs: refs?.value ?? NO_REFS, owners: owners.filter((one) => one !== undefined) };
}

/** The result for the old runs. */
export interface NeededRuns {
  needed: ReadonlyMap<string, Needed>;
  /** Runs whose log has no end: they may still be running. */
  unended: ReadonlySet<string>;
}

/** Finds the runs of `going` that are needed. `runs`: all runs. Both are oldest first. */
export async function findNeededRuns(
  site: LogSite,
  known: RunFacts,
  { runs, going }: { runs: readonly string[]; going: readonly string[] },
): Promise<NeededRuns> {
  const needed = new Map<string, Needed>();
  const need = (run: string, why: Needed): void => {
    if (!needed.has(run)) needed.set(run, why);
  };
  const { refs } = known;
  const since = runs.findIndex((run) => refs.inHand.has(run));
  const inHand = new Set(since === -1 ? [] : runs.slice(since));
  const old = new Set(going);
  const isLeft = (run: string): boolean => needed.has(run) || !old.has(run);
  for (const run of going) {
    const named = known.owners.find(({ owner }) => owner.run === run);
    // The next start sweeps the processes of a dead owner.
    if (named !== undefined) need(run, named.gone ? "unfinished" : "running");
    else if (refs.rescues.has(run)) need(run, "rescue");
    else if (inHand.has(run)) need(run, "in-hand");
    else if (refs.pending.has(run)) need(run, "unfinished");
  }
  // The logs of stages hold the reports and the sessions that the next stages continue from.
  for (const { progress } of await readUnfinished(site))
    for (const { run } of Object.values(progress?.outputs ?? {})) need(run, "in-hand");
  for (const run of await findUncheckedRuns(site, refs, { runs, isLeft })) need(run, "unfinished");
  const unended = new Set<string>();
  for (const run of going) {
    if (needed.has(run) || (await hasEnded(site.ports, getRunFolder(site, run)))) continue;
    unended.add(run);
    if (await isRunning(site, run)) need(run, "running");
  }
  return { needed, unended };
}

/**
 * The runs whose agents' changes were never checked, which the next start reads (perform/gate/run-start.ts): from the newest back,
 * those without an end, up to the first that ended. That one is needed only if an older one without an end would follow it.
 */
async function findUncheckedRuns(
  site: LogSite,
  { starts }: RunRefs,
  { runs, isLeft }: { runs: readonly string[]; isLeft: (run: string) => boolean },
): Promise<string[]> {
  if (starts.size === 0) return [];
  const isOver = (run: string): Promise<boolean> => hasEnded(site.ports, getRunFolder(site, run));
  const found: string[] = [];
  let ended: string | undefined;
  for (const run of runs.toReversed()) {
    if (ended === undefined) {
      if (await isOver(run)) ended = run;
      else if (starts.has(run)) found.push(run);
      if (ended !== undefined && isLeft(ended)) return found;
    } else if (isLeft(run)) {
      if (await isOver(run)) return found;
      if (starts.has(run)) return [...found, ended];
    }
  }
  return found;
}

/** A run without a first line counts as running for this long. */
const JUST_BEGUN_MS = 60_000;

/**
 * Whether a run without an end is running, by the lock of its own task file: runs of other files may log into the same folder.
 */
export async function isRunning(site: LogSite, run: string): Promise<boolean> {
  const { ports } = site;
  const { todoFile } = await readStart(ports, getRunFolder(site, run));
  if (todoFile === undefined) return ports.clock.now() - parseStart(run) < JUST_BEGUN_MS;
  const realTodoFile = await findRealTodoFile(ports.files, todoFile);
  const [lock] = makeLockPaths({ realTodoFile, lockDir: lockFolder(realTodoFile) });
  const held = await inspectLock(ports, lock);
  return held !== undefined && !held.gone && held.owner.run === run;
}
