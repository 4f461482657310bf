// The run in progress, as its lock names it, and how it is asked to end. cmd/commands/stop.ts refuses agents and prints the result.
import { basename, dirname, isAbsolute, join } from "node:path";
import type { Project } from "../../config/project/open-project.js";
import { inspectLock } from "../../system/files/lock.js";
import type { Ports } from "../../system/ports.js";
import { makeLockPaths } from "./locks.js";
import { tellRun } from "../../logging/control.js";
import { readLines } from "../../logging/read.js";
import { UserError, environmentError } from "../../system/errors.js";

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

/** A run that was asked to end. */
export interface StoppedRun {
  live: LiveRun;
  /** It has ended; otherwise it ends once its agent has finished. */
  ended: boolean;
}

const LOOK_EVERY_MS = 100;
const ANSWERED_WITHIN_MS = 10_000;
/** Time for an agent (5 s), its leftover processes (10 s) and a git command (60 s). */
const ENDED_WITHIN_MS = 90_000;

/** Stops the run of this backlog. `now`: stops its agent too and waits for the end. Without a run: a `no` error. */
export async function stopRun(
  ports: Ports,
  project: Pick<Project, "realTodoFile" | "lockDir">,
  { now }: { now: boolean },
): Promise<StoppedRun> {
  const live = await findLiveRun(ports, project);
  if (live === undefined) throw new UserError("no", "no run in progress", "see `looper runs` for past runs");
  const from = (await ports.files.stat(join(live.folder, "events.jsonl")))?.size ?? 0;
  await tellRun(ports, live.folder, { type: "stop", at: new Date(ports.clock.now()).toISOString(), now });
  const isOver = async (): Promise<boolean> => (await findLiveRun(ports, project))?.run !== live.run;
  const hasAnswered = async (): Promise<boolean> => {
    for await (const { type, value } of readLines(ports, live.folder, from))
      if (type === "run_interrupted" && value["by"] === "stop") return true;
    return isOver();
  };
  if (!(await waitUntil(ports, ANSWERED_WITHIN_MS, hasAnswered))) throw makeNoAnswerError(live);
  const ended = now ? await waitUntil(ports, ENDED_WITHIN_MS, isOver) : await isOver();
  if (now && !ended) throw makeNoAnswerError(live);
  return { live, ended };
}

/** Waits until the condition is true; returns false after the timeout. */
async function waitUntil({ clock }: Ports, ms: number, isTrue: () => Promise<boolean>): Promise<boolean> {
  const until = clock.monotonic() + ms;
  for (;;) {
    if (await isTrue()) return true;
    if (clock.monotonic() > until) return false;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

function makeNoAnswerError({ run, pid }: LiveRun): UserError {
  return environmentError(
    `run ${run} (pid ${String(pid)}) does not answer`,
    `wait for it, or end it with \`kill ${String(pid)}\`; nothing is lost`,
  );
}
