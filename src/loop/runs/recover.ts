// Recovers from a dead run: ends its processes and waits for them, removes its git locks, finds its pending commit, and which changes
// of that are still missing in the backlog. Without one the task in hand is still `doing`: it is chosen first, on its old checkpoint.
import { withHint } from "../../git/base/git.js";
import { basename } from "node:path";
import { markOf } from "../../system/processes/mark.js";
import type { EventOf } from "../../logging/events/events.js";
import { assertUnlocked, removeStaleLocks } from "../../git/base/locks.js";
import { readPending, type Prepared } from "../../git/commit/commit.js";
import { removeStaleRooms } from "../../git/room/room.js";
import type { Repository } from "../../git/base/repository/repository.js";
import type { Ports } from "../../system/ports.js";
import { foldersOf, type RunLocks } from "./locks.js";
import { TaskId, type Task } from "../../todo/model/task.js";
import { z } from "zod";
import type { Change } from "../../todo/model/changes/change.js";

/** Cleans up after dead runs and reports it in one event. Contract: called before anything is read. */
export async function recoverRun(
  ports: Ports,
  locks: RunLocks,
  repo: Repository | undefined,
): Promise<EventOf<"recovered">> {
  const { dead } = locks;
  const killed: number[] = [];
  const left: number[] = [];
  const folders = foldersOf(dead);
  for (const folder of folders) {
    const swept = await ports.processes.sweep(markOf(folder));
    killed.push(...swept.killed);
    left.push(...swept.left);
  }
  // A lock that could not be read has no time.
  const since = Math.min(...dead.map((owner) => Date.parse(owner.since)).filter((at) => !Number.isNaN(at)));
  const removed = repo === undefined || dead.length === 0 ? [] : await removeStaleLocks(repo, { since });
  if (repo !== undefined) await assertUnlocked(repo);
  if (repo !== undefined && dead.length > 0) await removeStaleRooms(repo);
  const found = repo && (await withHint("git cannot read this repository", () => readPending(repo)));
  // While a process of the dead run is left, the next start sweeps again.
  if (left.length === 0) await locks.forgetDead();
  return {
    type: "recovered",
    pending: found && { commit: found.commit, task_id: TaskId.safeParse(found.taskId).data },
    took_over: folders[0] && basename(folders[0]),
    killed: killed.length,
    left,
    locks_removed: removed,
  };
}

const Facts = z.object({
  changes: z.array(z.custom<Change>()),
  undone: z
    .array(z.object({ task: z.string(), title: z.string(), commit: z.string().optional() }))
    .optional(),
});

/** The facts that a pending commit carries beside its tree. `undone`: the tasks it undoes; the working tree must follow it. */
export type PendingFacts = z.infer<typeof Facts>;

/** Reads the facts, with only the changes that the backlog does not have yet; no changes if the facts cannot be read. */
export function readMissingFacts(prepared: Pick<Prepared, "facts">, tasks: readonly Task[]): PendingFacts {
  const facts = Facts.safeParse(prepared.facts);
  if (!facts.success) return { changes: [] };
  const { changes } = facts.data;
  const statuses = new Map(tasks.map(({ id, status }) => [id, status]));
  const isDone = (id: TaskId): boolean | undefined => {
    const status = statuses.get(id);
    return status === undefined ? undefined : status === "done";
  };
  // If the task is finished or gone, only the commit is missing, and the new tasks with it must not be added twice.
  const finished = changes.some((change) => change.op === "finish" && isDone(change.id) !== false);
  const missing = changes.filter((change) => change.op !== "reopen" || isDone(change.id) === true);
  return { ...facts.data, changes: finished ? [] : missing };
}
