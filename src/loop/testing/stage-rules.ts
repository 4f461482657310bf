// The rules of simulated runs whose tasks go through workflows.
import type { Rules } from "../../logging/rules.js";
import type { Workflow } from "../../workflow/workflow.js";

/** The rules of a run whose tasks go through this workflow. */
export function stageRules(workflow: Workflow, rules: Partial<Rules> = {}): Partial<Rules> {
  return {
    review: false,
    workflow: workflow.name,
    workflows: { [workflow.name]: { digest: `digest of ${workflow.name}`, workflow } },
    ...rules,
  };
}
