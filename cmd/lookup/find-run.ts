// Finds the runs that a command shows. Several projects may share a log folder; leaves telling them apart to
// src/loop/runs/own-runs.ts.
import path from "node:path";
import type { Project } from "../../src/config/project/open-project.js";
import { findRun, listRuns } from "../../src/logging/read.js";
import { RUN_ID } from "../../src/logging/run-id.js";
import { filterOwnRuns, readStart } from "../../src/loop/runs/own-runs.js";
import { UserError, usageError } from "../../src/system/errors.js";
import { listSome } from "../../src/system/text/cut.js";
import type { CommandContext } from "../context/command-context.js";
import { hintOn } from "../context/words.js";

const MOST_NAMED = 3;

/** Keeps the runs to show, in their order. */
export type RunFilter = (runs: readonly string[]) => Promise<readonly string[]>;

/** This project's runs; with `all` every one. */
export function runFilter({ ports }: CommandContext, project: Project, all?: true): RunFilter {
  if (all === true) return (runs) => Promise.resolve(runs);
  return (runs) => filterOwnRuns({ ports, project }, runs);
}

/** The project that a run's log names; only with `all`. */
export async function projectOfRun(
  { ports }: CommandContext,
  all: true | undefined,
  folder: string,
): Promise<string | undefined> {
  return all === true ? (await readStart(ports, folder)).project : undefined;
}

export async function listOwnRuns(
  context: CommandContext,
  project: Project,
  filter: RunFilter = runFilter(context, project),
): Promise<readonly string[]> {
  return filter(await listRuns(context.ports, project.logDir));
}

/**
 * The folder of the run that was named, by its id or the beginning of it, whosever it is; or of the newest one that `filter` lets
 * through, this project's without it. One that is not there is a `usage` error; where none was named, no run at all is a no.
 */
export async function folderOfRun(
  context: CommandContext,
  project: Project,
  run: string | undefined,
  filter: RunFilter = runFilter(context, project),
): Promise<string> {
  const { ports } = context;
  const { logDir } = project;
  const runs = await listRuns(ports, logDir);
  const isNewest = run === undefined || run === "last";
  const newest = isNewest ? (await filter(runs)).at(-1) : undefined;
  const found = isNewest ? newest && path.join(logDir, "runs", newest) : await findRun(ports, logDir, run);
  if (found !== undefined) return found;
  const start = "start one with `looper run`";
  if (runs.length === 0)
    throw new UserError(isNewest ? "no" : "usage", `there are no runs in ${logDir}`, start);
  if (isNewest)
    throw new UserError(
      "no",
      `there are no runs of this project in ${logDir}`,
      `${start}, or list those of other projects with \`looper runs --all\``,
    );
  const begun = run === "" ? [] : runs.filter((one) => one.startsWith(run));
  const [only, ...others] = begun;
  if (only !== undefined && others.length === 0) return path.join(logDir, "runs", only);
  if (only !== undefined)
    throw usageError(`${run} may be ${listSome(begun.toReversed(), MOST_NAMED)}`, "type more characters");
  throw usageError(
    `there is no run ${run} in ${logDir}${RUN_ID.test(run) ? ", or no longer" : ""}`,
    hintOn(run, runs, `the newest is ${runs.at(-1) ?? ""}`),
  );
}
