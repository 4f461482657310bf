import path from "node:path";
import { findRun, listRuns } from "../src/logging/read.js";
import { RUN_ID } from "../src/logging/run-id.js";
import { UserError } from "../src/system/errors.js";
import { nearest } from "../src/system/nearest.js";
import type { Shell } from "./shell.js";

const MOST_NAMED = 3;

/** The folder of the run that was named, by its id or the beginning of it, or of the newest one. One that is not there is a `usage` error; where none was named, no run at all is a no. */
export async function folderOfRun(
  { ports }: Shell,
  logDir: string,
  run: string | undefined,
): Promise<string> {
  const found = await findRun(ports, logDir, run);
  if (found !== undefined) return found;
  const runs = await listRuns(ports, logDir);
  if (runs.length === 0) {
    const kind = run === undefined || run === "last" ? "no" : "usage";
    throw new UserError(kind, `there are no runs in ${logDir}`, "looper run starts one");
  }
  const typed = run ?? "";
  const begun = typed === "" ? [] : runs.filter((one) => one.startsWith(typed));
  const [only, ...others] = begun;
  if (only !== undefined && others.length === 0) return path.join(logDir, "runs", only);
  if (only !== undefined) {
    const newest = begun.slice(-MOST_NAMED).reverse().join(", ");
    const more = begun.length > MOST_NAMED ? ` and ${begun.length - MOST_NAMED} more` : "";
    throw new UserError("usage", `${typed} may be ${newest}${more}`, "type more of the one you mean");
  }
  const near = nearest(typed, runs);
  throw new UserError(
    "usage",
    `there is no run ${typed} in ${logDir}${RUN_ID.test(typed) ? ", or no longer" : ""}`,
    near === undefined ? `the newest is ${runs.at(-1) ?? ""}` : `did you mean ${near}?`,
  );
}
