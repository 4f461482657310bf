// Removes old sessions of Chapo with their checkpoints, for `looper clean`. logging/retention.ts decides which are old, and
// src/chapo/session/stored-sessions.ts removes one.
import { join } from "node:path";
import {
  listStored,
  removeGoing,
  removeSession,
  type StoredPlace,
} from "../../chapo/session/stored-sessions.js";
import { withHint } from "../../git/base/git.js";
import { forgetSessionTrees } from "../../git/undo/session-trees.js";
import { measureFolder } from "../../logging/run-folders.js";
import { type CleanWish, selectOld } from "../../logging/retention.js";
import { FIX_GIT, type LogSite, orUnwritable } from "./clean-logs.js";
import { readUnfinished } from "./earlier-results.js";

/**
 * Why an old session stays: a process holds it; a call or a question waits in it; the row of a task resumes it; this version
 * cannot read it.
 */
export const SESSION_NEEDED = ["running", "question", "in-hand", "unreadable"] as const;
export type SessionNeeded = (typeof SESSION_NEEDED)[number];

/** A session and the bytes of its folder. */
export interface SizedSession {
  session: string;
  bytes: number;
}

/** The old sessions: those to remove, the oldest first, and those that stay. */
export interface SessionPlan {
  /** How many sessions there are. */
  known: number;
  remove: readonly SizedSession[];
  stay: readonly { session: string; why: SessionNeeded }[];
  /** Ids of sessions whose removal was started. */
  going: readonly string[];
}

export interface CleanedSessions {
  removed: readonly SizedSession[];
  /** How many refs of checkpoints were removed. */
  refs: number;
}

/** Plans the removal of the sessions that `wish` selects. A session is as old as its last change. */
export async function planSessions(site: LogSite, wish: CleanWish): Promise<SessionPlan> {
  const place = placeOf(site);
  const { sessions, broken, going } = await listStored(place);
  const resumed = await findSessionsOfTasks(site);
  const remove: SizedSession[] = [];
  const stay: { session: string; why: SessionNeeded }[] = broken.map((session) => ({
    session,
    why: "unreadable",
  }));
  const began = ({ changed }: { changed: string }): number => Date.parse(changed);
  for (const one of selectOld(sessions, wish, { began, now: site.ports.clock.now() })) {
    const { id: session } = one;
    if (one.isHeld) stay.push({ session, why: "running" });
    else if (one.question !== null) stay.push({ session, why: "question" });
    else if (resumed.has(session)) stay.push({ session, why: "in-hand" });
    else remove.push({ session, bytes: await measureFolder(site.ports, join(place.folder, session)) });
  }
  return { known: sessions.length + broken.length, remove, stay, going };
}

/** Removes the planned sessions, and those that a killed clean left. The next clean finishes what a failure interrupts. */
export async function removeSessions(site: LogSite, plan: SessionPlan): Promise<CleanedSessions> {
  const place = placeOf(site);
  const { repo } = site;
  const removed: SizedSession[] = [];
  return orUnwritable(`old sessions in ${place.folder}`, async () => {
    for (const one of plan.remove) if (await removeSession(place, one.session)) removed.push(one);
    const gone = [...plan.going, ...removed.map(({ session }) => session)];
    const isKept = repo === undefined || gone.length === 0;
    const refs = isKept ? 0 : await withHint(FIX_GIT, () => forgetSessionTrees(repo, gone));
    for (const id of plan.going) await removeGoing(place, id);
    return { removed, refs };
  });
}

function placeOf({ ports, project }: LogSite): StoredPlace {
  return { ports, folder: join(project.folder, ".looper", "sessions") };
}

/** The sessions that unfinished tasks resume: one of their calls waits or was answered. */
async function findSessionsOfTasks(site: LogSite): Promise<ReadonlySet<string>> {
  const tasks = await readUnfinished(site);
  const calls = tasks.flatMap(({ progress }) => [
    progress?.question?.call,
    progress?.answer?.call,
    ...(progress?.answers ?? []).map(({ call }) => call),
  ]);
  return new Set(calls.flatMap((call) => (call === undefined ? [] : [call.session])));
}
