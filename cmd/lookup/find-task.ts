import { UserError } from "../../src/system/errors.js";
import type { Task } from "../../src/todo/model/task.js";
import { hintOnTask } from "../../src/todo/change/which-task.js";

/**
 * The task that was named; one that is not there is a `usage` error, with what may have been meant. `unread`: why there may be
 * tasks that cannot be read.
 */
export function taskNamed(tasks: readonly Task[], id: string, unread?: string): Task {
  const found = tasks.find((task) => task.id === id);
  if (found !== undefined) return found;
  throw new UserError("usage", `there is no task ${id}`, hintOnTask(tasks, id, unread));
}
