// The answer of `looper run --dry-run --json`. Pure. Leaves the plan to src/loop/start/plan-run.ts.
import type { RunPlan } from "../../../loop/start/plan-run.js";
import type { RunDryRunAnswer } from "../../shapes/runs.js";

/** The first step with its prompt, and every step that would follow. */
export function planAnswer(plan: RunPlan): RunDryRunAnswer {
  if ("nothing" in plan) return { nothing: plan.nothing };
  const { prompt, steps } = plan;
  const [first] = steps;
  if (first === undefined) return { nothing: "nothing is ready" };
  const { iteration: _first, ...step } = first;
  return { ...step, prompt, steps };
}
