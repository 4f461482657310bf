// Finds cycles in a graph by walking it depth first, without recursion and in linear time. The caller knows the meaning of
// the nodes.

/** `edges[n]` are the nodes that n points to. */
export type Edges = readonly (readonly number[])[];

/**
 * Calls `back` for each edge that closes a cycle: `path` are the nodes on the way to its beginning, `at` is the place of its
 * target among them. Without these edges the graph has no cycle.
 */
export function findBackEdges(edges: Edges, back: (path: readonly number[], at: number) => void): void {
  const seen = new Set<number>();
  const placeOf = new Map<number, number>();
  const path: number[] = [];
  const next: number[] = [];
  const enter = (node: number): void => {
    seen.add(node);
    placeOf.set(node, path.length);
    path.push(node);
    next.push(0);
  };
  for (const root of edges.keys()) {
    if (!seen.has(root)) enter(root);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const edge = next[path.length - 1] ?? 0;
      next[path.length - 1] = edge + 1;
      const target = edges[node]?.[edge];
      const at = target === undefined ? undefined : placeOf.get(target);
      if (target === undefined) {
        path.pop();
        next.pop();
        placeOf.delete(node);
      } else if (at !== undefined) back(path, at);
      else if (!seen.has(target)) enter(target);
    }
  }
}

/**
 * Returns cycles that share no node, at least one for each set of nodes that can all reach each other. Each begins at the first
 * of its nodes by `compare`. Edges of a node to itself do not count.
 */
export function findCycles(edges: Edges, compare: (a: number, b: number) => number): number[][] {
  const found: number[][] = [];
  /** Nodes of these cycles, and others that reach them and are reached. */
  const told = new Set<number>();
  findBackEdges(edges, (path, at) => {
    if (at === path.length - 1) return;
    let place = path.length - 1;
    for (let node = path[place]; node !== undefined && place >= at && !told.has(node); node = path[--place])
      told.add(node);
    if (place >= at) return;
    const cycle = path.slice(at);
    const first = cycle.reduce((a, b) => (compare(b, a) < 0 ? b : a));
    const turn = cycle.indexOf(first);
    found.push([...cycle.slice(turn), ...cycle.slice(0, turn)]);
  });
  return found;
}
