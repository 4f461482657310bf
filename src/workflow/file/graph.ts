// Follows the arrows of a workflow: which stages can be reached, and from which ones an end can be reached. Pure, without
// recursion: a file may have thousands of stages.
import { findPassed, toTarget, wasMovedByHand } from "../advance.js";
import type { ProgressRow } from "../progress.js";
import type { Name, Stage, Workflow } from "../workflow.js";

/** The targets of each stage, the two ends included. */
export type Arrows = ReadonlyMap<Name, readonly Name[]>;

export function arrowsOf(stages: Readonly<Record<Name, Stage>>): Arrows {
  return new Map(
    Object.entries(stages).map(([name, { next }]) => [
      name,
      Object.values(next).map((target) => toTarget(target).to),
    ]),
  );
}

/** Every name that can be reached from one, itself included. */
export function reachedFrom(arrows: Arrows, start: Name): Set<Name> {
  const reached = new Set([start]);
  const waiting = [start];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const target of arrows.get(name) ?? []) {
      if (reached.has(target)) continue;
      reached.add(target);
      waiting.push(target);
    }
  }
  return reached;
}

/**
 * Every name that can be reached from one without a person: an ask stage is entered and not left, except by its `else`.
 */
export function reachedWithoutAsking(stages: Readonly<Partial<Record<Name, Stage>>>, start: Name): Set<Name> {
  const arrows = new Map(
    Object.entries(stages).map(([name, stage]): [Name, Name[]] => [name, listUnasked(stage)]),
  );
  return reachedFrom(arrows, start);
}

function listUnasked(stage: Stage | undefined): Name[] {
  if (stage === undefined) return [];
  const { kind, next } = stage;
  const outcomes = kind === "ask" ? [stage.else ?? ""] : Object.keys(next);
  return outcomes.flatMap((outcome) => {
    const target = Object.hasOwn(next, outcome) ? next[outcome] : undefined;
    return target === undefined ? [] : toTarget(target).to;
  });
}

/** Every stage from which one of the targets can be reached. */
export function leadingTo(arrows: Arrows, targets: readonly Name[]): Set<Name> {
  const backwards = new Map<Name, Name[]>();
  for (const [from, to] of arrows) {
    for (const target of to) {
      const list = backwards.get(target);
      if (list === undefined) backwards.set(target, [from]);
      else list.push(from);
    }
  }
  const leading = new Set(targets.flatMap((target) => [...reachedFrom(backwards, target)]));
  for (const target of targets) leading.delete(target);
  return leading;
}

/** The least number of arrows that lead from one name to another; `undefined` if none do. */
export function stepsTo(arrows: Arrows, start: Name, target: Name): number | undefined {
  const reached = new Set([start]);
  let edge = [start];
  for (let steps = 0; edge.length > 0; steps++) {
    if (edge.includes(target)) return steps;
    edge = edge
      .flatMap((name) => arrows.get(name) ?? [])
      .filter((name) => !reached.has(name) && reached.add(name).size > 0);
  }
  return undefined;
}

type Moved = Pick<ProgressRow, "stage" | "visit" | "visits" | "facts" | "answered_stages">;

/**
 * The ask stages without an answer on every path from the first stage to the present one, in the order of the file, or
 * to `finish`. None unless a person moved the row.
 */
export function listPassedOver(workflow: Workflow, row: Moved, skip: readonly string[]): Name[] {
  const { stage: at, facts, answered_stages: answered = [] } = row;
  if (!wasMovedByHand(row)) return [];
  const arrows = arrowsOf(workflow.stages);
  if (!reachedFrom(arrows, workflow.start).has(at)) return [];
  return Object.entries(workflow.stages).flatMap(([name, { kind }]) => {
    if (kind !== "ask" || name === at || answered.includes(name)) return [];
    const isAround = name !== workflow.start && reachedFrom(without(arrows, name), workflow.start).has(at);
    return isAround || findPassed(workflow, name, { facts, skip }) !== undefined ? [] : [name];
  });
}

function without(arrows: Arrows, name: Name): Arrows {
  return new Map([...arrows].map(([from, targets]) => [from, from === name ? [] : targets]));
}
