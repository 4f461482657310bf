// Removes the edges of new tasks that would close a cycle. Linear, without recursion.
import type { TaskId } from "./task.js";

/** A task that is about to be added, with its dependencies. */
export interface Linked {
  id: TaskId;
  edges: TaskId[];
}

/** Removes each edge that closes a cycle, and reports it to `dropped`. Contract: only these tasks can be in a cycle. */
export function dropCycles(linked: readonly Linked[], dropped: (id: TaskId, target: TaskId) => void): void {
  const byId = new Map(linked.map((task) => [task.id, task]));
  const seen = new Set<Linked>();
  for (const start of linked) {
    const path = seen.has(start) ? [] : [{ task: start, next: 0 }];
    const onPath = new Set([start]);
    seen.add(start);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const { id, edges } = step.task;
      const target = edges[step.next];
      if (target === undefined) {
        path.pop();
        onPath.delete(step.task);
        continue;
      }
      const to = byId.get(target);
      if (to !== undefined && onPath.has(to)) {
        edges.splice(step.next, 1);
        dropped(id, target);
        continue;
      }
      step.next++;
      if (to === undefined || seen.has(to)) continue;
      seen.add(to);
      onPath.add(to);
      path.push({ task: to, next: 0 });
    }
  }
}
