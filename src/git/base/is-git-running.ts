// Finds out whether a git process is working in a working tree. Its lock may stay unchanged for as long as the user
// writes a commit message.
import { errorCode } from "../../system/errors.js";
import type { Repository } from "./repository/repository.js";

/** Searches /proc for a git process in the tree. Returns false if /proc is missing or shows no such process. */
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

/** A process may have ended since it was listed, or may belong to another user. */
async function orNothing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
