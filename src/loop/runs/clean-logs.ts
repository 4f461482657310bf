// Removes old runs: their logs, and what git keeps of their attempts. The same for `looper clean` and for the limits of the
// settings. Leaves which runs are old to logging/retention.ts, and which are still needed to needed-runs.ts.
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
  neededRuns,
  readKnown,
  type KnownOfRuns,
  type LogSite,
  type Needed,
} from "./needed-runs.js";
import { ownRuns } from "./own-runs.js";

/** A run and the bytes of its log. */
export interface SizedRun {
  run: string;
  bytes: number;
}

/** What is there before anything goes. */
export interface LogSurvey {
  known: KnownOfRuns;
  /** This project's, the oldest first. */
  runs: readonly string[];
  /** Runs of other projects that log into the same folder: never touched. */
  foreign: number;
  /** Names of what is no run: never touched. */
  others: readonly string[];
  /** Ids of every folder of a run. */
  all: ReadonlySet<string>;
  /** Ids of runs whose removal was begun. */
  going: readonly string[];
}

/** What goes, and what would go were it not needed. The oldest first. */
export interface CleanPlan {
  remove: readonly SizedRun[];
  stay: readonly { run: string; why: Needed }[];
  /** Those of `remove` that are looked at again before they go. */
  unended: ReadonlySet<string>;
}

export interface Cleaned {
  removed: readonly SizedRun[];
  /** Refs of attempts that went. */
  refs: number;
}

/** Looks at what there is. */
export async function surveyLogs(site: LogSite): Promise<LogSurvey> {
  const { ports, project } = site;
  // Refs first: the folder of a run is there before its refs are.
  const known = await readKnown(site);
  const { runs, going, others } = await listRunFolders(ports, project.logDir);
  const own = await ownRuns(site, runs);
  const all = new Set([...runs, ...going, ...others]);
  return { known, runs: own, foreign: runs.length - own.length, others, going, all };
}

/** `old`: runs that may go, the oldest first. */
export async function planClean(
  site: LogSite,
  { known, runs }: LogSurvey,
  old: readonly string[],
): Promise<CleanPlan> {
  const { needed, unended } = await neededRuns(site, known, { runs, going: old });
  const remove: SizedRun[] = [];
  const stay: { run: string; why: Needed }[] = [];
  for (const run of old) {
    const why = needed.get(run);
    if (why === undefined) remove.push({ run, bytes: await bytesOf(site, run) });
    else stay.push({ run, why });
  }
  return { remove, stay, unended };
}

/** Bytes of a run's log. */
export function bytesOf({ ports, project }: LogSite, run: string): Promise<number> {
  return measureFolder(ports, join(project.logDir, "runs", run));
}

/**
 * Removes what the plan says, and what a clean that was killed left. In this order: no reader sees the runs any more, their refs
 * go, their files go. Where the disk refuses it is an `environment` error; the next clean finishes what was begun.
 */
export async function removeRuns(site: LogSite, survey: LogSurvey, plan: CleanPlan): Promise<Cleaned> {
  const { ports, project } = site;
  const { logDir } = project;
  const removed: SizedRun[] = [];
  try {
    for (const one of plan.remove) {
      if (plan.unended.has(one.run) && (await isRunning(site, one.run))) continue;
      if (await takeAway(ports, logDir, one.run)) removed.push(one);
    }
    const gone = new Set([...survey.going, ...removed.map(({ run }) => run)]);
    await repairLastLink(ports, logDir);
    const refs = await forget(site, new Set([...gone, ...lostRuns(site, survey)]));
    for (const run of gone) await removeGoing(ports, logDir, run);
    return { removed, refs };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new UserError(
      "environment",
      `cannot remove old runs in ${logDir}: ${errorMessage(error)}`,
      "make the folder writable, then clean again: it finishes what was begun",
      { cause: error },
    );
  }
}

/** Runs of which only refs are left: their start says that their log was here, and it is not. */
function lostRuns({ project }: LogSite, { known, all }: LogSurvey): string[] {
  // Where not a single one is, the disk they are on may be missing.
  if (all.size === 0) return [];
  return [...known.refs.starts]
    .filter(([run, log]) => log === join(project.logDir, "runs", run) && !all.has(run))
    .map(([run]) => run);
}

async function forget({ repo }: LogSite, runs: ReadonlySet<string>): Promise<number> {
  if (repo === undefined) return 0;
  const forgotten = await forgetAttempts(repo, runs);
  if (forgotten.ok) return forgotten.value;
  const { command, message } = forgotten.error;
  throw new UserError("environment", `${command}: ${message}`, "mend what git says, then clean again");
}

/** Applies the settings' limits. Contract: the caller's run goes on, and holds its locks. */
export async function applyLimits(site: LogSite, limits: LogLimits): Promise<Cleaned> {
  const { ports, project } = site;
  const sizes = new Map<string, number>();
  const sizeOnce = async (run: string): Promise<number> => {
    const bytes = sizes.get(run) ?? (await bytesOf(site, run));
    sizes.set(run, bytes);
    return bytes;
  };
  // Nearly always there is nothing to do: git is not asked for that.
  const { runs, going } = await listRunFolders(ports, project.logDir);
  if (going.length === 0 && (await selectRunsBeyond(runs, limits, sizeOnce)).length === 0)
    return { removed: [], refs: 0 };
  const survey = await surveyLogs(site);
  const plan = await planClean(site, survey, await selectRunsBeyond(survey.runs, limits, sizeOnce));
  return removeRuns(site, survey, plan);
}

/** Whether there may be a repository that could not be opened: then nobody knows what is needed. */
export async function mayHaveRepository(files: Files, folder: string): Promise<boolean> {
  if ((await files.stat(join(folder, ".git"), { link: true })) !== undefined) return true;
  const above = dirname(folder);
  return above !== folder && mayHaveRepository(files, above);
}
