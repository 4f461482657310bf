// The answers of `looper runs`, `stop`, `run --dry-run`, `replay` and `clean` with --json. Pure.
import type { RunSummary } from "../../../logging/run-summaries.js";
import type {
  RunsAnswer,
  StopAnswer,
  RunDryRunAnswer,
  ReplayAnswer,
  ReplayAtAnswer,
  CleanAnswer,
} from "../../shapes/runs.js";
import type { StoppedRun } from "../../../loop/runs/live-run.js";
import type { RunPlan } from "../../../loop/start/plan-run.js";
import type { ExplainedDecision, Replayed } from "../../../loop/replay/replay.js";
import type { Cleaned, CleanPlan, LogSurvey } from "../../../loop/runs/clean-logs.js";
import type { CleanedSessions, SessionPlan } from "../../../loop/runs/clean-sessions.js";

type Row = RunsAnswer["runs"][number];

/** Whether a run or a release was refused before any work: no task was read, and no agent was started. */
export function wasRefused({ ending, tasks, iterations, tokens }: Row): boolean {
  const isRefusal = ending === "environment" || ending === "unusable-backlog" || ending === "blocked";
  return isRefusal && tasks === 0 && iterations === 0 && tokens === 0;
}

/** One run. `isLive`: it is in progress. */
export function runRow({ run, folder, started, workflow, last, ended }: RunSummary, isLive: boolean): Row {
  const totals = ended?.totals;
  const lasted = Date.parse(last ?? "") - Date.parse(started ?? "");
  return {
    run,
    folder,
    started: started ?? null,
    state: ended !== undefined ? "ended" : isLive ? "running" : "killed",
    ending: ended?.ending ?? null,
    done: totals?.done ?? null,
    tasks: totals?.tasks ?? null,
    iterations: totals?.iterations ?? null,
    duration_ms: totals?.duration_ms ?? (Number.isNaN(lasted) ? null : lasted),
    tokens:
      totals === undefined
        ? null
        : totals.input_tokens + (totals.cached_input_tokens ?? 0) + totals.output_tokens,
    cost_usd: totals?.cost_usd ?? null,
    cost_partly: totals?.cost_partly === true,
    workflow,
  };
}

/** Which run was stopped, and whether it has ended. */
export function stopAnswer({ live, ended }: StoppedRun): StopAnswer {
  return { run: live.run, ended };
}

/** The first step with its prompt, and every step that would follow. */
export function planAnswer(plan: RunPlan): RunDryRunAnswer {
  if ("nothing" in plan) return { nothing: plan.nothing };
  const { prompt, steps } = plan;
  const [first] = steps;
  if (first === undefined) return { nothing: "nothing is ready" };
  const { iteration: _first, ...step } = first;
  return { ...step, prompt, steps };
}

/** The comparison of every decision of a run. */
export function replayAnswer(run: string, replayed: Replayed): ReplayAnswer {
  return "decisions" in replayed ? { same: true, run, ...replayed } : { same: false, run, ...replayed };
}

/** One decision. Its maps are objects and its sets are lists, so that it can be printed as JSON. */
export function replayAtAnswer(run: string, { seq, event, next }: ExplainedDecision): ReplayAtAnswer {
  return {
    run,
    seq,
    event,
    because: { ...next.because, ...plainFields(next.because) },
    effects: next.effects.map((effect) => ({ ...effect, ...plainFields(effect) })),
    state: { ...next.state, ...plainFields(next.state) },
  };
}

function plainFields(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPlain(inner)]));
}

function toPlain(value: unknown): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, inner]) => [String(key), toPlain(inner)]));
  if (value instanceof Set || Array.isArray(value)) return [...value].map(toPlain);
  return typeof value !== "object" || value === null ? value : plainFields(value);
}

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
  return {
    dry_run: cleaned === undefined,
    ...removal({ ...plan, going: survey.going, known: survey.runs.length }, cleaned),
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
  return removal(plan, cleaned);
}

function removal<R extends { bytes: number }, S>(
  plan: { remove: readonly R[]; going: readonly string[]; stay: readonly S[]; known: number },
  cleaned: { removed: readonly R[]; refs: number } | undefined,
) {
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
