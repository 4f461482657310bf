// The differences between two versions of a backlog, as rows. Pure.
import type { BacklogIndex } from "../model/changes/change.js";
import { indexOf, rowOf, sameRow } from "../model/select.js";
import type { Backlog, IndexRow, Task, TaskId } from "../model/task.js";

/** Returns a backlog with its index, and the rows that were added, changed or removed since `before`. */
export function difference(
  before: Backlog,
  after: Backlog,
): { backlog: Backlog; index: BacklogIndex; changedRows: IndexRow[]; removed: TaskId[] } {
  const index = indexOf(after, before);
  const changed = { backlog: after, index };
  const inPlace = before.tasks.every(
    (task, at) => after.tasks[at] === task || after.tasks[at]?.id === task.id,
  );
  const places = inPlace ? undefined : new Map(before.tasks.map((task) => [task.id, task]));
  const isChanged = (task: Task, at: number): boolean => {
    const was = places === undefined ? before.tasks[at] : places.get(task.id);
    return was === undefined || !sameRow(was, task);
  };
  const changedRows = after.tasks.filter(isChanged).map(rowOf);
  if (inPlace) return { ...changed, changedRows, removed: [] };
  const left = new Set(after.tasks.map((task) => task.id));
  return { ...changed, changedRows, removed: [...(places?.keys() ?? [])].filter((id) => !left.has(id)) };
}
