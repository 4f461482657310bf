// `looper show ID`: all fields of a task, and every attempt in the logs. Leaves the layout to ui/terminal/task-lines.ts.
import type { Project } from "../../../src/config/project/open-project.js";
import { findLiveRun } from "../../../src/loop/runs/live-run.js";
import { isSetMarker, statusesOf, waitsFor } from "../../../src/todo/model/select.js";
import type { Task } from "../../../src/todo/model/task.js";
import { isVerified } from "../../../src/todo/model/verified.js";
import type { Current, Finished } from "../../../src/ui/view/job-view.js";
import { readDoubts } from "../../../src/ui/view/read-doubts.js";
import { readViews } from "../../../src/ui/view/read-view.js";
import type { ShowAnswer } from "../../../src/ui/shapes/runs.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { taskLines } from "../../../src/ui/terminal/task-lines.js";
import type { View } from "../../../src/ui/view/view.js";
import { taskNamed } from "../../lookup/find-task.js";
import { printJson, printLines, projectOf } from "../../lookup/project.js";
import { endAfter, problemsText, readTasks } from "../../lookup/read-tasks.js";
import {
  hasFlag,
  textFlag,
  type CommandEnd,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";

type Attempt = ShowAnswer["history"][number];

/** Shows the task, also from a file with problems, as far as it can be read. */
export async function show(context: CommandContext, typed: Typed): Promise<CommandEnd> {
  const { ports, out } = context;
  const [id = ""] = typed.operands;
  const file = textFlag(typed, "--file");
  const project = await projectOf(context, { file });
  const { tasks, problems } = await readTasks(context, project);
  const task = taskNamed(tasks, id, problemsText(context, project, problems, file));
  const live = await findLiveRun(ports, project);
  const history: Attempt[][] = [];
  for await (const view of readViews(ports, project, task.id))
    history.unshift(attemptsOf(task, view, view.run === live?.run ? ports.clock.now() : undefined));
  const answer: ShowAnswer = {
    file: project.todoFile,
    task: withRelations(task, tasks, await doubtsAbout(ports, project, task)),
    history: history.flat(),
  };
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else
    await printLines(
      out,
      taskLines(answer, {
        now: ports.clock.now(),
        live: live?.run,
        colours: coloursFor(out.colour),
        ...(out.isTerminal ? { columns: out.columns() } : {}),
      }),
    );
  return endAfter(context, project, problems, file);
}

async function doubtsAbout(
  ports: CommandContext["ports"],
  project: Project,
  task: Task,
): Promise<readonly string[]> {
  const isOpen = task.status !== "done" || isVerified(task) || isSetMarker(task);
  return (await readDoubts(ports, project, isOpen ? [] : [task.id])).get(task.id) ?? [];
}

function withRelations(task: Task, tasks: readonly Task[], doubts: readonly string[]): ShowAnswer["task"] {
  const waits = task.status === "done" ? [] : waitsFor(task, statusesOf(tasks));
  return {
    ...task,
    ready: task.status !== "done" && waits.length === 0,
    waits_for: waits,
    needed_by: tasks.filter((one) => one.depends_on?.includes(task.id) === true).map((one) => one.id),
    verified: task.status === "done" && isVerified(task),
    ...(isSetMarker(task) ? { marker: true as const } : {}),
    unverified_because: [...doubts],
  };
}

/** The attempts of one run. An attempt in progress lasts until now, or until its run was killed. */
function attemptsOf(task: Task, { run, finished, current, at }: View, now: number | undefined): Attempt[] {
  const over = finished
    .filter(({ taskId }) => taskId === task.id)
    .map((one) => ({
      ...begunAs(run, one),
      duration_ms: one.ms,
      // A review has no task, so no attempt at a task is one.
      result: one.result === "reviewed" ? null : one.result,
      why: one.why,
      verified: one.result === "done" && one.unverified !== true,
      commit: one.commit ?? null,
    }));
  if (current?.taskId !== task.id) return over;
  const duration = Math.max(0, (now ?? at) - current.began);
  const open = { duration_ms: duration, result: null, why: current.why ?? "", verified: false, commit: null };
  return [...over, { ...begunAs(run, current), ...open }];
}

type Begun = Pick<Attempt, "run" | "attempt" | "agent" | "started" | "rescue" | "tokens" | "cost_usd">;

function begunAs(run: string, { attempt, agent, began, rescue, spent }: Current | Finished): Begun {
  return {
    ...{ run, attempt, agent },
    started: new Date(began).toISOString(),
    rescue: rescue ?? null,
    tokens: spent.tokens,
    cost_usd: spent.cost ?? null,
  };
}
