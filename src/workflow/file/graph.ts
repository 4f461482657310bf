// Follows the arrows of a workflow: which stages can be reached from one, and which questions a person passed over. Pure.
import { findPassed, toTarget, wasMovedByHand } from "../advance.js";
import type { ProgressRow } from "../progress.js";
import { doneBy } from "../stage-kinds.js";
import type { Name, Stage, Workflow } from "../workflow.js";

/** The targets of each stage, the two ends included. */
type Arrows = ReadonlyMap<Name, readonly Name[]>;

export function arrowsOf(stages: Readonly<Record<Name, Stage>>): Arrows {
  return new Map(
    Object.entries(stages).map(([name, { next }]) => [
      name,
      Object.values(next).map((target) => toTarget(target).to),
    ]),
  );
}

/** Every name that can be reached from one, with the least number of arrows that lead there; itself included. */
export function reachedFrom(arrows: Arrows, start: Name): ReadonlyMap<Name, number> {
  const reached = new Map([[start, 0]]);
  // A map is read in the order in which it grows.
  for (const [name, steps] of reached)
    for (const target of arrows.get(name) ?? []) if (!reached.has(target)) reached.set(target, steps + 1);
  return reached;
}

/**
 * Every name that can be reached from one without a person: an ask stage is entered and not left, except by its `else`.
 */
export function reachedWithoutAsking(stages: Readonly<Record<Name, Stage>>, start: Name): Name[] {
  const arrows = Object.entries(stages).map(([name, stage]) => [name, listUnasked(stage)] as const);
  return [...reachedFrom(new Map(arrows), start).keys()];
}

function listUnasked(stage: Stage): Name[] {
  const { kind, next } = stage;
  const outcomes = doneBy(kind) === "person" ? [stage.else ?? ""] : Object.keys(next);
  return outcomes.flatMap((outcome) => {
    const target = Object.hasOwn(next, outcome) ? next[outcome] : undefined;
    return target === undefined ? [] : toTarget(target).to;
  });
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
    if (doneBy(kind) !== "person" || name === at || answered.includes(name)) return [];
    const around = new Map(arrows).set(name, []);
    const isAround = name !== workflow.start && reachedFrom(around, workflow.start).has(at);
    return isAround || findPassed(workflow, name, { facts, skip }) !== undefined ? [] : [name];
  });
}
