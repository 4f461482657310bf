// `looper why ID`: explains why a task is or isn't next. Leaves the explanation to src/todo/model/select.ts.
import { quoteIfNeeded } from "../../src/shell/quote.js";
import { never } from "../../src/system/never.js";
import { listSome } from "../../src/system/text/cut.js";
import { requireTask } from "../../src/todo/change/person-edits.js";
import { rowOf, explainTask, type Why } from "../../src/todo/model/select.js";
import type { IndexRow, Task } from "../../src/todo/model/task.js";
import { verdictOfDone, whyAnswer } from "../../src/ui/answers/backlog/verdict.js";
import { clean, hang } from "../../src/ui/text.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import { readFound, type Found } from "../../src/ui/view/read-doubts.js";
import { needText, turnedLines } from "../../src/ui/terminal/lines/task-lines.js";
import { helpOf } from "../../src/ui/view/open-questions.js";
import type { Project } from "../../src/config/project/open-project.js";
import type { CommandContext } from "../context/command-context.js";
import { JSON_OPTION, TASK, TODO_FILE, type AnsweringCommand } from "../context/command.js";
import { lookOf, projectOf } from "../lookup/project.js";
import { readValidTasks } from "../lookup/read-tasks.js";

/** How many tasks a line names; the rest is counted. */
const NAMED = 10;

/** Explains a run that begins now; a run in progress may already have tried the task. */
export const command: AnsweringCommand<{ id: string; file?: string }> = {
  arguments: [TASK],
  options: [TODO_FILE, JSON_OPTION],
  examples: [["looper why T7", "show what T7 waits for, or which tasks come first"]],
  answer: async (context, { id, file }) => {
    const project = await projectOf(context, { file });
    const tasks = await readValidTasks(context, project);
    const task = requireTask(tasks, id);
    const explained = explainTask(rowOf(task), tasks.map(rowOf));
    const found = await findVerdict(context, project, task);
    const said = [...linesOf(task, explained, tasks), ...(found === undefined ? [] : foundLines(id, found))];
    const { columns = Infinity } = lookOf(context.out);
    const lines = said.flatMap((line) => hang(clean(line), columns));
    return { json: whyAnswer(task, explained, { tasks, found }), lines };
  },
};

function linesOf(task: Task, explained: Why, tasks: readonly Task[]): string[] {
  const { id, status, blockers = [] } = task;
  const blocked = status === "blocked" ? [`it is blocked: ${blockers.join("; ") || "without a reason"}`] : [];
  switch (explained.answer) {
    case "done": {
      const verdict = verdictOfDone(task);
      return [verdict === null ? `${id} is done` : `${id} is done, ${verdict}`];
    }
    case "next":
      return [`${id} is next: ${nextBecause(task, explained.of)}`, ...blocked];
    case "behind": {
      const verb = explained.before.length === 1 ? "comes" : "come";
      const late = status === "blocked" ? ["blocked tasks are tried once, after all others"] : [];
      return [
        `${id} is ready; ${plural(explained.before.length, "task")} ${verb} before it: ${named(explained.before)}`,
        ...blocked,
        ...late,
      ];
    }
    case "waits":
      return [
        `${id} waits for ${named(explained.waitsFor)}`,
        ...(explained.first.length === 0 ? [] : [`to be done first: ${named(explained.first)}`]),
        ...explained.held.slice(0, NAMED).flatMap((row) => heldLines(tasks.find((one) => one.id === row.id))),
        ...blocked,
      ];
    case "asked":
    case "paused":
      return heldLines(task);
    default:
      return never(explained);
  }
}

/** The findings behind the verdict of a done task, as far as the logs have them. */
async function findVerdict({ ports }: CommandContext, project: Project, task: Task) {
  const verdict = verdictOfDone(task);
  if (verdict === null) return undefined;
  const found = (await readFound(ports, project, [task.id])).get(task.id);
  return found?.verdict === verdict ? found : undefined;
}

/** The proof of a done task; else why it is not verified, and the row of docs/gate.md for each change that it needs. */
function foundLines(id: string, { verdict, reasons, needs, evidence }: Found): string[] {
  const turned = turnedLines(evidence?.fail_to_pass ?? []).map((line) => `from red to green: ${line}`);
  const needed = needs.map((need) => `it needs ${needText(need)}`);
  const doubts = verdict === "verified" ? [] : [...reasons, ...needed];
  return [...turned, ...doubts, `what it changed: \`looper show ${quoteIfNeeded(clean(id))}\``];
}

/** The question or pause that a task waits for, and the command that helps. */
function heldLines(task: Task | undefined): string[] {
  if (task === undefined) return [];
  const help = helpOf(task);
  return help === undefined ? [] : [`${task.id} ${help.because}`, `${help.how} \`${help.command}\``];
}

function nextBecause({ status }: Task, of: number): string {
  if (of === 1) return "nothing else is ready";
  switch (status) {
    case "doing":
      return `it is in hand (${of} are ready)`;
    case "todo":
      return `the lowest priority number, then the lowest id, of ${of} that are ready`;
    case "blocked":
    case "done":
      return `only blocked tasks are left (${of})`;
    default:
      return never(status);
  }
}

function named(rows: readonly IndexRow[]): string {
  return listSome(
    rows.map(({ id, status, priority }) => `${id} (${status}, p${priority})`),
    NAMED,
  );
}
