// Finds the questions that a person passed over by moving a task by hand. Pure.
import { findPassed, wasMovedByHand } from "../advance.js";
import type { ProgressRow } from "../progress.js";
import type { Name, Workflow } from "../workflow.js";
import { arrowsOf, reachedFrom } from "./graph.js";

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

function without(arrows: ReturnType<typeof arrowsOf>, name: Name): ReturnType<typeof arrowsOf> {
  return new Map([...arrows].map(([from, targets]) => [from, from === name ? [] : targets]));
}
