// Lists the stored sessions for `looper clean`, says which wait for a person, and removes one. A removal that is killed
// halfway never leaves half a session. Leaves the choice to src/loop/runs/clean-sessions.ts.
import path from "node:path";
import { acquireLock } from "../../../system/files/lock.js";
import { errorCode } from "../../../system/errors.js";
import type { Ports } from "../../../system/ports.js";
import { endDead, findLink, listSessions, readSession, type ListedSession } from "../sessions.js";

/** The folder of the sessions. */
export interface StoredPlace {
  ports: Ports;
  folder: string;
}

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

/** Whether the session has a call or a question that waits for a person. */
export function isWaiting({ pending, question }: Pick<ListedSession, "pending" | "question">): boolean {
  return pending !== undefined || question !== null;
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
    if (now === undefined || isWaiting(now)) return false;
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
