// `looper show ID`: all fields of a task, and every attempt in the logs. Leaves the layout to ui/terminal/lines/task-lines.ts.
import type { Project } from "../../../src/config/project/open-project.js";
import { findLiveRun, type LiveRun } from "../../../src/loop/runs/live-run.js";
import { isSetMarker } from "../../../src/todo/model/select.js";
import type { Task } from "../../../src/todo/model/task.js";
import { attemptsIn, showAnswer } from "../../../src/ui/answers/backlog/show.js";
import { readDoubts, type Doubt } from "../../../src/ui/view/read-doubts.js";
import { readViews } from "../../../src/ui/view/read-view.js";
import type { LoggedQuestions } from "../../../src/ui/answers/backlog/stages.js";
import type { StageView } from "../../../src/ui/view/stage-view.js";
import type { ShowAnswer } from "../../../src/ui/shapes/runs.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { taskLines } from "../../../src/ui/terminal/lines/task-lines.js";
import { requireTask } from "../../../src/todo/change/person-edits.js";
import { printJson, printLines, projectOf, shownPath } from "../../lookup/project.js";
import { tasksFolder } from "../../../src/config/project/tasks-folder.js";
import { explainTask } from "./explain-task.js";
import { endAfter, problemsText, readTasks } from "../../lookup/read-tasks.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";

type Attempt = ShowAnswer["history"][number];

/** Shows the task, also from a file with problems, as far as it can be read. */
export async function show(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const { ports, out } = context;
  const [id = ""] = typed.operands;
  const file = textFlag(typed, "--file");
  const project = await projectOf(context, { file });
  const { tasks, problems, root } = await readTasks(context, project);
  const task = requireTask(tasks, id, problemsText(context, project, problems, file));
  const found = hasFlag(typed, "--explain")
    ? await explainTask(context, typed, { project, task, tasks, root })
    : { explained: undefined };
  if ("signal" in found) return { ending: "interrupted", signal: found.signal };
  const live = await findLiveRun(ports, project);
  const { history, logged } = await pastOf(context, project, { task, live });
  const answer = showAnswer(
    project.todoFile,
    { task, tasks, doubt: await doubtAbout(ports, project, task), explained: found.explained, logged },
    history,
  );
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else
    await printLines(
      out,
      taskLines(answer, {
        now: ports.clock.now(),
        live: live?.run,
        tasksDir: shownPath(context, tasksFolder(project)),
        shown: (file) => shownPath(context, file),
        colours: coloursFor(out.colour),
        ...(out.isTerminal ? { columns: out.columns() } : {}),
      }),
    );
  return endAfter(context, project, problems, file);
}

/** The attempts at a task and its questions, by the logs, the oldest first. */
async function pastOf(
  { ports }: CommandContext,
  project: Project,
  { task, live }: { task: Task; live: LiveRun | undefined },
): Promise<{ history: Attempt[]; logged: LoggedQuestions }> {
  const tasksDir = tasksFolder(project);
  const history: Attempt[][] = [];
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

async function doubtAbout(
  ports: CommandContext["ports"],
  project: Project,
  task: Task,
): Promise<Doubt | undefined> {
  const isOpen = task.status === "todo" || task.status === "doing" || isSetMarker(task);
  return (await readDoubts(ports, project, isOpen ? [] : [task.id])).get(task.id);
}
