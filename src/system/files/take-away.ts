// Taking a dead owner's lock away, by exactly one of those who saw that it is dead. Leaves judging that to lock-owner.ts.
import { isGone, readOwner, type LockOwner } from "./lock-owner.js";
import { placeLock, tidyAway } from "./lock-file.js";
import type { Ports } from "../ports.js";

type LockPorts = Pick<Ports, "clock" | "files" | "processes">;

const ASIDE = ".stale-";
const CLAIM = ".claim-";

/** Whether a file beside the lock called `name` is one of a dead owner, set aside. */
export function isAside(candidate: string, name: string): boolean {
  return candidate.startsWith(`${name}${ASIDE}`);
}

/** Whether a file is a claim on a dead owner's lock, or was to become one. The holder of the lock may remove it. */
export function isClaim(candidate: string, name: string): boolean {
  return [name, `.${name}`].some((beginning) => candidate.startsWith(`${beginning}${CLAIM}`));
}

/**
 * Moves a dead owner's lock aside, if it is still that owner's. Only the process with the claim does this: moving any file at
 * that path could take the lock of a process that came in between. Returns the other process that has the claim, if any.
 */
export async function takeAway(
  ports: LockPorts,
  path: string,
  dead: LockOwner,
  mine: LockOwner,
): Promise<LockOwner | undefined> {
  const { files } = ports;
  const claim = await claimOn(ports, path, dead, mine);
  if ("heldBy" in claim) return claim.heldBy;
  // A dead owner cannot change its lock, and no other process may: the content is final.
  if ((await readOwner(ports, path))?.token === dead.token)
    await files.rename(path, `${path}${ASIDE}${dead.token}-${mine.token}`);
  await tidyAway(files, claim.file);
  return undefined;
}

/** A claim on the dead owner's lock; where its holder died over it, a claim on that one's, and so on. */
async function claimOn(
  ports: LockPorts,
  path: string,
  dead: LockOwner,
  mine: LockOwner,
): Promise<{ file: string } | { heldBy: LockOwner }> {
  for (let token = dead.token; ;) {
    const file = `${path}${CLAIM}${token}`;
    if (await placeLock(ports, file, mine)) return { file };
    const holder = await readOwner(ports, file);
    // Given up in this very moment: what it was about is settled, or the next try has it.
    if (holder === undefined) continue;
    if (!(await isGone(ports, file, holder))) return { heldBy: holder };
    token = holder.token;
  }
}
