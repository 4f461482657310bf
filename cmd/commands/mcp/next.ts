// Which task comes next, for tools. Pure.
import { rowOf, selectTask, statusesOf } from "../../../src/todo/model/select.js";
import type { Task, TaskId } from "../../../src/todo/model/task.js";

/** The next task of a run that begins now; with `inHand` of the run in progress, once that task is done. */
export function selectNext(tasks: readonly Task[], inHand?: string): object {
  const rows = tasks.map((task) => rowOf(task.id === inHand ? { ...task, status: "done" as const } : task));
  const selection = selectTask(
    rows,
    {
      attempts: new Map<TaskId, number>(),
      maxAttempts: 1,
      blockedAtStart: new Set<TaskId>(),
      finalForRun: new Set<TaskId>(),
    },
    statusesOf(rows),
  );
  if ("none" in selection) {
    const why = selection.none === "all-done" ? "every task is done" : "nothing is ready";
    return { next: null, message: `There is no next task: ${why}.` };
  }
  const { picked, candidates } = selection;
  const task = tasks.find(({ id }) => id === picked.id);
  if (task === undefined) return { next: null };
  const { progress: _progress, meta: _meta, ...rest } = task;
  return { next: rest, candidates };
}
