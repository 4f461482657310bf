// Finds the questions that a person passed over by moving a task by hand. Pure.
import { findPassed } from "../advance.js";
import type { ProgressRow } from "../progress.js";
import type { Name, Workflow } from "../workflow.js";
import { arrowsOf, reachedFrom } from "./graph.js";

type Moved = Pick<ProgressRow, "stage" | "visits" | "facts" | "answered_stages">;

/**
 * The ask stages without an answer on every path from the first stage to the present one, in the order of the file. None unless a
 * person moved the row: the runner counts a visit of each stage that it enters.
 */
export function listPassedOver(workflow: Workflow, row: Moved, skip: readonly string[]): Name[] {
  const { stage: at, visits = {}, facts, answered_stages: answered = [] } = row;
  if (visits[at] !== undefined) return [];
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
