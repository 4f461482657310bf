import fc from "fast-check";
import { expect, test } from "vitest";
import { findCycles } from "./cycles.js";

type Edges = readonly (readonly number[])[];

const graphs: fc.Arbitrary<Edges> = fc
  .integer({ min: 1, max: 7 })
  .chain((size) =>
    fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), { minLength: size, maxLength: size }),
  );

/** How many steps it takes from one node to another, at least one; infinite without a path. */
function distances(edges: Edges): number[][] {
  const far = edges.map((targets, node) =>
    edges.map((_, to) => (targets.includes(to) && to !== node ? 1 : Infinity)),
  );
  for (const via of edges.keys())
    for (const row of far)
      for (const to of edges.keys())
        row[to] = Math.min(row[to] ?? Infinity, (row[via] ?? Infinity) + (far[via]?.[to] ?? Infinity));
  return far;
}

/** The nodes that can all reach each other, by their first in the order. */
function groups(edges: Edges, order: (a: number, b: number) => number): number[][] {
  const far = distances(edges);
  const together = (a: number, b: number): boolean =>
    a === b || (far[a]?.[b] ?? Infinity) + (far[b]?.[a] ?? Infinity) < Infinity;
  const all = [...edges.keys()].map((node) =>
    [...edges.keys()].filter((other) => together(node, other)).sort(order),
  );
  return all.filter((group, node) => group.length > 1 && group[0] === node);
}

test("each group of nodes that reach each other has a cycle; cycles share no node and begin at their first", () => {
  fc.assert(
    fc.property(graphs, fc.boolean(), (edges, turned) => {
      const order = (a: number, b: number): number => (turned ? b - a : a - b);
      const cycles = findCycles(edges, order);
      for (const group of groups(edges, order))
        expect(cycles.filter(([first = -1]) => group.includes(first)).length).toBeGreaterThan(0);
      const all = cycles.flat();
      expect(new Set(all).size).toBe(all.length);
      for (const cycle of cycles) {
        expect(cycle.length).toBeGreaterThan(1);
        for (const [at, node] of cycle.entries()) expect(edges[node]).toContain(cycle[at + 1] ?? cycle[0]);
        expect(cycle.toSorted(order)[0]).toBe(cycle[0]);
      }
    }),
    { numRuns: 500 },
  );
});

test("a node that points to itself is not a cycle, and not part of one", () => {
  expect(findCycles([[0], []], (a, b) => a - b)).toEqual([]);
  expect(findCycles([[0, 1], [0]], (a, b) => a - b)).toEqual([[0, 1]]);
});
