import { basename, dirname, isAbsolute, join } from "node:path";
import type { Project } from "../../config/project/open-project.js";
import { inspectLock } from "../../system/files/lock.js";
import type { Ports } from "../../system/ports.js";
import { makeLockPaths } from "./locks.js";

/** A run in progress. */
export interface LiveRun {
  run: string;
  /** The folder of its log, absolute. */
  folder: string;
  pid: number;
}

/** The run in progress on this backlog, if it has a log; otherwise `undefined`. */
export async function findLiveRun(
  ports: Ports,
  { realTodoFile, lockDir }: Pick<Project, "realTodoFile" | "lockDir">,
): Promise<LiveRun | undefined> {
  const [lock] = makeLockPaths({ realTodoFile, lockDir });
  const held = await inspectLock(ports, lock);
  if (held === undefined || held.gone) return undefined;
  const { run, folder, pid } = held.owner;
  if (run === undefined || folder === undefined || !(await isLogOf(ports, run, folder))) return undefined;
  return { run, folder, pid };
}

/** Guards against a lock in a hostile project that names any folder, since commands to the run are written there. */
async function isLogOf({ files }: Pick<Ports, "files">, run: string, folder: string): Promise<boolean> {
  if (!isAbsolute(folder) || basename(folder) !== run || basename(dirname(folder)) !== "runs") return false;
  return (await files.stat(join(folder, "events.jsonl")))?.kind === "file";
}
