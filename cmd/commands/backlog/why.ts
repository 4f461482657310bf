// `looper why ID`: explains why a task is or isn't next. Leaves the explanation to src/todo/model/why.ts.
import { checkBacklog } from "../../../src/todo/check/check.js";
import { rowOf } from "../../../src/todo/model/select.js";
import type { IndexRow, Task } from "../../../src/todo/model/task.js";
import { explainTask, type Why } from "../../../src/todo/model/why.js";
import { UserError } from "../../../src/system/errors.js";
import { never } from "../../../src/system/never.js";
import { listSome } from "../../../src/system/text/cut.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import { whyAnswer } from "../../../src/ui/answers/backlog/why.js";
import { helpOf } from "../../../src/ui/view/words/held-text.js";
import { clean, hang } from "../../../src/ui/text.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
import { requireTask } from "../../../src/todo/change/person-edits.js";
import { printJson, printLines, projectOf, readNamedFile, shownPath } from "../../lookup/project.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";

/** How many tasks a line names; the rest is counted. */
const NAMED = 10;

/** Explains a run that begins now; a run in progress may already have tried the task. */
export async function why(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const [id = ""] = typed.operands;
  const project = await projectOf(context, { file: textFlag(typed, "--file") });
  const shown = shownPath(context, project.todoFile);
  const bytes = await readNamedFile(context, project.todoFile, "task file");
  const checked = checkBacklog(bytes, await checkOptionsOf(context, project));
  if (checked.kind === "invalid")
    throw new UserError(
      "usage",
      `${shown} is not a valid backlog`,
      "list the problems with `looper validate`",
    );
  const tasks = checked.backlog?.tasks ?? [];
  const task = requireTask(tasks, id);
  const explained = explainTask(rowOf(task), tasks.map(rowOf));
  if (hasFlag(typed, "--json")) await printJson(context, whyAnswer(task, explained, tasks));
  else {
    const columns = context.out.isTerminal ? context.out.columns() : Infinity;
    const lines = linesOf(task, explained, tasks).flatMap((line) => hang(clean(line), columns));
    await printLines(context.out, lines);
  }
  return "ok";
}

function linesOf(task: Task, explained: Why, tasks: readonly Task[]): string[] {
  const { id, status, blockers = [] } = task;
  const blocked = status === "blocked" ? [`it is blocked: ${blockers.join("; ") || "without a reason"}`] : [];
  switch (explained.answer) {
    case "done":
      return [`${id} is done`];
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
