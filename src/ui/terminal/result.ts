// What a run came to: a table of its tasks, why it ended, what to do next. Pure.
import { never } from "../../system/never.js";
import { plural, showCostOf, showDuration, showSpent } from "../amounts.js";
import { explainEnding, overBudgetText } from "../ending.js";
import { addSpent, NOTHING_SPENT, type Spent } from "../spent.js";
import type { Finished, Result } from "../job-view.js";
import type { Ended, View } from "../view.js";
import type { Colours } from "./colours.js";
import { tableLines } from "./columns.js";
import { PHASES, type Titles } from "./live-line.js";
import { clean, hang } from "./text.js";

export interface ResultLook {
  titles: Titles;
  colours: Colours;
  /** Columns of the terminal; nothing is cut without it. */
  columns?: number;
  /** Where the log lies, and the task file, as shown. */
  log: string;
  todoFile: string;
}

interface Row {
  name: string;
  last: Finished;
  agents: Set<string>;
  attempts: number;
  ms: number;
  spent: Spent;
}

/** The answer, for stdout; and for stderr what kept the run from doing its work, where something did. */
export function resultLines(
  view: View,
  ended: Ended,
  look: ResultLook,
): { answer: string[]; errors: string[] } {
  const rows = rowsOf(view, look.titles);
  const { why, next } = explainEnding(view, ended, look.todoFile);
  const { colours } = look;
  const fit = (line: string): string[] => (look.columns === undefined ? [line] : hang(line, look.columns));
  const answer = [
    ...reasons(rows),
    ...beyond(view, ended).map((budget) => colours.yellow(`! ${overBudgetText(budget)}`)),
    `${headline(ended, colours)} · ${totals(ended, rows)}`,
  ];
  const log = colours.dim(`log: ${clean(look.log)}`);
  const known = rows.length === 0 ? [] : [...table(rows, look), ""];
  if (hasFailed(ended)) {
    const errors = [`looper: ${clean(why)}`, `  ${clean(next)}`];
    return { answer: [...known, ...[...answer, log].flatMap(fit)], errors };
  }
  const said = [...answer, clean(why), ...(next === "" ? [] : [`next: ${clean(next)}`]), log];
  return { answer: [...known, ...said.flatMap(fit)], errors: [] };
}

function hasFailed({ ending }: Ended): boolean {
  return ending === "environment" || ending === "unusable-backlog";
}

function rowsOf(view: View, titles: Titles): Row[] {
  const rows = new Map<string, Row>();
  for (const one of view.finished) {
    const key = one.taskId === undefined ? `job ${one.job}` : `task ${one.taskId}`;
    const before = rows.get(key);
    rows.set(key, {
      name: nameOf(one, titles),
      last: one,
      agents: new Set([...(before?.agents ?? []), clean(one.agent)]),
      attempts: (before?.attempts ?? 0) + (one.uncounted === true ? 0 : 1),
      ms: (before?.ms ?? 0) + one.ms,
      spent: addSpent(before?.spent ?? NOTHING_SPENT, one.spent),
    });
  }
  return [...rows.values()];
}

function nameOf({ taskId, phase }: Finished, titles: Titles): string {
  if (taskId === undefined) return `(${PHASES[phase]})`;
  return `${clean(taskId)} ${clean(titles.get(taskId) ?? "")}`.trim();
}

function table(rows: readonly Row[], { columns, colours }: ResultLook): string[] {
  const { header, lines } = tableLines(
    [
      { title: "task", shrinks: true },
      { title: "result" },
      { title: "agent" },
      { title: "attempts", right: true },
      { title: "time", right: true },
      { title: "cost", right: true },
    ],
    rows.map(({ name, last, agents, attempts, ms, spent }) => [
      name,
      wordFor(last),
      [...agents].join(", "),
      String(attempts),
      showDuration(ms),
      showCostOf(spent) === "" ? "-" : showCostOf(spent),
    ]),
    columns,
  );
  return [colours.dim(header), ...lines];
}

function wordFor({ result, added, unverified }: Finished): string {
  const parts = [WORDS[result], unverified === true ? "unverified" : "", added > 0 ? `+${added}` : ""];
  return parts.filter((part) => part !== "").join(", ");
}

const WORDS: Readonly<Record<Result, string>> = {
  done: "done",
  blocked: "blocked",
  skipped: "skipped",
  failed: "failed",
  waiting: "waiting",
  stopped: "stopped",
  "agent-dropped": "not tried",
  reviewed: "reviewed",
};

function reasons(rows: readonly Row[]): string[] {
  const lines = rows.flatMap(({ name, last }) => (last.why === "" ? [] : [`${name}: ${clean(last.why)}`]));
  return lines.length === 0 ? [] : [...lines, ""];
}

/** What went beyond a budget; of the run's own the ending says it, where it ended for that. */
function beyond(view: View, { ending }: Ended): View["beyond"] {
  return view.beyond.filter(({ of }) => of === "task" || ending !== "budget");
}

/** All that a run has cost, shared out among the tasks it has done: the price of one of them. */
function totals({ totals: { done, tasks, iterations, ms, tokens } }: Ended, rows: readonly Row[]): string {
  const { cost, partly } = rows.reduce((sum, row) => addSpent(sum, row.spent), NOTHING_SPENT);
  const known = { ...(cost === undefined ? {} : { cost }), ...(partly === undefined ? {} : { partly }) };
  const spent = showSpent({ tokens, ...known });
  const finished = rows.filter(({ last }) => last.result === "done").length;
  const each =
    cost === undefined || finished === 0
      ? ""
      : `${showCostOf({ tokens, ...known, cost: cost / finished })} per task done`;
  const parts = [
    `${done} of ${plural(tasks, "task")} done`,
    plural(iterations, "iteration"),
    showDuration(ms),
    spent,
    each,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function headline({ ending }: Ended, colours: Colours): string {
  switch (ending) {
    case "complete":
      return colours.green(colours.bold(ending));
    case "blocked":
    case "limit":
    case "budget":
    case "waiting":
    case "interrupted":
      return colours.yellow(colours.bold(ending));
    case "unusable-backlog":
    case "environment":
      return colours.red(colours.bold(ending));
    default:
      return never(ending);
  }
}
