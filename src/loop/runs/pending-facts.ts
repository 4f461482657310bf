// What is left to be done of a commit that a killed program had built and not finished. Pure.
import { z } from "zod";
import type { Prepared } from "../../git/commit/pending.js";
import type { Change } from "../../todo/model/change.js";
import type { Task, TaskId } from "../../todo/model/task.js";

const Facts = z.object({
  changes: z.array(z.custom<Change>()),
  undone: z
    .array(z.object({ task: z.string(), title: z.string(), commit: z.string().optional() }))
    .optional(),
});

/** What a pending commit carries beside its tree. `undone`: it undoes these tasks, and the working tree is to follow. */
export type PendingFacts = z.infer<typeof Facts>;

/** Its facts, with those changes alone that the backlog does not hold yet; none where they cannot be read. */
export function missingOf(prepared: Pick<Prepared, "facts">, tasks: readonly Task[]): PendingFacts {
  const facts = Facts.safeParse(prepared.facts);
  if (!facts.success) return { changes: [] };
  const { changes } = facts.data;
  const statuses = new Map(tasks.map(({ id, status }) => [id, status]));
  const isDone = (id: TaskId): boolean | undefined => {
    const status = statuses.get(id);
    return status === undefined ? undefined : status === "done";
  };
  // Written already, or never to be: then only the commit is missing, and what came with it is not to be added twice.
  const finished = changes.some((change) => change.op === "finish" && isDone(change.id) !== false);
  const missing = changes.filter((change) => change.op !== "reopen" || isDone(change.id) === true);
  return { ...facts.data, changes: finished ? [] : missing };
}
