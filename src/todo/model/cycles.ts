// Finds cycles in a graph, without recursion and in linear time. The caller knows the meaning of the nodes.

interface Visit {
  node: number;
  /** The node's number in the order of visits; 0 = not visited yet. */
  met: number;
  /** The lowest number that can be reached from here. */
  low: number;
  /** Its component is not complete yet. */
  open: boolean;
  /** The edge to follow next. */
  next: number;
}

/**
 * Returns one cycle for each set of nodes that can all reach each other: a shortest one that begins at the first of them
 * by `compare`. `edges[n]` are the nodes that n points to; edges of a node to itself do not count.
 */
export function findCycles(
  edges: readonly (readonly number[])[],
  compare: (a: number, b: number) => number,
): number[][] {
  return components(edges)
    .filter((component) => component.length > 1)
    .map((component) => cycleThroughFirst(component, edges, compare));
}

/** Tarjan's strongly connected components, with an own stack. */
function components(edges: readonly (readonly number[])[]): number[][] {
  const visits = edges.map((_, node): Visit => ({ node, met: 0, low: 0, open: false, next: 0 }));
  const found: number[][] = [];
  const open: Visit[] = [];
  let count = 0;
  for (const root of visits) {
    const path = root.met === 0 ? [root] : [];
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      if (at.met === 0) {
        at.met = at.low = ++count;
        at.open = true;
        open.push(at);
      }
      const target = edges[at.node]?.[at.next++];
      const to = target === undefined ? undefined : visits[target];
      if (to !== undefined) {
        if (to.met === 0) path.push(to);
        else if (to.open) at.low = Math.min(at.low, to.met);
        continue;
      }
      path.pop();
      const before = path.at(-1);
      if (before !== undefined) before.low = Math.min(before.low, at.low);
      if (at.low === at.met) found.push(close(open, at));
    }
  }
  return found;
}

function close(open: Visit[], root: Visit): number[] {
  const component: number[] = [];
  for (;;) {
    const visit = open.pop();
    if (visit === undefined) return component;
    visit.open = false;
    component.push(visit.node);
    if (visit === root) return component;
  }
}

function cycleThroughFirst(
  component: readonly number[],
  edges: readonly (readonly number[])[],
  compare: (a: number, b: number) => number,
): number[] {
  const inside = new Set(component);
  const first = component.reduce((a, b) => (compare(b, a) < 0 ? b : a));
  const cameFrom = new Map<number, number>();
  const reached = new Set([first]);
  // The loop also visits nodes added during it: breadth first, so the first path back is a shortest one.
  for (const node of reached) {
    for (const to of edges[node] ?? []) {
      if (to === first && node !== first) return wayTo(node, cameFrom);
      if (!inside.has(to) || reached.has(to)) continue;
      reached.add(to);
      cameFrom.set(to, node);
    }
  }
  throw new Error("a component without a cycle");
}

function wayTo(node: number, cameFrom: ReadonlyMap<number, number>): number[] {
  const way: number[] = [];
  for (let at: number | undefined = node; at !== undefined; at = cameFrom.get(at)) way.push(at);
  return way.reverse();
}
