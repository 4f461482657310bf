// The two locks of a run: one run per backlog and per working tree (contract §4).
import { basename, dirname, join } from "node:path";
import type { Project } from "../../config/project/open-project.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { errorCode, errorMessage, UserError, environmentError } from "../../system/errors.js";
import { acquireLock, type HeldLock } from "../../system/files/lock.js";
import type { LockOwner } from "../../system/files/lock-owner.js";
import { markOf } from "../../system/processes/mark.js";
import type { Ports } from "../../system/ports.js";

/** The locks of a run, and the dead owners they were taken from. */
export interface RunLocks {
  dead: readonly LockOwner[];
  /** Forgets the dead owners, once their leftovers are removed. */
  forgetDead(): Promise<void>;
  describe(facts: { run: string; folder: string }): Promise<void>;
  release(): Promise<void>;
}

/** The log folders of dead runs, absolute, each once. */
export function foldersOf(dead: readonly LockOwner[]): readonly string[] {
  return [...new Set(dead.flatMap(({ folder }) => (folder === undefined ? [] : [folder])))];
}

/** The paths of a run's locks: one beside the backlog, one in the working tree's git folder (without git, also beside it). */
export function makeLockPaths(
  { realTodoFile, lockDir }: Pick<Project, "realTodoFile" | "lockDir">,
  gitDir?: string,
): readonly [string, string] {
  const tree = gitDir === undefined ? join(lockDir, "tree.run") : join(gitDir, "looper-run.lock.json");
  return [join(lockDir, `${basename(realTodoFile)}.run`), tree];
}

/** Takes both locks of a project; an `environment` error if another run holds one or they cannot be written. */
export async function takeRunLocks(
  ports: Ports,
  project: Pick<Project, "realTodoFile" | "lockDir">,
  repo: Pick<Repository, "gitDir"> | undefined,
): Promise<RunLocks> {
  const { lockDir } = project;
  const held: HeldLock[] = [];
  let folder = lockDir;
  const release = async (): Promise<void> => {
    for (const lock of held.splice(0).reverse()) await lock.release();
  };
  try {
    await ignoreInGit(ports, lockDir);
    for (const path of makeLockPaths(project, repo?.gitDir)) {
      folder = dirname(path);
      const taken = await acquireLock(ports, path, {}, { waitMs: 0 });
      if ("heldBy" in taken) throw makeHeldError(taken.heldBy, path);
      held.push(taken.held);
    }
  } catch (error) {
    await release();
    if (error instanceof UserError || errorCode(error) === undefined) throw error;
    throw environmentError(
      `cannot write the lock of this run in ${folder}: ${errorMessage(error)}`,
      `make ${folder} writable, or free some space`,
    );
  }
  return {
    dead: held.flatMap(({ dead }) => dead),
    forgetDead: async () => {
      for (const lock of held) await lock.forgetDead();
    },
    describe: async (facts) => {
      for (const lock of held) await lock.describe(facts);
    },
    release,
  };
}

/** Writes this process into its locks, and marks the processes that it starts; returns the mark. `folder`: of the run's log. */
export async function signLocks(
  { processes }: Pick<Ports, "processes">,
  locks: RunLocks,
  facts: { run: string; folder: string },
): Promise<string> {
  const mark = markOf(facts.folder);
  processes.mark(mark);
  await locks.describe(facts);
  return mark;
}

async function ignoreInGit({ files }: Ports, lockDir: string): Promise<void> {
  await files.makeFolder(lockDir);
  const path = join(lockDir, ".gitignore");
  if ((await files.stat(path)) === undefined) await files.writeAtomic(path, "*\n");
}

function makeHeldError(owner: LockOwner, path: string): UserError {
  const who =
    owner.token === ""
      ? "an unknown process"
      : `pid ${String(owner.pid)} on ${owner.host}, since ${owner.since}`;
  return environmentError(
    `another run works on this: ${who}${owner.run === undefined ? "" : ` (run ${owner.run})`}`,
    `wait for it, or stop it; if it is gone for good, remove ${path}`,
  );
}
