// The processes that the shells of killed sessions left. A session that resumes ends its own (sessions.ts); here those of all
// sessions are found and ended, because the person may never come back to the one that was killed.
import path from "node:path";
import { acquireLock, inspectLock } from "../../../system/files/lock.js";
import { markOf } from "../../../system/processes/mark.js";
import type { Ports } from "../../../system/ports.js";
import type { Redact } from "../../../system/text/secrets/redact.js";
import { endDead, findLink, listIds } from "../sessions.js";

/** The folder of the sessions. Without `redact` outputs are redacted when their session resumes. */
export interface KilledPlace {
  ports: Ports;
  folder: string;
  redact?: Redact;
}

/** A killed session with processes that still run. */
export interface KilledSession {
  id: string;
  pids: number[];
}

/** Finds the processes of killed sessions. Changes nothing. */
export async function findKilledSessions(place: KilledPlace): Promise<KilledSession[]> {
  const found: KilledSession[] = [];
  for (const id of await listKilled(place)) {
    const pids = await place.ports.processes.marked(markOf(path.join(place.folder, id)));
    if (pids.length > 0) found.push({ id, pids });
  }
  return found;
}

/** Ends the processes of killed sessions. Returns those that could not be ended. */
export async function endKilledSessions(place: KilledPlace): Promise<number[]> {
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

async function listKilled({ ports, folder }: KilledPlace): Promise<string[]> {
  if ((await findLink(ports.files, folder)) !== undefined) return [];
  const killed: string[] = [];
  for (const id of await listIds({ ports, folder }))
    if ((await inspectLock(ports, path.join(folder, id, "lock")))?.gone === true) killed.push(id);
  return killed;
}
