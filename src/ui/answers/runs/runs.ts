// The rows of `looper runs --json`. Pure.
import type { RunSummary } from "../../../logging/run-summaries.js";
import type { RunsAnswer } from "../../shapes/runs.js";

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
