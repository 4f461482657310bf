// The tasks of a task file for commands that only read, however broken it is. Leaves judging it to src/todo/check.ts.
import type { Project } from "../src/config/open-project.js";
import { never } from "../src/system/never.js";
import { checkBacklog } from "../src/todo/check.js";
import type { Problem } from "../src/todo/problem.js";
import type { Task } from "../src/todo/task.js";
import { plural } from "../src/ui/amounts.js";
import { clean } from "../src/ui/terminal/text.js";
import { checkOptionsOf } from "./check-options.js";
import { readNamedFile, shownPath } from "./project.js";
import type { CommandEnd, Shell } from "./shell.js";

export interface TasksRead {
  /** Those that can be read. */
  tasks: readonly Task[];
  problems: readonly Problem[];
}

/** Reads the project's task file, which must be there. */
export async function readTasks(shell: Shell, project: Project): Promise<TasksRead> {
  const bytes = await readNamedFile(shell, project.todoFile, "task file");
  const checked = checkBacklog(bytes, await checkOptionsOf(shell, project));
  switch (checked.kind) {
    case "ok":
      return { tasks: checked.backlog.tasks, problems: [] };
    case "empty":
      return { tasks: [], problems: checked.problems };
    case "invalid":
      return { tasks: checked.readable, problems: checked.problems };
    default:
      return never(checked);
  }
}

/** Says on stderr that the file has problems, if it has; then the answer is a no. `typed`: the file as it was named. */
export async function endAfter(
  shell: Shell,
  { todoFile }: Pick<Project, "todoFile">,
  problems: readonly Problem[],
  typed?: string,
): Promise<CommandEnd> {
  if (problems.length === 0) return "ok";
  const shown = clean(shownPath(shell, todoFile));
  const named = typed === undefined ? "" : ` ${clean(typed)}`;
  const found = plural(problems.length, "problem");
  const line = `looper: ${shown} has ${found}: looper validate${named} shows them`;
  await shell.say({ level: "error", lines: [line] });
  return "no";
}
