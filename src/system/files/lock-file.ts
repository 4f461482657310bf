// Creates a lock's file: it appears whole or not at all, and never replaces another process's lock. Takes a dead owner's away, by exactly
// one of those who saw that it is dead. Leaves the order of the waiting processes to lock.ts.
import { basename, dirname, join } from "node:path";
import { errorCode } from "../errors.js";
import { nameHalfWritten } from "./half-written.js";
import { isGone, readOwner, type LockOwner } from "./lock-owner.js";
import type { Ports } from "../ports.js";

type FilePorts = Pick<Ports, "files">;

/** Whether the lock at `path` is taken now, by `mine`. */
export async function placeLock({ files }: FilePorts, path: string, mine: LockOwner): Promise<boolean> {
  const beside = join(dirname(path), nameHalfWritten(basename(path), mine.token.slice(0, 12)));
  const text = JSON.stringify(mine) + "\n";
  try {
    await files.writeNew(beside, text, { mode: 0o644, fleeting: true });
    return await linkTo(files, beside, path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    if (code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS")
      return await placeWithoutLink(files, path, text);
    throw error;
  } finally {
    await tidyAway(files, beside);
  }
}

/** Removes a file if possible. A file that stays is left to the next holder: the current one need not fail. */
export async function tidyAway(files: Ports["files"], path: string): Promise<void> {
  await files.remove(path).catch(() => undefined);
}

/** Links the file into place. `false` also when the process that got the lock meanwhile removed the file. */
async function linkTo(files: Ports["files"], beside: string, path: string): Promise<boolean> {
  try {
    await files.link(beside, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** For file systems without link(2): the process that creates the file holds the lock. A reader may see it half written. */
async function placeWithoutLink(files: Ports["files"], path: string, text: string): Promise<boolean> {
  try {
    await files.writeNew(path, text, { mode: 0o644, fleeting: true });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

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
  ports: Pick<Ports, "clock" | "files" | "processes">,
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
  ports: Pick<Ports, "clock" | "files" | "processes">,
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
