// The answer of `looper clean --json`. Pure. Leaves the plan and removing runs to src/loop/runs/clean-logs.ts.
import type { Cleaned, CleanPlan, LogSurvey } from "../../../loop/runs/clean-logs.js";
import type { CleanAnswer } from "../../shapes/runs.js";

/** The removed runs and those that stay. Without `cleaned` nothing was removed: the answer of `--dry-run`. */
export function cleanAnswer(
  survey: LogSurvey,
  plan: CleanPlan,
  { cleaned, copies }: { cleaned: Cleaned | undefined; copies: readonly string[] },
): CleanAnswer {
  const { removed, refs } = cleaned ?? { removed: plan.remove, refs: null };
  return {
    dry_run: cleaned === undefined,
    removed: [...removed],
    bytes: removed.reduce((sum, one) => sum + one.bytes, 0),
    refs,
    finished: [...survey.going],
    stay: [...plan.stay],
    kept: survey.runs.length - removed.length,
    foreign: survey.foreign,
    others: [...survey.others],
    copies: [...copies],
  };
}
