import path from "node:path";
import { findRun, listRuns } from "../../src/logging/read.js";
import { RUN_ID } from "../../src/logging/run-id.js";
import { UserError } from "../../src/system/errors.js";
import { nearest } from "../../src/system/text/nearest.js";
import type { Project } from "../../src/config/project/open-project.js";
import { listSome } from "../../src/system/text/cut.js";
import { runFilter, type RunFilter } from "./own-runs.js";
import type { CommandContext } from "../context/command-context.js";

const MOST_NAMED = 3;

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
  if (runs.length === 0)
    throw new UserError(
      isNewest ? "no" : "usage",
      `there are no runs in ${logDir}`,
      "start one with `looper run`",
    );
  if (isNewest)
    throw new UserError(
      "no",
      `there are no runs of this project in ${logDir}`,
      "start one with `looper run`, or list those of other projects with `looper runs --all`",
    );
  const typed = run;
  const begun = typed === "" ? [] : runs.filter((one) => one.startsWith(typed));
  const [only, ...others] = begun;
  if (only !== undefined && others.length === 0) return path.join(logDir, "runs", only);
  if (only !== undefined) {
    const newest = listSome(begun.toReversed(), MOST_NAMED);
    throw new UserError("usage", `${typed} may be ${newest}`, "type more characters");
  }
  const near = nearest(typed, runs);
  throw new UserError(
    "usage",
    `there is no run ${typed} in ${logDir}${RUN_ID.test(typed) ? ", or no longer" : ""}`,
    near === undefined ? `the newest is ${runs.at(-1) ?? ""}` : `did you mean ${near}?`,
  );
}
