// The rows of a run: one for each task, and for each review, draft or repair. Pure.
import {
  plural,
  showCostOf,
  showDuration,
  showSpent,
  addSpent,
  NOTHING_SPENT,
  type SpentAmounts,
} from "./words/amounts.js";
import type { Finished, JobResult } from "./job-view.js";
import { countVerdicts, redBefore, verdictLine, listLooks, type Judged } from "./judged.js";
import { PHASES, taskName, type Titles } from "./words/live-line.js";
import type { Task } from "../../todo/model/task.js";
import { ENDS } from "../../workflow/workflow.js";
import { clean } from "../text.js";
import { questionOf, type StagePlace } from "./stage-view.js";
import type { Ended, View } from "./view.js";

/** Some jobs of a run together. */
interface Jobs {
  /** The last of them. */
  last: Finished;
  /** In order; not cleaned. */
  agents: readonly string[];
  attempts: number;
  ms: number;
  spent: SpentAmounts;
}

export interface TaskRow extends Jobs {
  /** Absent for a job without a task. */
  taskId?: string;
  /** The task is no longer in the backlog. */
  removed?: true;
  /** In a workflow: each stage that the run worked on, in order; absent under `default`. */
  stages?: readonly StageRow[];
  /** The stage where its task is now, and whether it asks a person there. */
  at?: Pick<StagePlace, "stage" | "asks" | "paused">;
  /** The text of its open question; not cleaned. */
  asks?: string;
}

/** All visits of one stage in a run. */
export interface StageRow extends Jobs {
  stage: string;
}

/** In the order in which they began. */
export function rowsOf(view: View): TaskRow[] {
  const rows = new Map<string, TaskRow>();
  for (const one of view.finished) {
    const key = one.taskId === undefined ? `job ${one.job}` : `task ${one.taskId}`;
    const before = rows.get(key);
    const place = view.stages?.places.get(one.taskId ?? "");
    rows.set(key, {
      taskId: one.taskId,
      ...addJob(before, one),
      ...(view.removed.has(one.taskId ?? "") ? { removed: true } : {}),
      stages: addStage(before?.stages, one),
      at: place,
      asks: questionOf(view.stages, one.taskId ?? "")?.text,
    });
  }
  return [...rows.values()];
}

/** The sums with one more job. An end of a workflow has no agent. */
function addJob(before: Jobs | undefined, one: Finished): Jobs {
  const agents = one.stage !== undefined && one.uncounted === true ? [] : [one.agent];
  return {
    last: one,
    agents: [...new Set([...(before?.agents ?? []), ...agents])],
    attempts: (before?.attempts ?? 0) + (one.uncounted === true ? 0 : 1),
    ms: (before?.ms ?? 0) + one.ms,
    spent: addSpent(before?.spent ?? NOTHING_SPENT, one.spent),
  };
}

function addStage(rows: readonly StageRow[] | undefined, one: Finished): readonly StageRow[] | undefined {
  const { stage } = one;
  if (stage === undefined || ENDS.some((end) => end === stage)) return rows;
  const before = rows?.find((row) => row.stage === stage);
  const added = { stage, ...addJob(before, one) };
  if (before === undefined) return [...(rows ?? []), added];
  return (rows ?? []).map((row) => (row === before ? added : row));
}

/** The view with the reasons in the task file of tasks that a workflow gave up: the log's events do not have them. */
export function withReasons(view: View, tasks: readonly Pick<Task, "id" | "progress">[]): View {
  const reasons = new Map<string, string>();
  for (const { id, progress } of tasks) {
    if (progress?.reasons === undefined || progress.stage !== "block") continue;
    reasons.set(id, progress.reasons.join("; "));
  }
  if (reasons.size === 0) return view;
  const finished = view.finished.map((one) => {
    const why = one.result === "blocked" && one.why === "" ? reasons.get(one.taskId ?? "") : undefined;
    return why === undefined ? one : { ...one, why };
  });
  return { ...view, finished };
}

/** The rows of tasks that a person must look at first, then the others; each in their order. */
export function looksFirst(rows: readonly TaskRow[]): TaskRow[] {
  const isLook = ({ last }: TaskRow): boolean => last.judged?.look !== undefined;
  return [...rows.filter(isLook), ...rows.filter((row) => !isLook(row))];
}

/** The tasks of the run that a person must look at. */
export function looksOf(rows: readonly TaskRow[]): string[] {
  return listLooks(
    rows.flatMap(({ taskId: id, last: { judged }, removed }) =>
      id === undefined || removed === true ? [] : [{ id, look: judged?.look }],
    ),
  );
}

/** The verdicts on the tasks that the run did. */
export function verdictsOf(rows: readonly TaskRow[]): Judged[] {
  return rows.flatMap(({ taskId, last: { result, judged }, removed }) =>
    taskId === undefined || removed === true || result !== "done" || judged === undefined ? [] : [judged],
  );
}

/** "5 tasks: 1 verified, 4 unbroken (`npm test` fails as before)"; empty if all that the run did are verified. */
export function verdictText(rows: readonly TaskRow[]): string {
  const judged = verdictsOf(rows);
  return clean(verdictLine(countVerdicts(judged), redBefore(judged)));
}

/**
 * Why the task failed, is blocked, needs a look or is unbroken; empty otherwise. Not cleaned. Of a check that fails as before
 * the line that counts the verdicts tells.
 */
export function whyOf({ last: { why, judged } }: TaskRow): string {
  if (why !== "" || judged?.text === undefined) return why;
  const isOwn = judged.verdict === "unbroken" && judged.red === undefined;
  return isOwn || judged.look !== undefined ? `${judged.verdict}: ${judged.text}` : "";
}

/** The cost of the run, as far as agents reported it. */
export function spentOn(rows: readonly TaskRow[]): SpentAmounts {
  return rows.reduce((sum, row) => addSpent(sum, row.spent), NOTHING_SPENT);
}

/** Id and title, cleaned; for a job without a task its name in brackets. */
export function nameOf({ taskId, last }: TaskRow, titles: Titles): string {
  if (taskId === undefined) return `(${PHASES[last.phase]})`;
  return taskName(taskId, titles);
}

/** The result in at most three words. */
export function wordFor({ last: { result, added, judged }, removed, at }: TaskRow): string {
  const word = removed === true && result !== "done" ? [] : [stageWord(result, at) ?? RESULTS[result].word];
  const gone = removed === true ? "removed" : "";
  const verdict = result === "done" && judged !== undefined ? judged.verdict : "none";
  const parts = [
    ...word,
    gone,
    verdict === "verified" || verdict === "none" ? "" : verdict,
    added > 0 ? `+${added}` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** Where a task in a workflow waits; `undefined` where its last job says more. */
function stageWord(result: JobResult, at: TaskRow["at"]): string | undefined {
  if (at?.asks === true) return "waits for you";
  if (at?.paused === true && result !== "blocked") return "paused";
  return result === "advanced" && at !== undefined ? `at ${clean(at.stage)}` : undefined;
}

/** How a result is told. `isOver`: the run will not try the task again. */
export const RESULTS: Readonly<
  Record<
    JobResult,
    {
      word: string;
      sign: string;
      colour: "green" | "red" | "yellow" | "cyan";
      level: "info" | "warn" | "error";
      isOver?: true;
    }
  >
> = {
  done: { word: "done", sign: "✓", colour: "green", level: "info", isOver: true },
  reviewed: { word: "reviewed", sign: "✓", colour: "green", level: "info", isOver: true },
  blocked: { word: "blocked", sign: "✗ blocked", colour: "red", level: "error", isOver: true },
  failed: { word: "failed", sign: "✗ failed", colour: "yellow", level: "warn" },
  skipped: { word: "skipped", sign: "- skipped", colour: "yellow", level: "info" },
  waiting: { word: "waiting", sign: "- not started", colour: "yellow", level: "info" },
  stopped: { word: "stopped", sign: "- stopped", colour: "yellow", level: "info" },
  "agent-dropped": { word: "not tried", sign: "- not started", colour: "yellow", level: "warn" },
  advanced: { word: "in progress", sign: "→", colour: "cyan", level: "info" },
};

/** How the last visit of a stage ended: its outcome, and why it failed. */
export function stageWordFor({ last: { result, outcome } }: StageRow): string {
  return result === "advanced" ? clean(outcome ?? "passed") : RESULTS[result].word;
}

/** The totals of the run: progress, usage, and the cost per finished task. */
export function totalsText(
  { totals: { done, tasks, iterations, ms, tokens } }: Ended,
  rows: readonly TaskRow[],
): string {
  const { cost, partly } = spentOn(rows);
  const known = { cost, partly };
  const spent = showSpent({ tokens, ...known });
  // Drafts and repairs are not tasks: their cost is divided among the tasks.
  const finished = rows.filter(({ taskId, last }) => taskId !== undefined && last.result === "done").length;
  const each =
    cost === undefined || finished === 0
      ? ""
      : `${showCostOf({ tokens, ...known, cost: cost / finished })} per task done`;
  const parts = [
    // A run that ended before it read the task file has no counts.
    tasks === 0 ? "" : `${done} of ${plural(tasks, "task")} done`,
    plural(iterations, "iteration"),
    showDuration(ms),
    spent,
    each,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}
