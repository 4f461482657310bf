// The answer of `looper clean --json`. Pure. Leaves the plan and removing to src/loop/runs/clean-*.ts.
import type { Cleaned, CleanPlan, LogSurvey } from "../../../loop/runs/clean-logs.js";
import type { CleanedSessions, SessionPlan } from "../../../loop/runs/clean-sessions.js";
import type { CleanAnswer } from "../../shapes/runs.js";

/** The removed runs and those that stay. Without `cleaned` nothing was removed: the answer of `--dry-run`. */
export function cleanAnswer(
  survey: LogSurvey,
  plan: CleanPlan,
  {
    cleaned,
    copies,
    sessions,
  }: { cleaned: Cleaned | undefined; copies: readonly string[]; sessions: CleanAnswer["sessions"] },
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
    sessions,
  };
}

/** The part of the sessions. Without `cleaned` nothing was removed. */
export function cleanSessionsAnswer(
  plan: SessionPlan,
  cleaned: CleanedSessions | undefined,
): CleanAnswer["sessions"] {
  const { removed, refs } = cleaned ?? { removed: plan.remove, refs: null };
  return {
    removed: [...removed],
    bytes: removed.reduce((sum, one) => sum + one.bytes, 0),
    refs,
    finished: [...plan.going],
    stay: [...plan.stay],
    kept: plan.known - removed.length,
  };
}
