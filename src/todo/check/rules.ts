// Checks the rules beyond the shape (contract §3.3): unique ids, dependencies that exist without a cycle, agents that
// exist. Works on any parsed value, valid or not, so that every problem is reported at once. shape.ts checks the shape.
import { nearest } from "../../system/text/nearest.js";
import { findCycles } from "../model/cycles.js";
import { compareIds } from "../model/order.js";
import { didYouMean, show, type UnplacedProblem } from "../model/problem.js";

/** The fields of a task that the rules read; fields of a wrong type are left out. */
interface Entry {
  /** Its place in `tasks`. */
  index: number;
  id: string | undefined;
  depends_on: { id: string; index: number }[];
  agent: string | undefined;
}

/** After this many comparisons suggestions stop, so that a file full of mistakes does not take minutes. */
const MOST_COMPARISONS = 2_000_000;
/** How many ids at each end of a long cycle are shown. */
const SHOWN_ENDS = 10;

/** Finds every broken rule. `agentNames`: the agents that a task may name; without it, any name is valid. */
export function checkRules(value: unknown, agentNames?: readonly string[]): UnplacedProblem[] {
  const entries = entriesOf(value);
  const byId = new Map<string, Entry>();
  const findings: UnplacedProblem[] = [];
  for (const entry of entries) {
    const { id, index } = entry;
    if (id === undefined) continue;
    const first = byId.get(id);
    if (first === undefined) byId.set(id, entry);
    else findings.push(duplicateId(id, index, first.index));
  }
  for (const entry of entries) {
    if (agentNames !== undefined) findings.push(...unknownAgent(entry, agentNames));
  }
  return [...findings, ...badEdges(entries, byId), ...cycles(byId)];
}

function entriesOf(value: unknown): Entry[] {
  const tasks = property(value, "tasks");
  if (!Array.isArray(tasks)) return [];
  return tasks.map((task: unknown, index) => {
    const edges: unknown = property(task, "depends_on");
    const depends_on = (Array.isArray(edges) ? edges : []).flatMap((id: unknown, at) =>
      typeof id === "string" ? [{ id, index: at }] : [],
    );
    return { index, id: text(property(task, "id")), depends_on, agent: text(property(task, "agent")) };
  });
}

/** An own property of any value. */
export function property(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function duplicateId(id: string, index: number, first: number): UnplacedProblem {
  return {
    rule: "duplicate-id",
    pointer: `/tasks/${index}/id`,
    message: `the id ${show(id)} is taken by the task at /tasks/${first}`,
    suggestion: "give it an id of its own",
  };
}

function unknownAgent({ agent, index }: Entry, names: readonly string[]): UnplacedProblem[] {
  if (agent === undefined || names.includes(agent)) return [];
  return [
    {
      rule: "unknown-agent",
      pointer: `/tasks/${index}/agent`,
      message: `there is no agent ${show(agent)}`,
      suggestion: didYouMean(nearest(agent, names), `known are ${names.join(", ")}`),
    },
  ];
}

function badEdges(entries: readonly Entry[], byId: ReadonlyMap<string, Entry>): UnplacedProblem[] {
  const ids = [...byId.keys()];
  let comparisons = 0;
  const findings: UnplacedProblem[] = [];
  for (const entry of entries) {
    for (const edge of entry.depends_on) {
      const pointer = `/tasks/${entry.index}/depends_on/${edge.index}`;
      if (edge.id === entry.id) {
        const message = `${show(edge.id)} depends on itself`;
        findings.push({ rule: "self-dependency", pointer, message, suggestion: "remove it" });
      } else if (!byId.has(edge.id)) {
        comparisons += ids.length;
        const near = comparisons > MOST_COMPARISONS ? undefined : nearest(edge.id, ids);
        const message = `there is no task ${show(edge.id)}`;
        const suggestion = didYouMean(near, "remove it, or add that task");
        findings.push({ rule: "unknown-dependency", pointer, message, suggestion });
      }
    }
  }
  return findings;
}

function cycles(byId: ReadonlyMap<string, Entry>): UnplacedProblem[] {
  const entries = [...byId.values()];
  const numbers = new Map(entries.map((entry, number) => [entry.id, number]));
  const edges = entries.map((entry) => entry.depends_on.flatMap((edge) => numbers.get(edge.id) ?? []));
  // If every task waits only for earlier ones, the file's order proves that a cycle is impossible.
  if (edges.every((targets, number) => targets.every((target) => target < number))) return [];
  const idOf = (number: number): string => entries[number]?.id ?? "";
  const found = findCycles(edges, (a, b) => compareIds(idOf(a), idOf(b)));
  return found.map((cycle) => {
    const first = entries[cycle[0] ?? 0];
    const ids = cycle.map(idOf);
    const edge = first?.depends_on.find(({ id }) => id === ids[1]);
    return {
      rule: "cycle",
      pointer: `/tasks/${first?.index ?? 0}/depends_on/${edge?.index ?? 0}`,
      message: `these tasks wait for each other: ${shownCycle(ids)}`,
      suggestion: "remove one of these dependencies",
    };
  });
}

function shownCycle(ids: readonly string[]): string {
  const closed = [...ids, ids[0] ?? ""];
  const left = closed.length - 2 * SHOWN_ENDS;
  if (left <= 1) return closed.join(" → ");
  return [...closed.slice(0, SHOWN_ENDS), `… ${left} more …`, ...closed.slice(-SHOWN_ENDS)].join(" → ");
}
