// Works out which changes of a pending commit are still missing in the backlog. Pure.
import { z } from "zod";
import type { Prepared } from "../../git/commit/commit.js";
import type { Change } from "../../todo/model/changes/change.js";
import type { Task, TaskId } from "../../todo/model/task.js";

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
