// Does a backlog keep the rules beyond its shape? Yes or no, in one look at each dependency; only on no does rules.ts find the
// words.
import type { Backlog, Task } from "../model/task.js";

/**
 * Whether ids are unique, dependencies exist and make no cycle, and agents exist. `agentNames`: the agents a task may name;
 * without it any name will do.
 */
export function isSound({ tasks }: Backlog, agentNames?: readonly string[]): boolean {
  const places = new Map<string, number>();
  let place = 0;
  for (const { id } of tasks) places.set(id, place++);
  if (places.size < tasks.length) return false;
  // Where every task waits for earlier ones only, the file's own order shows that there is no cycle.
  let isInOrder = true;
  let at = 0;
  for (const { depends_on: edges = [], agent } of tasks) {
    if (agent !== undefined && agentNames?.includes(agent) === false) return false;
    for (const id of edges) {
      const to = places.get(id);
      if (to === undefined || to === at) return false;
      if (to > at) isInOrder = false;
    }
    at++;
  }
  return isInOrder || isAcyclic(tasks, places);
}

/** Takes away tasks that wait for none that is left, until nothing is; in a cycle each waits for another. */
function isAcyclic(tasks: readonly Task[], places: ReadonlyMap<string, number>): boolean {
  const waiting: number[][] = tasks.map(() => []);
  const left = tasks.map(({ depends_on: edges = [] }, at) => {
    for (const id of edges) waiting[places.get(id) ?? 0]?.push(at);
    return edges.length;
  });
  const free = tasks.flatMap((_, at) => (left[at] === 0 ? [at] : []));
  // The loop also visits the entries it adds.
  for (const at of free) {
    for (const next of waiting[at] ?? []) {
      const fewer = (left[next] ?? 0) - 1;
      left[next] = fewer;
      if (fewer === 0) free.push(next);
    }
  }
  return free.length === tasks.length;
}
