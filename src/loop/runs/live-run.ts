import { basename, dirname, isAbsolute, join } from "node:path";
import type { Project } from "../../config/project/open-project.js";
import { inspectLock } from "../../system/files/lock.js";
import type { Ports } from "../../system/ports.js";
import { makeLockPaths } from "./locks.js";

/** A run, as its lock names it. */
export interface LiveRun {
  run: string;
  /** The folder of its log, absolute. */
  folder: string;
  pid: number;
}

type Place = Pick<Project, "realTodoFile" | "lockDir">;

/** The run in progress on this backlog, if it has a log; otherwise `undefined`. */
export async function findLiveRun(ports: Ports, place: Place): Promise<LiveRun | undefined> {
  return findOwner(ports, place, "alive");
}

/** The run that was killed while it worked on this backlog, until the next one takes over; `undefined` if it left no log. */
export async function findKilledRun(ports: Ports, place: Place): Promise<LiveRun | undefined> {
  return findOwner(ports, place, "gone");
}

async function findOwner(ports: Ports, place: Place, state: "alive" | "gone"): Promise<LiveRun | undefined> {
  const held = await inspectFirst(ports, place);
  if (held?.gone !== (state === "gone")) return undefined;
  const { run, folder, pid } = held.owner;
  if (run === undefined || folder === undefined || !(await isLogOf(ports, run, folder))) return undefined;
  return { run, folder, pid };
}

/**
 * The log folder of the run that the lock names, alive or dead, as the lock spells it: a stage that only reads sees neither the
 * folder nor the run's process. Contract: nothing is read or written there; a hostile project may name any folder.
 */
export async function findNamedFolder(ports: Ports, place: Place): Promise<string | undefined> {
  return (await inspectFirst(ports, place))?.owner.folder;
}

/** The lock beside the task file. */
function inspectFirst(ports: Ports, place: Place): ReturnType<typeof inspectLock> {
  return inspectLock(ports, makeLockPaths(place)[0]);
}

/** Guards against a lock in a hostile project that names any folder, since commands to the run are written there. */
async function isLogOf({ files }: Pick<Ports, "files">, run: string, folder: string): Promise<boolean> {
  if (!isAbsolute(folder) || basename(folder) !== run || basename(dirname(folder)) !== "runs") return false;
  return (await files.stat(join(folder, "events.jsonl")))?.kind === "file";
}
