// The short lock of a task file, held while a process reads the file and writes it. store.ts does the work under it.
import { basename, dirname, join } from "node:path";
import { digest } from "../../system/text/digest.js";
import { errorCode, errorMessage, UserError } from "../../system/errors.js";
import { acquireLock } from "../../system/files/lock.js";
import type { Ports } from "../../system/ports.js";

/** The lock is not fair: of a hundred waiting processes, one may be unlucky for a while. */
const LOCK_WAIT_MS = 30_000;

/** Acts under the lock, which names `run`. After the longest wait, an `environment` error names the process that holds it. */
export async function withLock<T>(
  ports: Pick<Ports, "clock" | "files" | "processes" | "random">,
  path: string,
  { lockFolder, run }: { lockFolder: string; run?: string },
  act: () => Promise<T>,
): Promise<T> {
  const folder = (await ports.files.realPath(dirname(path))) ?? dirname(path);
  const real = (await ports.files.realPath(path)) ?? join(folder, basename(path));
  const lock = join(lockFolder, `backlog-${digest([real])}`);
  const facts = run === undefined ? {} : { run };
  const result = await acquireLock(ports, lock, facts, { waitMs: LOCK_WAIT_MS }).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
    const message = `cannot lock ${path}: ${errorMessage(error)}`;
    const hint = `make room, or make ${lockFolder} writable`;
    throw new UserError("environment", message, hint, { cause: error });
  });
  if ("heldBy" in result) {
    const { pid, host } = result.heldBy;
    const message = `${path} is kept locked by pid ${String(pid)} on ${host}`;
    throw new UserError("environment", message, "end that process, then try again");
  }
  try {
    // Every write is atomic, so a dead holder leaves nothing to repair; the writer removes its temporary files.
    await result.held.forgetDead();
    return await act();
  } finally {
    await result.held.release();
  }
}
