// Creates and removes a lock's file. It appears whole or not at all, and never replaces another process's lock.
// Leaves the order of the waiting processes to lock.ts.
import { basename, dirname, join } from "node:path";
import { errorCode } from "../errors.js";
import { nameHalfWritten } from "./half-written.js";
import type { LockOwner } from "./lock-owner.js";
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
