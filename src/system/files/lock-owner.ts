// Reads a lock's file: its owner, and whether the owner is still running. Leaves taking locks to lock.ts.
import { z } from "zod";
import { errorCode, environmentError } from "../errors.js";
import type { Ports } from "../ports.js";
import { parseJson } from "../text/json.js";

const LockOwner = z.object({
  /** Part of file names: restricted so that a lock's content cannot name another path. */
  token: z.string().regex(/^[\w-]{1,64}$/),
  pid: z.int(),
  started: z.string(),
  boot: z.string(),
  host: z.string(),
  namespace: z.string(),
  /** RFC 3339. */
  since: z.string(),
  run: z.string().optional(),
  /** Absolute path of the run's folder. */
  folder: z.string().optional(),
});
/** The owner of a lock: enough to tell whether it is still running, and what it was doing. */
export type LockOwner = z.infer<typeof LockOwner>;

/** An owner that cannot be looked at (another host or pid namespace) counts as gone once it has been silent this long. */
const SILENT_MS = 60_000;
/** The owner that the file at `path` names; `undefined` without a file. */
export async function readOwner(
  { files }: Pick<Ports, "files">,
  path: string,
): Promise<LockOwner | undefined> {
  const bytes = await readLock(files, path);
  if (bytes === undefined) return undefined;
  const parsed = LockOwner.safeParse(parseJson(bytes));
  // Not ours to read: named by its path, gone once it has been silent for a minute.
  return parsed.success
    ? parsed.data
    : { token: "", pid: 0, started: "", boot: "", host: "?", namespace: "", since: "" };
}

/** Reads a lock's file. A folder or device at its path is not a lock, and is never removed. */
async function readLock(files: Ports["files"], path: string): Promise<Uint8Array | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EISDIR" && code !== "EINVAL" && code !== "ELOOP") throw error;
    throw environmentError(`cannot read the lock ${path}: not a file`, "remove it, if no run is in progress");
  }
}

/** Whether the owner that the lock at `path` names is not there any more. */
export async function isGone(
  { clock, files, processes }: Pick<Ports, "clock" | "files" | "processes">,
  path: string,
  owner: LockOwner,
): Promise<boolean> {
  const fate = owner.token === "" ? "unknown" : await processes.fate(owner);
  if (fate === "alive") return abandonedLocks.has(owner.token);
  if (fate === "gone") return true;
  const stat = await files.stat(path);
  return stat !== undefined && clock.now() - stat.mtimeMs > SILENT_MS;
}

/** Locks of this process that it no longer holds, but could not remove or complete because the disk failed. */
export const abandonedLocks = new Set<string>();
