// The rows of a run: one for each task, and for each review, draft or repair. Pure.
import { given } from "../../system/given.js";
import { plural, showCostOf, showDuration, showSpent } from "./amounts.js";
import type { Finished, JobResult } from "./job-view.js";
import { listLooks } from "./looks.js";
import { addSpent, NOTHING_SPENT, type Spent } from "./spent.js";
import { PHASES, type Titles } from "./live-line.js";
import { clean } from "../text.js";
import type { Ended, View } from "./view.js";

export interface TaskRow {
  /** Absent for a job without a task. */
  taskId?: string;
  /** The last of its jobs. */
  last: Finished;
  /** In order; not cleaned. */
  agents: readonly string[];
  attempts: number;
  ms: number;
  spent: Spent;
  /** The task is no longer in the backlog. */
  removed?: true;
}

/** In the order in which they began. */
export function rowsOf(view: View): TaskRow[] {
  const rows = new Map<string, TaskRow>();
  for (const one of view.finished) {
    const key = one.taskId === undefined ? `job ${one.job}` : `task ${one.taskId}`;
    const before = rows.get(key);
    rows.set(key, {
      ...given({ taskId: one.taskId }),
      last: one,
      agents: [...new Set([...(before?.agents ?? []), one.agent])],
      attempts: (before?.attempts ?? 0) + (one.uncounted === true ? 0 : 1),
      ms: (before?.ms ?? 0) + one.ms,
      spent: addSpent(before?.spent ?? NOTHING_SPENT, one.spent),
      ...(isRemoved(view, one.taskId) ? { removed: true } : {}),
    });
  }
  return [...rows.values()];
}

/** The rows of tasks that a person must look at first, then the others; each in their order. */
export function looksFirst(rows: readonly TaskRow[]): TaskRow[] {
  const isLook = ({ last }: TaskRow): boolean => last.look !== undefined;
  return [...rows.filter(isLook), ...rows.filter((row) => !isLook(row))];
}

/** The tasks of the run that a person must look at. */
export function looksOf(rows: readonly TaskRow[]): string[] {
  return listLooks(
    rows.flatMap(({ taskId: id, last: { look }, removed }) =>
      id === undefined || removed === true ? [] : [{ id, look }],
    ),
  );
}

/** Why the task failed, is blocked or needs a look; empty otherwise. Not cleaned. */
export function whyOf({ last: { why, look } }: TaskRow): string {
  return why === "" && look !== undefined ? `unverified: ${look.text}` : why;
}

function isRemoved({ removed }: View, id: string | undefined): boolean {
  return id !== undefined && removed.has(id);
}

/** The cost of the run, as far as agents reported it. */
export function spentOn(rows: readonly TaskRow[]): Spent {
  return rows.reduce((sum, row) => addSpent(sum, row.spent), NOTHING_SPENT);
}

/** Id and title, cleaned; for a job without a task its name in brackets. */
export function nameOf({ taskId, last }: TaskRow, titles: Titles): string {
  if (taskId === undefined) return `(${PHASES[last.phase]})`;
  return `${clean(taskId)} ${clean(titles.get(taskId) ?? "")}`.trim();
}

/** The result in at most three words. */
export function wordFor({ last: { result, added, unverified }, removed }: TaskRow): string {
  const word = removed === true && result !== "done" ? [] : [WORDS[result]];
  const gone = removed === true ? "removed" : "";
  const parts = [...word, gone, unverified === true ? "unverified" : "", added > 0 ? `+${added}` : ""];
  return parts.filter((part) => part !== "").join(", ");
}

const WORDS: Readonly<Record<JobResult, string>> = {
  done: "done",
  blocked: "blocked",
  skipped: "skipped",
  failed: "failed",
  waiting: "waiting",
  stopped: "stopped",
  "agent-dropped": "not tried",
  reviewed: "reviewed",
};

/** The totals of the run: progress, usage, and the cost per finished task. */
export function totalsText(
  { totals: { done, tasks, iterations, ms, tokens } }: Ended,
  rows: readonly TaskRow[],
): string {
  const { cost, partly } = spentOn(rows);
  const known = { ...given({ cost, partly }) };
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
