// `looper ls [status] [file]`: lists the tasks in the order a run takes them.
import path from "node:path";
import { Argument, Option } from "commander";
import type { Project } from "../../src/config/project/open-project.js";
import { usageError } from "../../src/system/errors.js";
import { isSetMarker, withoutMarker } from "../../src/todo/model/select.js";
import { isStatus, STATUSES } from "../../src/todo/model/status.js";
import type { Status } from "../../src/todo/model/task.js";
import { isVerified } from "../../src/todo/model/verified.js";
import { listAnswer, listPieces, selectTasks, type Listed } from "../../src/ui/answers/backlog/list.js";
import { jsonText } from "../../src/ui/json-text.js";
import type { LsAnswer } from "../../src/ui/shapes/backlog.js";
import { taskListLines, wrongTaskLines } from "../../src/ui/terminal/task-list.js";
import { openLine } from "../../src/ui/view/open-questions.js";
import { listLooks, lookLine } from "../../src/ui/view/judged.js";
import { openQuestion } from "../../src/workflow/question.js";
import { JSON_OPTION, type WorkingCommand } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { hintOn } from "../../src/system/text/nearest.js";
import { lookOf, printLines, projectOf } from "../lookup/project.js";
import { problemsText, readTasks, type TasksRead } from "../lookup/read-tasks.js";
import { watchFile } from "../watch/watch-file.js";

interface Request {
  words: readonly string[];
  status?: string;
  tag?: string;
  ready?: boolean;
  watch?: true;
  json?: true;
}

/** Prints the JSON of a large backlog in pieces, and with `--watch` again and again. */
export const command: WorkingCommand<Request> = {
  arguments: [
    new Argument("[status]", "todo, doing, blocked or done; or the task file"),
    new Argument("[file]", "the task file"),
  ],
  options: [
    new Option("--status <status>", "only tasks with this status"),
    new Option("--tag <tag>", "only tasks with this tag"),
    new Option("--ready", "only tasks that a run could take now"),
    new Option("--watch", "list again whenever the file changes"),
    JSON_OPTION,
  ],
  examples: [
    ["looper ls --ready", "list the tasks a run could take now"],
    ["looper ls blocked --json", "list the tasks that wait for you, as JSON"],
  ],
  work: async (context, request) => {
    const asked = await readWords(context, request);
    const json = request.json === true;
    const project = await projectOf(context, { file: asked.file });
    const file = project.todoFile;
    if (request.watch === true) {
      const render = async (): Promise<string[]> => {
        const { listed, problem, nothing } = await list(context, project, { ...asked, json });
        if (json) return [jsonText(listAnswer(file, listed))];
        return [...linesOf(context, listed, nothing), ...(problem === undefined ? [] : [problem])];
      };
      return watchFile(context, file, { render, json });
    }
    const { listed, problem, nothing } = await list(context, project, { ...asked, json });
    if (json) for (const piece of listPieces(file, listed)) await context.out.write(piece);
    else await printLines(context.out, linesOf(context, listed, nothing));
    if (problem === undefined) return "ok";
    await context.report({ level: "error", lines: [`looper: ${problem}`] });
    return "no";
  },
};

export async function answer(
  context: CommandContext,
  request: Request,
): Promise<{ json: LsAnswer; problem: string | undefined }> {
  const asked = await readWords(context, request);
  const project = await projectOf(context, { file: asked.file });
  const { listed, problem } = await list(context, project, { ...asked, json: true });
  return { json: listAnswer(project.todoFile, listed), problem };
}

interface Asked {
  file: string | undefined;
  status: Status | undefined;
  tag: string | undefined;
  ready: boolean;
}

async function list(context: CommandContext, project: Project, asked: Asked & { json: boolean }) {
  const read = await readTasks(context, project);
  const listed = await withFound(context, project, selectTasks(read, asked), asked.json);
  const problem = problemsText(context, project, read.problems, asked.file);
  return { listed, problem, nothing: nothingOf(read) };
}

/** Limits on reading logs, so that a list is immediate; `looper show` reads all logs. */
const MOST_READ = { runs: 1, bytes: 4_000_000 };

/** The list with what the logs have. Only the JSON has the evidence of verified tasks. */
async function withFound(
  { ports }: CommandContext,
  project: Project,
  listed: Listed,
  json: boolean,
): Promise<Listed> {
  const judged = listed.tasks.filter(
    (task) => task.status === "done" && (json || !isVerified(task)) && !isSetMarker(task),
  );
  if (judged.length === 0 || (await ports.files.stat(project.logDir)) === undefined) return listed;
  const ids = judged.map(({ id }) => id);
  const { readFound } = await import("../../src/ui/view/read-doubts.js");
  const found = await readFound(ports, project, ids, MOST_READ);
  return { ...listed, found: ({ id }) => found.get(id) };
}

/** A single word may be the file. */
async function readWords(context: CommandContext, { words, status, tag, ready = false }: Request) {
  const [first, second] = words;
  const asked = (word: string | undefined, file?: string): Asked => ({
    file,
    status: toStatus(word),
    tag,
    ready,
  });
  if (first === undefined) return asked(status);
  if (second === undefined && (await isFile(context, first))) return asked(status, first);
  if (second !== undefined && isStatus(second) && (await isFile(context, first)))
    throw usageError("the status comes before the file", `looper ls ${second} ${first}`);
  if (status !== undefined && status !== first)
    throw usageError(`two statuses: ${first} and ${status}`, "give one of them");
  return asked(first, second);
}

async function isFile({ ports, cwd }: CommandContext, word: string): Promise<boolean> {
  const kind = (await ports.files.stat(path.resolve(cwd, word)))?.kind;
  // The reader of the task file says what is wrong with a folder or a pipe.
  return kind === "file" || (kind !== undefined && !isStatus(word));
}

function toStatus(word: string | undefined): Status | undefined {
  if (word === undefined) return undefined;
  if (isStatus(word)) return word;
  const hint = hintOn(word, STATUSES, `statuses: ${STATUSES.join(", ")}`);
  throw usageError(`${word} is neither a status nor an existing file`, hint);
}

function nothingOf({ tasks, problems }: TasksRead): string {
  if (withoutMarker(tasks).length > 0) return "no such tasks";
  return problems.length > 0 ? "no tasks that can be read" : "no tasks";
}

function* linesOf({ out }: CommandContext, listed: Listed, nothing: string): Iterable<string> {
  const { tasks, wrong, waitsFor: waits, found, complete } = listed;
  const alone = withoutMarker(tasks);
  if (alone.length === 0 && wrong.length === 0) yield nothing;
  const look = { waitsFor: waits, found, ...lookOf(out) };
  yield* taskListLines(alone, look);
  yield* wrongTaskLines(wrong, look.colours);
  if (complete) yield look.colours.green("complete");
  const toAccept = lookLine(listLooks(alone.map((task) => ({ id: task.id, look: found(task)?.look }))));
  if (toAccept !== "") yield look.colours.yellow(toAccept);
  // Without a workflow no module about questions is loaded.
  const open = alone.filter(({ progress }) => progress !== undefined && openQuestion(progress) !== undefined);
  if (open.length > 0) yield look.colours.yellow(openLine(open.length));
}
