// Removes old runs, that is their logs and the refs of their attempts, for `looper clean` and for the limits of the settings.
// logging/retention.ts decides which runs are old, and needed-runs.ts which are still needed.
import { asResult } from "../../git/base/git.js";
import { dirname, join } from "node:path";
import { forgetAttempts } from "../../git/commit/run-refs.js";
import {
  listRunFolders,
  repairLastLink,
  removeGoing,
  measureFolder,
  takeAway,
} from "../../logging/run-folders.js";
import { selectRunsBeyond, type LogLimits } from "../../logging/retention.js";
import { errorCode, errorMessage, UserError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import {
  isRunning,
  findNeededRuns,
  readRunFacts,
  type RunFacts,
  type LogSite,
  type Needed,
} from "./needed-runs.js";
import { filterOwnRuns } from "./own-runs.js";

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
  /** Runs of `remove` without an end; each is checked again before it is removed. */
  unended: ReadonlySet<string>;
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
  const { needed, unended } = await findNeededRuns(site, known, { runs, going: old });
  const remove: SizedRun[] = [];
  const stay: { run: string; why: Needed }[] = [];
  for (const run of old) {
    const why = needed.get(run);
    if (why === undefined) remove.push({ run, bytes: await measureRun(site, run) });
    else stay.push({ run, why });
  }
  return { remove, stay, unended };
}

/** Measures a run's log in bytes. */
export function measureRun({ ports, project }: LogSite, run: string): Promise<number> {
  return measureFolder(ports, join(project.logDir, "runs", run));
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
      if (plan.unended.has(one.run) && (await isRunning(site, one.run))) continue;
      if (await takeAway(ports, logDir, one.run)) removed.push(one);
    }
    const gone = new Set([...survey.going, ...removed.map(({ run }) => run)]);
    await repairLastLink(ports, logDir);
    const runs = new Set([...gone, ...findLostRuns(site, survey)]);
    const refs = repo === undefined ? 0 : await countForgotten(() => forgetAttempts(repo, runs));
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
    throw new UserError("environment", `cannot remove ${what}: ${errorMessage(error)}`, hint, {
      cause: error,
    });
  }
}

/** Runs that have only refs left: their start names a log in this folder that no longer exists. */
function findLostRuns({ project }: LogSite, { known, all }: LogSurvey): string[] {
  // If no run exists at all, the disk they are on may be missing.
  if (all.size === 0) return [];
  return [...known.refs.starts]
    .filter(([run, log]) => log === join(project.logDir, "runs", run) && !all.has(run))
    .map(([run]) => run);
}

/** The number of refs that were removed; a failure of git is an `environment` error. */
export async function countForgotten(forget: () => Promise<number>): Promise<number> {
  const forgotten = await asResult(forget);
  if (forgotten.ok) return forgotten.value;
  const { command, message } = forgotten.error;
  throw new UserError("environment", `${command}: ${message}`, "fix the git error, then clean again");
}

/** Applies the settings' limits. Contract: the caller's run is running and holds its locks. */
export async function applyLimits(site: LogSite, limits: LogLimits): Promise<Cleaned> {
  const { ports, project } = site;
  const sizes = new Map<string, number>();
  const sizeOnce = async (run: string): Promise<number> => {
    const bytes = sizes.get(run) ?? (await measureRun(site, run));
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
