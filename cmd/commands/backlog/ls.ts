import path from "node:path";
import type { Project } from "../../../src/config/project/open-project.js";
import { UserError } from "../../../src/system/errors.js";
import { nearest } from "../../../src/system/text/nearest.js";
import { isSetMarker, withoutMarker } from "../../../src/todo/model/select.js";
import { isStatus, STATUSES } from "../../../src/todo/model/status.js";
import type { Status } from "../../../src/todo/model/task.js";
import { isVerified } from "../../../src/todo/model/verified.js";
import { jsonText } from "../../../src/ui/json-text.js";
import {
  listAnswer,
  listPieces,
  selectTasks,
  type Listed,
  type WantedTasks,
} from "../../../src/ui/answers/backlog/list.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { taskListLines, wrongTaskLines } from "../../../src/ui/terminal/task-list.js";
import { listLooks, lookLine } from "../../../src/ui/view/words/looks.js";
import { openLine } from "../../../src/ui/view/open-questions.js";
import { openQuestion } from "../../../src/workflow/question.js";
import { printLines, projectOf } from "../../lookup/project.js";
import { endAfter, problemsText, readTasks, type TasksRead } from "../../lookup/read-tasks.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { watchFile } from "../../watch/watch-file.js";

/** `looper ls [status] [file]`: lists the tasks in the order a run takes them. */
export async function ls(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const asked = await readOperands(context, typed);
  const json = hasFlag(typed, "--json");
  const project = await projectOf(context, { file: asked.file });
  const file = project.todoFile;
  if (hasFlag(typed, "--watch")) {
    const render = async (): Promise<string[]> => {
      const read = await readTasks(context, project);
      const listed = await withDoubts(context, project, selectTasks(read, wantedOf(typed, asked.status)));
      if (json) return [jsonText(listAnswer(file, listed))];
      const note = problemsText(context, project, read.problems, asked.file);
      return [...linesOf(context, listed, nothingOf(read)), ...(note === undefined ? [] : [note])];
    };
    return watchFile(context, file, { render, json });
  }
  const read = await readTasks(context, project);
  const listed = await withDoubts(context, project, selectTasks(read, wantedOf(typed, asked.status)));
  if (json) for (const piece of listPieces(file, listed)) await context.out.write(piece);
  else await printLines(context.out, linesOf(context, listed, nothingOf(read)));
  return endAfter(context, project, read.problems, asked.file);
}

/** Limits on reading logs, so that a list is immediate; `looper show` reads all logs. */
const MOST_READ = { runs: 1, bytes: 4_000_000 };

async function withDoubts({ ports }: CommandContext, project: Project, listed: Listed): Promise<Listed> {
  const unproven = listed.tasks.filter(
    (task) => task.status === "done" && !isVerified(task) && !isSetMarker(task),
  );
  if (unproven.length === 0 || (await ports.files.stat(project.logDir)) === undefined) return listed;
  const ids = unproven.map(({ id }) => id);
  const { readDoubts } = await import("../../../src/ui/view/read-doubts.js");
  const doubts = await readDoubts(ports, project, ids, MOST_READ);
  return {
    ...listed,
    doubts: ({ id }) => doubts.get(id)?.reasons ?? [],
    looks: ({ id }) => doubts.get(id)?.look,
  };
}

function wantedOf(typed: Typed, status: Status | undefined): WantedTasks {
  return { status, tag: textFlag(typed, "--tag"), ready: hasFlag(typed, "--ready") };
}

/** A single operand may be the file. */
async function readOperands(
  context: CommandContext,
  typed: Typed,
): Promise<{ status: Status | undefined; file: string | undefined }> {
  const flag = textFlag(typed, "--status");
  const [first, second] = typed.operands;
  if (first === undefined) return { status: toStatus(flag), file: undefined };
  if (second === undefined && (await isFile(context, first))) return { status: toStatus(flag), file: first };
  if (second !== undefined && isStatus(second) && (await isFile(context, first)))
    throw new UserError("usage", "the status comes before the file", `looper ls ${second} ${first}`);
  if (flag !== undefined && flag !== first)
    throw new UserError("usage", `two statuses: ${first} and ${flag}`, "give one of them");
  return { status: toStatus(first), file: second };
}

async function isFile({ ports, cwd }: CommandContext, word: string): Promise<boolean> {
  const kind = (await ports.files.stat(path.resolve(cwd, word)))?.kind;
  // The reader of the task file says what is wrong with a folder or a pipe.
  return kind === "file" || (kind !== undefined && !isStatus(word));
}

function toStatus(word: string | undefined): Status | undefined {
  if (word === undefined) return undefined;
  if (isStatus(word)) return word;
  const near = nearest(word, STATUSES);
  const hint = near === undefined ? `statuses: ${STATUSES.join(", ")}` : `did you mean ${near}?`;
  throw new UserError("usage", `${word} is neither a status nor an existing file`, hint);
}

/** The line for an empty list. */
function nothingOf({ tasks, problems }: TasksRead): string {
  if (withoutMarker(tasks).length > 0) return "no such tasks";
  return problems.length > 0 ? "no tasks that can be read" : "no tasks";
}

function* linesOf({ out }: CommandContext, listed: Listed, nothing: string): Iterable<string> {
  const { tasks, wrong, waitsFor: waits, doubts, looks, complete } = listed;
  const alone = withoutMarker(tasks);
  if (alone.length === 0 && wrong.length === 0) yield nothing;
  const look = { waitsFor: waits, doubts, looks, colours: coloursFor(out.colour) };
  yield* taskListLines(alone, { ...look, ...(out.isTerminal ? { columns: out.columns() } : {}) });
  yield* wrongTaskLines(wrong, look.colours);
  if (complete) yield look.colours.green("complete");
  const toAccept = lookLine(listLooks(alone.map((task) => ({ id: task.id, look: looks(task) }))));
  if (toAccept !== "") yield look.colours.yellow(toAccept);
  // Without a workflow no module about questions is loaded.
  const open = alone.filter(({ progress }) => progress !== undefined && openQuestion(progress) !== undefined);
  if (open.length > 0) yield look.colours.yellow(openLine(open.length));
}
