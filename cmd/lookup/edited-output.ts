// The output that a person changed with their answer: from the file of --edit, or in an editor.
import path from "node:path";
import { findEditable, writeEdited } from "../../src/loop/runs/edited-output.js";
import { UserError } from "../../src/system/errors.js";
import { EDIT, findQuestion } from "../../src/todo/change/person-answers.js";
import type { Task } from "../../src/todo/model/task.js";
import type { Question, StageOutput } from "../../src/workflow/progress.js";
import { textFlag, type CommandContext, type Typed } from "../context/command-context.js";
import { nameOfUser } from "./name-of-user.js";
import { projectOf, readNamedFile, shownPath } from "./project.js";
import { readTasks } from "./read-tasks.js";
import { tasksFolder } from "../../src/config/project/tasks-folder.js";

/** The changed output; `undefined` where the answer changes none. */
export async function answerEdited(
  context: CommandContext,
  typed: Typed,
  { id, word }: { id: string; word: string | undefined },
): Promise<StageOutput | undefined> {
  const named = textFlag(typed, "--edit");
  if (named === undefined && word !== EDIT) return undefined;
  const project = await projectOf(context, { file: textFlag(typed, "--file"), quiet: true });
  const { tasks } = await readTasks(context, project);
  const { task, question } = findQuestion(tasks, id);
  if (named === undefined && !isAboutOutput(task, question)) return undefined;
  const editable = findEditable(task, question);
  const tasksDir = tasksFolder(project);
  if (named === undefined) {
    const shown = shownPath(context, path.join(tasksDir, editable.output.file));
    throw new UserError(
      "usage",
      `cannot edit ${editable.output.stage}: no changed version is given`,
      `copy ${shown}, change the copy, and name it: looper answer ${id} edit --edit FILE`,
    );
  }
  const bytes = await readNamedFile(context, path.resolve(context.cwd, named), "file");
  return writeEdited(context.ports.files, editable, {
    tasksDir,
    text: new TextDecoder().decode(bytes),
    by: nameOfUser(context.env),
    at: new Date(context.ports.clock.now()).toISOString(),
  });
}

/** Whether the question has the outcome edit, and an output to change. */
function isAboutOutput({ progress }: Task, { outcomes, edits }: Question): boolean {
  return outcomes.includes(EDIT) && edits !== undefined && progress?.outputs?.[edits] !== undefined;
}
