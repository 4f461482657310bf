// The visits whose changes a person or an outcome dropped ("discard"): what they reported as done is not done any more. Pure.
import { findShownStage, toTarget } from "../advance.js";
import type { Progress } from "../progress.js";
import type { Workflow } from "../workflow.js";

/** Whether the changes of a visit were dropped. */
export function isDropped(
  workflow: Workflow,
  { answers = [], visits }: Pick<Progress, "answers" | "visits">,
  { stage, visit, outcome }: { stage: string; visit: number; outcome?: string | undefined },
): boolean {
  if (discards(workflow, stage, outcome) && workflow.stages[stage]?.kind === "work") return true;
  return answers.some(({ question, stage: ask = "", outcome: answered }) => {
    const at = Number(/\.(\d+)$/u.exec(question)?.[1]);
    if (!(visit < at) || !discards(workflow, ask, answered)) return false;
    return findShownStage(workflow, ask, { visits }) === stage;
  });
}

function discards({ stages }: Workflow, stage: string, outcome: string | undefined): boolean {
  const target = outcome === undefined ? undefined : stages[stage]?.next[outcome];
  return target !== undefined && toTarget(target).discard === true;
}
