// Whether a git is at work in a working tree: a lock of its own stands still for as long as a person writes a message.
// Leaves what to do about it to the callers.
import { errorCode } from "../../system/errors.js";
import type { Repository } from "./repository.js";

/** Asks /proc for a git that works somewhere in the tree. Where there is none, or it says nothing of a process: no. */
export async function isGitHere({ ports: { files }, cwd }: Repository): Promise<boolean> {
  for (const pid of await files.list("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const name = await orNothing(() => files.read(`/proc/${pid}/comm`));
    if (Buffer.from(name ?? []).toString("latin1") !== "git\n") continue;
    const folder = await orNothing(() => files.readLink(`/proc/${pid}/cwd`));
    if (folder !== undefined && `${folder}/`.startsWith(`${cwd}/`)) return true;
  }
  return false;
}

/** A process may be gone between two looks, or another user's. */
async function orNothing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
