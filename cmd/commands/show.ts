// `looper show ID`: all fields of a task, and every attempt in the logs. Leaves the layout to task-lines.ts,
// and `--explain`, which asks the gate again, to src/loop/explain/explain.ts.
import { Option } from "commander";
import type { Project } from "../../src/config/project/open-project.js";
import { explain, findJudged, mustRunChecks, type Explained } from "../../src/loop/explain/explain.js";
import { findLiveRun, type LiveRun } from "../../src/loop/runs/live-run.js";
import { UserError } from "../../src/system/errors.js";
import { requireTask } from "../../src/todo/change/person-edits.js";
import { isSetMarker } from "../../src/todo/model/select.js";
import type { Task } from "../../src/todo/model/task.js";
import { attemptsIn, showAnswer } from "../../src/ui/answers/backlog/show.js";
import type { LoggedQuestions } from "../../src/ui/answers/backlog/stages.js";
import type { ShowAnswer } from "../../src/ui/shapes/runs.js";
import { taskLines } from "../../src/ui/terminal/lines/task-lines.js";
import { readFound } from "../../src/ui/view/read-doubts.js";
import { readViews } from "../../src/ui/view/read-view.js";
import type { StageView } from "../../src/ui/view/stage-view.js";
import { JSON_OPTION, TASK, TODO_FILE, TRUST, type AnsweringCommand } from "../context/command.js";
import type { CommandContext, Signal } from "../context/command-context.js";
import { lookOf, projectOf, shownPath } from "../lookup/project.js";
import { problemsText, readTasks, type TasksRead } from "../lookup/read-tasks.js";
import { refuseAgents, stopOnSignal } from "../lookup/caller.js";

interface Request {
  id: string;
  explain?: true;
  trust?: true;
  file?: string;
}

/** Shows the task, also from a file with problems, as far as it can be read. */
export const command: AnsweringCommand<Request> = {
  arguments: [TASK],
  options: [
    new Option("--explain", "show what its attempt changed and find what its checks need; may run them"),
    new Option("--trust", `with --explain: ${TRUST.description}`),
    TODO_FILE,
    JSON_OPTION,
  ],
  examples: [
    ["looper show T7", "show every field of T7 and every attempt at it"],
    ["looper show T3 --explain", "find the changes that T3's checks need"],
  ],
  answer: async (context, request) => {
    const { ports } = context;
    const { id, file } = request;
    const project = await projectOf(context, { file });
    const read = await readTasks(context, project);
    const { tasks } = read;
    const problem = problemsText(context, project, read.problems, file);
    const task = requireTask(tasks, id, problem);
    const explained =
      request.explain === true ? await explainTask(context, request, { project, task, read }) : undefined;
    if (typeof explained === "string")
      return { json: undefined, lines: [], end: { ending: "interrupted", signal: explained } };
    const live = await findLiveRun(ports, project);
    const { history, logged } = await pastOf(context, project, { task, live });
    const isOpen = task.status === "todo" || task.status === "doing" || isSetMarker(task);
    const found = (await readFound(ports, project, isOpen ? [] : [task.id])).get(task.id);
    const json = showAnswer(project.todoFile, { task, tasks, found, explained, logged }, history);
    const shown = (name: string): string => shownPath(context, name);
    const scene = { now: ports.clock.now(), live: live?.run, tasksDir: shown(project.paths.tasksDir), shown };
    return { json, problem, lines: taskLines(json, { ...scene, ...lookOf(context.out) }) };
  },
};

/** The attempts at a task and its questions, by the logs, the oldest first. */
async function pastOf(
  { ports }: CommandContext,
  project: Project,
  { task, live }: { task: Task; live: LiveRun | undefined },
): Promise<{ history: ShowAnswer["history"]; logged: LoggedQuestions }> {
  const tasksDir = project.paths.tasksDir;
  const history: ShowAnswer["history"][] = [];
  const stages: StageView[] = [];
  for await (const view of readViews(ports, project, task.id)) {
    const now = view.run === live?.run ? ports.clock.now() : undefined;
    history.unshift(attemptsIn(task, view, { now, tasksDir }));
    if (view.stages !== undefined) stages.unshift(view.stages);
  }
  const isMine = (one: { task: string }): boolean => one.task === task.id;
  const asked = stages.flatMap((one) => one.asked).filter(isMine);
  const answers = stages.flatMap((one) => one.answers).filter(isMine);
  return { history: history.flat(), logged: { asked, answers } };
}

/** Explains the last verdict on a task; the signal if it was interrupted. */
async function explainTask(
  context: CommandContext,
  { file, trust }: Request,
  { project, task, read }: { project: Project; task: Task; read: TasksRead },
): Promise<Explained | Signal> {
  const { ports, env, home } = context;
  const judged = await findJudged(ports, project, task.id);
  if (judged === undefined)
    throw new UserError(
      "no",
      `no log has a verdict of the gate on ${task.id}`,
      "run it, or see with `looper runs` which logs are left",
    );
  if (mustRunChecks(judged)) {
    await refuseAgents(context, "run the checks of an attempt again", "show the task without --explain", {
      file,
    });
    const lines = [`looper: running checks to find what ${task.id} needs`];
    await context.report({ level: "info", lines });
  }
  const stop = stopOnSignal(context);
  const explained = await explain({
    ...{ ports, project, env, home, task, judged, tasks: read.tasks, root: read.root },
    trust: trust === true || env["CI"] === "true",
    stop: stop.signal,
  });
  return explained === "interrupted" ? (stop.seen[0] ?? "SIGINT") : explained;
}
