// The result of a run: a table of its tasks, why it ended, what to do next. Pure.
import { never } from "../../system/never.js";
import { showCostOf, showDuration } from "../view/amounts.js";
import { explainEnding, overBudgetText } from "../view/ending.js";
import { lookLine } from "../view/looks.js";
import {
  looksFirst,
  looksOf,
  nameOf,
  rowsOf,
  totalsText,
  whyOf,
  wordFor,
  type TaskRow,
} from "../view/rows.js";
import type { Ended, View } from "../view/view.js";
import type { Colours } from "../colours.js";
import { tableLines } from "./columns.js";
import type { Titles } from "../view/live-line.js";
import { releaseAnswer } from "../answers/release.js";
import { releaseLines } from "./release-lines.js";
import { clean, hang } from "../text.js";

export interface ResultLook {
  titles: Titles;
  colours: Colours;
  /** Columns of the terminal; nothing is cut without it. */
  columns?: number;
  /** The paths of the log and the task file, as shown. */
  log: string;
  todoFile: string;
}

/** The answer, for stdout; and for stderr what kept the run from doing its work, where something did. */
export function resultLines(
  view: View,
  ended: Ended,
  look: ResultLook,
): { answer: string[]; errors: string[] } {
  const fit = (line: string): string[] => (look.columns === undefined ? [line] : hang(line, look.columns));
  const { release } = view;
  if (release !== undefined) {
    const said = releaseLines(releaseAnswer(view, release), look.log, look.colours);
    return { ...said, answer: said.answer.flatMap(fit) };
  }
  const rows = looksFirst(rowsOf(view));
  const { why, next } = explainEnding(view, ended, look.todoFile);
  const { colours } = look;
  const looks = lookLine(looksOf(rows));
  const answer = [
    ...reasons(rows, look.titles),
    ...beyond(view, ended).map((budget) => colours.yellow(`! ${overBudgetText(budget)}`)),
    `${headline(ended, colours)} · ${totalsText(ended, rows)}`,
  ];
  const toAccept = looks === "" ? [] : [colours.yellow(looks)];
  const log = colours.dim(`log: ${clean(look.log)}`);
  const known = rows.length === 0 ? [] : [...table(rows, look), ""];
  if (hasFailed(ended)) {
    const errors = [`looper: ${clean(why)}`, `  ${clean(next)}`];
    return { answer: [...known, ...[...answer, ...toAccept, log].flatMap(fit)], errors };
  }
  const said = [...answer, clean(why), ...(next === "" ? [] : [`next: ${clean(next)}`]), ...toAccept, log];
  return { answer: [...known, ...said.flatMap(fit)], errors: [] };
}

function hasFailed({ ending }: Ended): boolean {
  return ending === "environment" || ending === "unusable-backlog";
}

function table(rows: readonly TaskRow[], { columns, colours, titles }: ResultLook): string[] {
  const { header, lines } = tableLines(
    [
      { title: "task", shrinks: true },
      { title: "result" },
      { title: "agent" },
      { title: "attempts", right: true },
      { title: "time", right: true },
      { title: "cost", right: true },
    ],
    rows.map((row) => [
      nameOf(row, titles),
      wordFor(row),
      row.agents.map(clean).join(", "),
      String(row.attempts),
      showDuration(row.ms),
      showCostOf(row.spent) === "" ? "-" : showCostOf(row.spent),
    ]),
    columns,
  );
  return [colours.dim(header), ...lines];
}

function reasons(rows: readonly TaskRow[], titles: Titles): string[] {
  const lines = rows.flatMap((row) =>
    whyOf(row) === "" ? [] : [`${nameOf(row, titles)}: ${clean(whyOf(row))}`],
  );
  return lines.length === 0 ? [] : [...lines, ""];
}

/** The lines on exceeded budgets; the run's own budget is left out when the ending names it. */
function beyond(view: View, { ending }: Ended): View["beyond"] {
  return view.beyond.filter(({ of }) => of === "task" || ending !== "budget");
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
