// Finds the runs that a command shows. Several projects may share a log folder; leaves telling them apart to
// src/loop/runs/own-runs.ts.
import path from "node:path";
import type { Project } from "../../src/config/project/open-project.js";
import { findRun, listRuns } from "../../src/logging/read.js";
import { RUN_ID } from "../../src/logging/run-id.js";
import { filterOwnRuns } from "../../src/loop/runs/own-runs.js";
import { UserError, usageError } from "../../src/system/errors.js";
import { listSome } from "../../src/system/text/cut.js";
import type { CommandContext } from "../context/command-context.js";
import { hintOn } from "../../src/system/text/nearest.js";

const MOST_NAMED = 3;

/** This project's runs, of those in its log folder. */
export async function listOwnRuns({ ports }: CommandContext, project: Project): Promise<readonly string[]> {
  return filterOwnRuns({ ports, project }, await listRuns(ports, project.logDir));
}

/**
 * The folder of the run that was named, by its id or how it begins, whosever it is; or of this project's newest
 * one. One that is not there is a `usage` error; where none was named, no run at all is a no.
 */
export async function folderOfRun(
  { ports }: CommandContext,
  project: Project,
  run: string | undefined,
): Promise<string> {
  const { logDir } = project;
  const runs = await listRuns(ports, logDir);
  const isNewest = run === undefined || run === "last";
  const newest = isNewest ? (await filterOwnRuns({ ports, project }, runs)).at(-1) : undefined;
  const found = isNewest ? newest && path.join(logDir, "runs", newest) : await findRun(ports, logDir, run);
  if (found !== undefined) return found;
  const start = "start one with `looper run`";
  if (runs.length === 0)
    throw new UserError(isNewest ? "no" : "usage", `there are no runs in ${logDir}`, start);
  if (isNewest) throw new UserError("no", `there are no runs of this project in ${logDir}`, start);
  // A whole id is that run alone: another one of the same second is called as it is, with a number more.
  const begun = run === "" || RUN_ID.test(run) ? [] : runs.filter((one) => one.startsWith(run));
  const [only, ...others] = begun;
  if (only !== undefined && others.length === 0) return path.join(logDir, "runs", only);
  if (only !== undefined)
    throw usageError(`${run} may be ${listSome(begun.toReversed(), MOST_NAMED)}`, "type more characters");
  throw usageError(
    `there is no run ${run} in ${logDir}${RUN_ID.test(run) ? ", or no longer" : ""}`,
    hintOn(run, runs, `the newest is ${runs.at(-1) ?? ""}`),
  );
}
