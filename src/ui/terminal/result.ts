// The result of a run: a table of its tasks, why it ended, what to do next. Pure.
import { showCostOf, showDuration } from "../view/words/amounts.js";
import { couldNotWork, ENDINGS, explainEnding, overBudgetText } from "../view/words/ending.js";
import { lookLine } from "../view/judged.js";
import { openLine, questionLine, questionLines, type OpenQuestion } from "../view/open-questions.js";
import {
  looksFirst,
  looksOf,
  nameOf,
  rowsOf,
  stageWordFor,
  totalsText,
  verdictText,
  whyOf,
  wordFor,
  type TaskRow,
} from "../view/rows.js";
import type { Ended, View } from "../view/view.js";
import type { Colours } from "../colours.js";
import { right, shrinks, tableLines } from "./columns.js";
import type { Titles } from "../view/words/live-line.js";
import { clean, hang } from "../text.js";
import { shorten } from "../../system/text/cut.js";

export interface ResultLook {
  titles: Titles;
  colours: Colours;
  /** Columns of the terminal; nothing is cut without it. */
  columns?: number;
  /** The paths of the log and the task file, as shown. */
  log: string;
  todoFile: string;
  /** The open questions of the task file; absent: none. */
  questions?: readonly OpenQuestion[];
  /** Epoch ms. */
  now?: number;
}

/** The answer, for stdout; and for stderr what kept the run from doing its work, where something did. */
export function resultLines(
  view: View,
  ended: Ended,
  look: ResultLook,
): { answer: string[]; errors: string[] } {
  const fit = (line: string): string[] => hang(line, look.columns);
  const rows = looksFirst(rowsOf(view));
  const { why, next } = explainEnding(view, ended, look.todoFile);
  const { colours } = look;
  const looks = lookLine(looksOf(rows));
  const answer = [
    ...reasons(rows, look.titles),
    ...beyond(view, ended).map((budget) => colours.yellow(`! ${overBudgetText(budget)}`)),
    `${headline(ended, colours)} · ${totalsText(ended, rows)}`,
  ];
  const { questions = [] } = look;
  const open = openLine(questions.length);
  const toAccept = [verdictText(rows), looks, open].filter((line) => line !== "").map(colours.yellow);
  const log = colours.dim(`log: ${clean(look.log)}`);
  const known = [
    ...(rows.length === 0 ? [] : [...table(rows, look), ""]),
    ...(questions.length === 0 ? [] : askedLines(questions, look)),
  ];
  if (couldNotWork(ended)) {
    const errors = [`looper: ${clean(why)}`, `  ${clean(next)}`];
    return { answer: [...known, ...[...answer, ...toAccept, log].flatMap(fit)], errors };
  }
  const said = [...answer, clean(why), ...(next === "" ? [] : [`next: ${clean(next)}`]), ...toAccept, log];
  return { answer: [...known, ...said.flatMap(fit)], errors: [] };
}

/** More questions than this are shown in a line each. */
const WHOLE_QUESTIONS = 3;
/** More are left to `looper questions`. */
const MOST_QUESTIONS = 20;

/** The open questions, each with the commands that answer it. */
function askedLines(questions: readonly OpenQuestion[], { colours, columns, now = 0 }: ResultLook): string[] {
  const scene = { colours, now, columns };
  if (questions.length <= WHOLE_QUESTIONS)
    return questions.flatMap((open) => [...questionLines(open, scene), ""]);
  const lines = questions.slice(0, MOST_QUESTIONS).map((open) => questionLine(open, columns));
  return [...lines, ...(questions.length > MOST_QUESTIONS ? ["…"] : []), ""];
}

/** Characters of a name, where the terminal is not narrower: one long title does not push away what is beside it. */
const MOST_NAME = 100;

function table(rows: readonly TaskRow[], look: ResultLook): string[] {
  return tableLines(
    [shrinks("task"), "result", "agent", ...["attempts", "time", "cost"].map(right)],
    rows.flatMap((row) => [
      cellsOf(shorten(nameOf(row, look.titles), MOST_NAME), wordFor(row), row),
      ...(row.stages ?? []).map((stage) => cellsOf(`  ${clean(stage.stage)}`, stageWordFor(stage), stage)),
    ]),
    look,
  );
}

function cellsOf(
  name: string,
  result: string,
  { agents, attempts, ms, spent }: Pick<TaskRow, "agents" | "attempts" | "ms" | "spent">,
): string[] {
  const cost = showCostOf(spent);
  return [
    ...[name, result, agents.map(clean).join(", ")],
    ...[String(attempts), showDuration(ms), cost === "" ? "-" : cost],
  ];
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
  return colours[ENDINGS[ending].colour](colours.bold(ending));
}
