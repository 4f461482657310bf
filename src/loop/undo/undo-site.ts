// The resources of an undo: the repository, the store, both locks, and the cleanup after a killed program.
// undo.ts decides what to undo.
import { openProjectRepository, type ProjectSite } from "../runs/run-request.js";
import { join } from "node:path";
import type { Project } from "../../config/project/open-project.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { formatStamp } from "../../logging/run-log.js";
import { usageError } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import type { Change } from "../../todo/model/changes/change.js";
import type { CheckOptions } from "../../todo/check/check.js";
import { openStore, type Store, type ChangeOptions, type Changed } from "../../todo/store/store.js";
import type { Backlog } from "../../todo/model/task.js";
import { signLocks, takeRunLocks, type RunLocks } from "../runs/locks.js";
import { recoverRun } from "../runs/recover.js";

/** A project whose locks are held. */
export interface UndoSite extends ProjectSite {
  repo: Repository;
  store: Store;
  locks: RunLocks;
}

/** Opens the repository and takes the locks; throws a `UserError` without git or if another run holds them. */
export async function openSite(
  ports: Ports,
  project: Project,
  { env, check }: { env: Readonly<Record<string, string>>; check: CheckOptions },
): Promise<UndoSite> {
  const { todoFile, lockDir } = project;
  const repo = await openProjectRepository(
    { ports, project, env },
    {
      lacking: "nothing to undo with",
      hint: 'without git a task\'s changes are not recorded; set its status to "todo" to have it done again',
    },
  );
  const locks = await takeRunLocks(ports, project, repo);
  const store = openStore(ports, todoFile, { lockFolder: lockDir, check });
  return { ports, project, repo, store, locks };
}

/** Cleans up after a dead owner of the locks, as a run does, and writes this process into them; returns its mark. */
export async function takeOver(
  { ports, project, repo, locks }: Omit<UndoSite, "store">,
  command: "undo" | "explain" = "undo",
): Promise<string> {
  await recoverRun(ports, locks, repo);
  const run = `${command}-${formatStamp(ports.clock.now())}`;
  const folder = join(project.logDir, "runs", run);
  return signLocks(ports, locks, { run, folder });
}

/** Reads the backlog; an unusable one is a `usage` error. */
export async function readBacklog({ store, project }: UndoSite): Promise<Backlog> {
  const read = await store.read();
  if (read.kind === "ok") return read.backlog;
  if (read.kind === "missing") throw usageError(`task file ${project.todoFile} does not exist`);
  if (read.kind === "empty") throw usageError(`${project.todoFile} has no tasks`);
  const [first] = read.problems;
  const where = first === undefined ? "" : `: line ${String(first.line)}: ${first.message}`;
  throw usageError(`${project.todoFile} is not valid${where}`, "looper validate shows every problem");
}

/** Has the store apply changes to the newest backlog. */
export async function changeBacklog(
  { store }: UndoSite,
  changes: readonly Change[],
  beforeWrite?: ChangeOptions["beforeWrite"],
): Promise<Changed> {
  const changed = await store.change(changes, {
    while: "idle",
    finished: new Set(),
    beforeWrite,
  });
  if (changed.ok) return changed.value;
  throw new Error("cannot change the backlog: it was never read");
}
