// The result of a run as Markdown, for the summary of a GitHub job. Pure.
import { plural, showCostOf, showDuration } from "../view/words/amounts.js";
import { explainEnding } from "../view/words/ending.js";
import type { Verdict } from "../../todo/model/verified.js";
import type { Finished } from "../view/job-view.js";
import { lookLine } from "../view/judged.js";
import {
  looksFirst,
  looksOf,
  nameOf,
  rowsOf,
  spentOn,
  stageWordFor,
  totalsText,
  verdictText,
  whyOf,
  wordFor,
  type TaskRow,
} from "../view/rows.js";
import { PHASES, type Titles } from "../view/words/live-line.js";
import { openLine, waysToAnswer, type OpenQuestion } from "../view/open-questions.js";
import { clean, cut } from "../text.js";
import type { Ended, View } from "../view/view.js";

/** The most bytes that GitHub accepts from a step; it drops the whole summary if there are more. */
export const MOST_BYTES = 1024 * 1024;

const MOST_ROWS = 200;
const MOST_REASONS = 50;
const MOST_TITLE = 200;
const MOST_WHY = 1000;

export interface SummaryLook {
  titles: Titles;
  /** The task file, as shown. */
  todoFile: string;
  /** The open questions of the task file; absent: none. */
  questions?: readonly OpenQuestion[];
}

/** The section with a final newline. Of very many tasks the first are listed, those that a person must look at before all others. */
export function jobSummary(
  view: View,
  ended: Ended,
  { titles, todoFile, questions = [] }: SummaryLook,
): string {
  const rows = looksFirst(rowsOf(view));
  const counted = [verdictText(rows), lookLine(looksOf(rows))].filter((line) => line !== "");
  const { why, next } = explainEnding(view, ended, todoFile);
  const left = rows.length - MOST_ROWS;
  const reasons = rows.flatMap((row) => reasonLine(row, titles)).slice(0, MOST_REASONS);
  return [
    `## Looper: ${ended.ending}`,
    "",
    `${markdown(why)}${next === "" ? "" : `  \n${markdown(next)}`}`,
    "",
    ...counted.flatMap((line) => [`**${markdown(line)}**`, ""]),
    ...questionTexts(questions),
    ...(rows.length === 0 ? [] : TABLE),
    ...rows.slice(0, MOST_ROWS).map((row) => rowLines(row, titles)),
    ...(left > 0 ? [`| … | and ${left} more | | | | |`] : []),
    ...(rows.length === 0 ? [] : [totalRow(ended, rows)]),
    ...(reasons.length === 0 ? [] : ["", ...reasons]),
    ...["", markdown(`${totalsText(ended, rows)} · looper ${view.version}, run ${view.run}`), ""],
  ].join("\n");
}

/** How many questions are listed. */
const MOST_QUESTIONS = 20;

/** The open questions, each with the command that answers it. */
function questionTexts(questions: readonly OpenQuestion[]): string[] {
  if (questions.length === 0) return [];
  const lines = questions.slice(0, MOST_QUESTIONS).map(({ task, title, question }) => {
    const name = `**${markdown(`${task} ${cut(clean(title), MOST_TITLE)}`)}**`;
    const [way = ""] = waysToAnswer(task, question);
    return `- ${name}: ${markdown(cut(clean(question.text), MOST_WHY))} (${markdown(way)})`;
  });
  return [`**${markdown(openLine(questions.length))}**`, "", ...lines, ""];
}

const TABLE = [
  "| Task | Title | Outcome | Attempts | Duration | Cost |",
  "| --- | --- | --- | ---: | ---: | ---: |",
];

type Figures = Pick<TaskRow, "attempts" | "ms" | "spent">;

function rowLine(cells: readonly string[], { attempts, ms, spent }: Figures): string {
  const figures = [String(attempts), showDuration(ms), markdown(showCostOf(spent) || "-")];
  return `|${[...cells, ...figures].map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|`;
}

/** The row of a task, and one of each stage it went through. */
function rowLines(row: TaskRow, titles: Titles): string {
  const { taskId = "", last } = row;
  const title = taskId === "" ? `(${PHASES[last.phase]})` : clean(titles.get(taskId) ?? "");
  const cells = [markdown(taskId), markdown(cut(title, MOST_TITLE)), `${signOf(last)} ${wordFor(row)}`];
  const stages = (row.stages ?? []).map((one) =>
    rowLine(["", `↳ ${markdown(one.stage)}`, markdown(stageWordFor(one))], one),
  );
  return [rowLine(cells, row), ...stages].join("\n");
}

function totalRow({ totals: { done, tasks, ms } }: Ended, rows: readonly TaskRow[]): string {
  const attempts = rows.reduce((sum, row) => sum + row.attempts, 0);
  const cells = ["**Total**", "", `${done} of ${plural(tasks, "task")} done`];
  return rowLine(cells, { attempts, ms, spent: spentOn(rows) });
}

function signOf({ result, judged }: Finished): string {
  if (judged?.look !== undefined) return "⚠️";
  if (result === "done" && judged !== undefined) return SIGNS[judged.verdict];
  if (result === "done" || result === "reviewed") return "✅";
  return result === "blocked" || result === "failed" ? "❌" : "⏸️";
}

const SIGNS: Readonly<Record<Verdict, string>> = {
  verified: "✅",
  unbroken: "➖",
  unverified: "⚠️",
  none: "✅",
};

function reasonLine(row: TaskRow, titles: Titles): string[] {
  const why = whyOf(row);
  return why === "" ? [] : [`- **${markdown(nameOf(row, titles))}**: ${markdown(cut(clean(why), MOST_WHY))}`];
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** A text on one line, escaped for a Markdown table and HTML. */
function markdown(text: string): string {
  return clean(text)
    .replaceAll(/[&<>]/g, (one) => ENTITIES[one] ?? one)
    .replaceAll(/[\\`*_{}[\]()#!|~$@:]/g, (one) => `\\${one}`);
}
