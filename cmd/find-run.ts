import { findRun, listRuns } from "../src/logging/read.js";
import { UserError } from "../src/system/errors.js";
import { nearest } from "../src/system/nearest.js";
import type { Shell } from "./shell.js";

/** The folder of the run that was named, or of the newest one. One that is not there is a `usage` error; where none was named, no run at all is a no. */
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
  const near = nearest(run ?? "", runs);
  throw new UserError(
    "usage",
    `there is no run ${run ?? ""} in ${logDir}`,
    near === undefined ? `the newest is ${runs.at(-1) ?? ""}` : `did you mean ${near}?`,
  );
}
