// `looper logs ID [run]`: the agent's messages on a task, in every attempt of its newest run. Leaves the
// layout to ui/terminal/lines/logs-lines.ts, and all other events to `looper tail --task ID`.
import path from "node:path";
import { Argument } from "commander";
import type { Project } from "../../src/config/project/open-project.js";
import { readLines } from "../../src/logging/read.js";
import { requireTask } from "../../src/todo/change/person-edits.js";
import { LogAttempts, type LogAttempt } from "../../src/ui/answers/runs/logs.js";
import type { LogsAnswer } from "../../src/ui/shapes/runs.js";
import { logsLines } from "../../src/ui/terminal/lines/logs-lines.js";
import { JSON_OPTION, TASK, TODO_FILE, type AnsweringCommand } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { folderOfRun, listOwnRuns } from "../lookup/find-run.js";
import { lookOf, projectOf } from "../lookup/project.js";
import { problemsText, readTasks } from "../lookup/read-tasks.js";

interface Request {
  id: string;
  run?: string;
  file?: string;
}

/** Also of a task that was removed and of a run in progress. */
export const command: AnsweringCommand<Request> = {
  arguments: [
    TASK,
    new Argument("[run]", "a run's id, or how it begins (default: the newest with this task)"),
  ],
  options: [TODO_FILE, JSON_OPTION],
  examples: [["looper logs T3", "print every attempt of the newest run that worked on T3"]],
  answer: async (context, { id, run, file }) => {
    const project = await projectOf(context, { file });
    const isThere = (await context.ports.files.stat(project.todoFile)) !== undefined;
    const json = await said(context, project, { id, run });
    // A log with the task is enough, unless a named task file is missing; else the task must be in the file.
    const isKnown = json.attempts.length > 0;
    const read =
      isThere || !isKnown || file !== undefined
        ? await readTasks(context, project)
        : { tasks: [], problems: [] };
    const task = isKnown
      ? read.tasks.find((one) => one.id === id)
      : requireTask(read.tasks, id, problemsText(context, project, read.problems));
    const look = { title: task?.title ?? "", now: context.ports.clock.now(), ...lookOf(context.out) };
    return { json, lines: logsLines(json, look) };
  },
};

/** The attempts of the named run, else of the newest run that worked on the task. */
async function said(
  context: CommandContext,
  project: Project,
  { id, run }: { id: string; run: string | undefined },
): Promise<LogsAnswer> {
  const folders =
    run === undefined
      ? (await listOwnRuns(context, project))
          .toReversed()
          .map((one) => path.join(project.logDir, "runs", one))
      : [await folderOfRun(context, project, run)];
  for (const folder of folders) {
    const attempts = await attemptsIn(context, folder, id);
    if (attempts.length > 0) return { task: id, run: path.basename(folder), attempts };
  }
  return { task: id, run: null, attempts: [] };
}

async function attemptsIn({ ports, cwd }: CommandContext, folder: string, id: string): Promise<LogAttempt[]> {
  const attempts = new LogAttempts(id, path.relative(cwd, folder));
  // Every line of an attempt contains the id of its task, so other lines are not parsed.
  for await (const { type, value } of readLines(ports, folder, 0, { holding: [JSON.stringify(id)] }))
    attempts.add(type, value);
  return attempts.all();
}
