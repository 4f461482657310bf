// Removes old runs, that is their logs and the refs of their attempts, for `looper clean` and for the limits of the settings. A run that
// is still needed stays: the next start must read the same from logs and refs without the others. logging/retention.ts decides which
// runs are old.
import { withHint } from "../../git/base/git.js";
import { dirname, join } from "node:path";
import { forgetAttempts, readRunRefs, type RunRefs } from "../../git/commit/run-refs.js";
import {
  listRunFolders,
  measureFolder,
  removeGoing,
  repairLastLink,
  takeAway,
} from "../../logging/run-folders.js";
import { type LogLimits, selectRunsBeyond } from "../../logging/retention.js";
import { errorCode, errorMessage, environmentError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { filterOwnRuns, getRunFolder, readStart } from "./own-runs.js";
import { findRealTodoFile, lockFolder } from "../../config/project/open-project.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { hasEnded } from "../../logging/last-lines.js";
import { parseStart } from "../../logging/run-id.js";
import type { LockOwner } from "../../system/files/lock-owner.js";
import { inspectLock } from "../../system/files/lock.js";
import { makeLockPaths } from "./locks.js";
import type { ProjectSite } from "./run-request.js";
import { readUnfinished } from "./earlier-results.js";

/** A run and the bytes of its log. */
export interface SizedRun {
  run: string;
  bytes: number;
}

/** The runs that exist before the removal. */
export interface LogSurvey {
  known: RunFacts;
  /** This project's runs, oldest first. */
  runs: readonly string[];
  /** How many runs of other projects log into the same folder; they are never touched. */
  foreign: number;
  /** Names of entries that are not runs; they are never touched. */
  others: readonly string[];
  /** Ids of every folder of a run. */
  all: ReadonlySet<string>;
  /** Ids of runs whose removal was started. */
  going: readonly string[];
}

/** The old runs, oldest first: those to remove, and those that stay because they are needed. */
export interface CleanPlan {
  remove: readonly SizedRun[];
  stay: readonly { run: string; why: Needed }[];
}

export interface Cleaned {
  removed: readonly SizedRun[];
  /** How many refs of attempts were removed. */
  refs: number;
}

/** Lists the runs and what git and the locks know of them. */
export async function surveyLogs(site: LogSite): Promise<LogSurvey> {
  const { ports, project } = site;
  // Refs are read first, because a run makes its folder before its refs.
  const known = await readRunFacts(site);
  const { runs, going, others } = await listRunFolders(ports, project.logDir);
  const own = await filterOwnRuns(site, runs);
  const all = new Set([...runs, ...going, ...others]);
  return { known, runs: own, foreign: runs.length - own.length, others, going, all };
}

/** Plans the removal of `old` runs, oldest first. */
export async function planClean(
  site: LogSite,
  { known, runs }: LogSurvey,
  old: readonly string[],
): Promise<CleanPlan> {
  const needed = await findNeededRuns(site, known, { runs, going: old });
  const remove: SizedRun[] = [];
  const stay: { run: string; why: Needed }[] = [];
  for (const run of old) {
    const why = needed.get(run);
    if (why === undefined)
      remove.push({ run, bytes: await measureFolder(site.ports, getRunFolder(site, run)) });
    else stay.push({ run, why });
  }
  return { remove, stay };
}

/**
 * Removes the planned runs, and those that a killed clean left, in this order: hide them from readers, remove their refs, remove
 * their files. A disk failure is an `environment` error; the next clean finishes the removal.
 */
export async function removeRuns(site: LogSite, survey: LogSurvey, plan: CleanPlan): Promise<Cleaned> {
  const { ports, project, repo } = site;
  const { logDir } = project;
  const removed: SizedRun[] = [];
  return orUnwritable(`old runs in ${logDir}`, async () => {
    for (const one of plan.remove) {
      // One that began meanwhile stays.
      if (!(await isRunning(site, one.run)) && (await takeAway(ports, logDir, one.run))) removed.push(one);
    }
    const gone = new Set([...survey.going, ...removed.map(({ run }) => run)]);
    await repairLastLink(ports, logDir);
    const runs = new Set([...gone, ...findLostRuns(site, survey)]);
    const refs = repo === undefined ? 0 : await withHint(FIX_GIT, () => forgetAttempts(repo, runs));
    for (const run of gone) await removeGoing(ports, logDir, run);
    return { removed, refs };
  });
}

/** Explains a failure of the disk while old logs or sessions are removed. */
export async function orUnwritable<T>(what: string, remove: () => Promise<T>): Promise<T> {
  try {
    return await remove();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    const hint = "make the folder writable, then clean again to finish";
    throw environmentError(`cannot remove ${what}: ${errorMessage(error)}`, hint, {
      cause: error,
    });
  }
}

/** Runs that have only refs left: their start names a log in this folder that no longer exists. */
function findLostRuns(site: LogSite, { known, all }: LogSurvey): string[] {
  // If no run exists at all, the disk they are on may be missing.
  if (all.size === 0) return [];
  return [...known.refs.starts]
    .filter(([run, log]) => log === getRunFolder(site, run) && !all.has(run))
    .map(([run]) => run);
}

/** The hint where git cannot remove refs. */
export const FIX_GIT = "fix the git error, then clean again";

/** Applies the settings' limits. Contract: the caller's run is running and holds its locks. */
export async function applyLimits(site: LogSite, limits: LogLimits): Promise<Cleaned> {
  const { ports, project } = site;
  const sizes = new Map<string, number>();
  const sizeOnce = async (run: string): Promise<number> => {
    const bytes = sizes.get(run) ?? (await measureFolder(site.ports, getRunFolder(site, run)));
    sizes.set(run, bytes);
    return bytes;
  };
  // Usually no run is old, and git need not be asked.
  const { runs, going } = await listRunFolders(ports, project.logDir);
  if (going.length === 0 && (await selectRunsBeyond(runs, limits, sizeOnce)).length === 0)
    return { removed: [], refs: 0 };
  const survey = await surveyLogs(site);
  const plan = await planClean(site, survey, await selectRunsBeyond(survey.runs, limits, sizeOnce));
  return removeRuns(site, survey, plan);
}

/** Whether there may be a repository that could not be opened, so that it is unknown which runs are needed. */
export async function mayHaveRepository(files: Files, folder: string): Promise<boolean> {
  if ((await files.stat(join(folder, ".git"), { link: true })) !== undefined) return true;
  const above = dirname(folder);
  return above !== folder && mayHaveRepository(files, above);
}

/**
 * Why a run is needed: it is running; it has rescues; a task is in progress since it or an earlier run, or has a stage that it did; the next start continues
 * from it (its commit is pending, or it was killed and its agents' changes were never checked).
 */
export const NEEDED = ["running", "rescue", "in-hand", "unfinished"] as const;
export type Needed = (typeof NEEDED)[number];

/** The project whose runs are removed. */
export interface LogSite extends ProjectSite {
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
  const hint = "git says which runs are still needed";
  const refs = repo === undefined ? NO_REFS : await withHint(hint, () => readRunRefs(repo));
  const paths = makeLockPaths(site.project, repo?.gitDir);
  const owners = await Promise.all(paths.map((path) => inspectLock(site.ports, path)));
  return { refs, owners: owners.filter((one) => one !== undefined) };
}

/** Finds the runs of `going` that are needed. `runs`: all runs. Both are oldest first. */
export async function findNeededRuns(
  site: LogSite,
  known: RunFacts,
  { runs, going }: { runs: readonly string[]; going: readonly string[] },
): Promise<ReadonlyMap<string, Needed>> {
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
  for (const run of going) if (!needed.has(run) && (await isRunning(site, run))) need(run, "running");
  return needed;
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

/** Whether a run is running, by the lock of its own task file: runs of other files may log into the same folder. */
export async function isRunning(site: LogSite, run: string): Promise<boolean> {
  const { ports } = site;
  if (await hasEnded(ports, getRunFolder(site, run))) return false;
  const { todoFile } = await readStart(ports, getRunFolder(site, run));
  if (todoFile === undefined) return ports.clock.now() - parseStart(run) < JUST_BEGUN_MS;
  const realTodoFile = await findRealTodoFile(ports.files, todoFile);
  const [lock] = makeLockPaths({ realTodoFile, lockDir: lockFolder(realTodoFile) });
  const held = await inspectLock(ports, lock);
  return held !== undefined && !held.gone && held.owner.run === run;
}
