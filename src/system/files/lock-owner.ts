// Who holds a lock, as its file says, and whether that owner still lives. Leaves taking locks to lock.ts.
import { z } from "zod";
import { errorCode, UserError } from "../errors.js";
import type { Ports } from "../ports.js";
import { parseJson } from "../text/json.js";

/** Made for the first lock there is to read: most commands meet none, and zod is large. */
function makeLockOwner() {
  return z.object({
    /** Becomes part of the names of files: whoever wrote the lock leads nowhere else with it. */
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
}

type LockOwnerShape = ReturnType<typeof makeLockOwner>;
let lockOwner: LockOwnerShape | undefined;

/** Who holds a lock: enough to tell whether it still lives, and what it was doing. */
export type LockOwner = z.infer<LockOwnerShape>;

/** An owner that cannot be looked at (another host or pid namespace) counts as gone once it has been silent this long. */
const SILENT_MS = 60_000;
/** Who the file at `path` names; `undefined` when there is none. */
export async function readOwner(
  { files }: Pick<Ports, "files">,
  path: string,
): Promise<LockOwner | undefined> {
  const bytes = await readLock(files, path);
  if (bytes === undefined) return undefined;
  const parsed = (lockOwner ??= makeLockOwner()).safeParse(parseJson(bytes));
  // Not ours to read: named by its path, gone once it has been silent for a minute.
  return parsed.success
    ? parsed.data
    : { token: "", pid: 0, started: "", boot: "", host: "?", namespace: "", since: "" };
}

/** What no looper has made is no lock, and no looper takes it away. */
async function readLock(files: Ports["files"], path: string): Promise<Uint8Array | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EISDIR" && code !== "EINVAL" && code !== "ELOOP") throw error;
    throw new UserError(
      "environment",
      `${path} is no file, and should be a lock`,
      "remove it, if no run goes on",
    );
  }
}

/** Whether the owner that the lock at `path` names is not there any more. */
export async function isGone(
  { clock, files, processes }: Pick<Ports, "clock" | "files" | "processes">,
  path: string,
  owner: LockOwner,
): Promise<boolean> {
  const fate = owner.token === "" ? "unknown" : await processes.fate(owner);
  if (fate === "alive") return letGo.has(owner.token);
  if (fate === "gone") return true;
  const stat = await files.stat(path);
  return stat !== undefined && clock.now() - stat.mtimeMs > SILENT_MS;
}

/** Of this process, and held by nobody in it: on a disk that fails it could not be removed, or not all be done to hold it. */
export const letGo = new Set<string>();
