// Lists the stored sessions for `looper clean`, says which wait for a person, and removes one. A removal that is killed
// halfway never leaves half a session. Leaves the choice to src/loop/runs/clean-sessions.ts. Also finds and ends the processes
// that killed sessions left, because the person may never come back to them.
import path from "node:path";
import { acquireLock, inspectLock } from "../../system/files/lock.js";
import { errorCode } from "../../system/errors.js";
import { markOf } from "../../system/processes/mark.js";
import {
  endDead,
  findLink,
  listIds,
  listSessions,
  readSession,
  type ListedSession,
  type SessionPlace,
} from "./sessions.js";

/** The folder of the sessions. Without `redact` outputs are redacted when their session resumes. */
export type StoredPlace = Omit<SessionPlace, "env" | "redact"> & Partial<Pick<SessionPlace, "redact">>;

/** The stored sessions. */
export interface StoredSessions {
  /** The one that changed longest ago first. */
  sessions: ListedSession[];
  /** Ids of sessions that cannot be read. */
  broken: string[];
  /** Ids of sessions whose removal has begun. */
  going: string[];
}

/** The prefix of a session that is being removed; an id never begins so. */
const GOING = ".gone-";

/** Lists them; behind a symbolic link there are none. Changes nothing. */
export async function listStored({ ports, folder }: StoredPlace): Promise<StoredSessions> {
  if ((await findLink(ports.files, folder)) !== undefined) return { sessions: [], broken: [], going: [] };
  const { sessions, broken } = await listSessions({ ports, folder });
  const going = (await ports.files.list(folder)).filter((name) => name.startsWith(GOING));
  return {
    sessions: sessions.reverse(),
    broken: broken.map(({ id }) => id),
    going: going.map((name) => name.slice(GOING.length)),
  };
}

/** Removes a session; false if a process holds it, or a call or question waits in it by now, or it is gone. */
export async function removeSession(place: StoredPlace, id: string): Promise<boolean> {
  const { ports } = place;
  const folder = path.join(place.folder, id);
  if ((await ports.files.stat(folder, { link: true }))?.kind !== "folder") return false;
  const locked = await acquireLock(ports, path.join(folder, "lock"), { folder }, { waitMs: 0 });
  if ("heldBy" in locked) return false;
  try {
    const now = await readSession(place, id);
    if (now === undefined || now.question !== null) return false;
    await endDead({ ports }, folder, locked.held);
    await ports.files.rename(folder, path.join(place.folder, `${GOING}${id}`));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  } finally {
    await locked.held.release();
  }
  await removeGoing(place, id);
  return true;
}

/** Removes what a killed removal left of a session. */
export function removeGoing({ ports, folder }: StoredPlace, id: string): Promise<void> {
  return ports.files.removeTree(path.join(folder, `${GOING}${id}`));
}

/** A killed session with processes that still run. */
export interface KilledSession {
  id: string;
  pids: number[];
}

/** Finds the processes of killed sessions. Changes nothing. */
export async function findKilledSessions(place: StoredPlace): Promise<KilledSession[]> {
  const found: KilledSession[] = [];
  for (const id of await listKilled(place)) {
    const pids = await place.ports.processes.marked(markOf(path.join(place.folder, id)));
    if (pids.length > 0) found.push({ id, pids });
  }
  return found;
}

/** Ends the processes of killed sessions. Returns those that could not be ended. */
export async function endKilledSessions(place: StoredPlace): Promise<number[]> {
  const left: number[] = [];
  for (const id of await listKilled(place)) {
    const folder = path.join(place.folder, id);
    // With its lock: a session that is resumed meanwhile has processes of its own, with the same mark.
    const locked = await acquireLock(place.ports, path.join(folder, "lock"), { folder }, { waitMs: 0 });
    if ("heldBy" in locked) continue;
    try {
      left.push(...(await endDead(place, folder, locked.held)));
    } finally {
      await locked.held.release();
    }
  }
  return left;
}

async function listKilled({ ports, folder }: StoredPlace): Promise<string[]> {
  if ((await findLink(ports.files, folder)) !== undefined) return [];
  const killed: string[] = [];
  for (const id of await listIds({ ports, folder }))
    if ((await inspectLock(ports, path.join(folder, id, "lock")))?.gone === true) killed.push(id);
  return killed;
}
