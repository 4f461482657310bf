// Checks whether a backlog meets the rules beyond its shape, looking at each dependency once. Only if it does not,
// rules.ts finds the problems.
import type { Backlog, Task } from "../model/task.js";

/**
 * Whether ids are unique, dependencies exist without a cycle, and agents exist. `agentNames`: the agents that a task may
 * name; without it, any name is valid.
 */
export function isSound({ tasks }: Backlog, agentNames?: readonly string[]): boolean {
  const places = new Map<string, number>();
  let place = 0;
  for (const { id } of tasks) places.set(id, place++);
  if (places.size < tasks.length) return false;
  // If every task waits only for earlier ones, the file's order proves that a cycle is impossible.
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

/** Removes tasks without remaining dependencies until none is left; the tasks of a cycle always remain. */
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
