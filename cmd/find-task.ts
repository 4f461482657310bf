import { UserError } from "../src/system/errors.js";
import { nearest } from "../src/system/nearest.js";
import { didYouMean } from "../src/todo/problem.js";
import type { Task } from "../src/todo/task.js";

/**
 * The task that was named; one that is not there is a `usage` error, with what may have been meant. `unread`: why there may be
 * tasks that cannot be read.
 */
export function taskNamed(tasks: readonly Task[], id: string, unread?: string): Task {
  const found = tasks.find((task) => task.id === id);
  if (found !== undefined) return found;
  const near = nearest(
    id,
    tasks.map((task) => task.id),
  );
  const hint = didYouMean(near, unread ?? "looper ls lists them");
  throw new UserError("usage", `there is no task ${id}`, hint);
}
