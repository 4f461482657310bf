// The text that a person changed with their answer: from the file of --edit, or in an editor, where the result is shown once more.
import path from "node:path";
import { UserError } from "../../../src/system/errors.js";
import { EDIT, findQuestion, type TypedAnswer } from "../../../src/todo/change/person-answers.js";
import type { Task } from "../../../src/todo/model/task.js";
import type { Question } from "../../../src/workflow/progress.js";
import { hasFlag, textFlag, type CommandContext, type Typed } from "../../context/command-context.js";
import { editShown, takeEdited } from "./edit-in-place.js";
import { projectOf, readNamedFile, shownPath } from "../project.js";
import { readTasks } from "../read-tasks.js";
import { readShown, showText } from "./shown-work.js";
import { tasksFolder } from "../../../src/config/project/tasks-folder.js";

/** A changed text, or none; `left`: the person changed nothing or did not confirm it. */
export type EditedAnswer = Pick<TypedAnswer, "edited" | "arguments"> | "left";

/** The text that the answer changes. `word`: the outcome that was typed, `approve` included. */
export async function answerEdited(
  context: CommandContext,
  typed: Typed,
  { id, word }: { id: string; word: string | undefined },
): Promise<EditedAnswer> {
  const named = textFlag(typed, "--edit");
  const wanted = named !== undefined || hasFlag(typed, "--edit");
  if (!wanted && word !== EDIT) return {};
  const project = await projectOf(context, { file: textFlag(typed, "--file"), quiet: true });
  const { tasks } = await readTasks(context, project);
  const { task, question } = findQuestion(tasks, id);
  if (!wanted && !isAboutText(task, question)) return {};
  mustFitCall(question, word);
  if (named !== undefined) {
    const bytes = await readNamedFile(context, path.resolve(context.cwd, named), "file");
    const text = new TextDecoder().decode(bytes);
    return (await takeEdited(context, project, { task, question, text })).typed;
  }
  if (!context.stdin.isTerminal || !context.out.isTerminal)
    throw noTerminal(context, { task, question, id, word, folder: tasksFolder(project) });
  const shown = await readShown(context, project, { task, question });
  if ("changed" in shown) throw new UserError("no", shown.changed);
  const changed = await editShown(context, project, { task, question });
  if (changed === undefined) return "left";
  // A person approves what was shown: the changed text, once more.
  await showText(context, project, changed.text);
  return (await context.confirm(confirmText(question, word), [], "no")) ? changed.typed : "left";
}

function confirmText({ source }: Question, word: string | undefined): string {
  if (word === "approve") return "Approve it as it is shown?";
  return source === "tool" ? "Allow the call as it is shown?" : "Answer with it as it is shown?";
}

/** Whether the question has the outcome edit, and a text to change. */
function isAboutText({ progress }: Task, { outcomes, edits, source }: Question): boolean {
  if (!outcomes.includes(EDIT)) return false;
  return source === "tool" || (edits !== undefined && progress?.outputs?.[edits] !== undefined);
}

/** A changed call is allowed by the answer `edit` alone. */
function mustFitCall({ source, id }: Question, word: string | undefined): void {
  if (source !== "tool" || word === undefined || word === EDIT) return;
  throw new UserError(
    "usage",
    `cannot answer ${word} with changed arguments`,
    `\`looper answer ${id} edit\` changes the call and allows it`,
  );
}

interface Refused {
  task: Task;
  question: Question;
  id: string;
  word: string | undefined;
  folder: string;
}

/** The refusal without a terminal, with the way that needs none. */
function noTerminal(context: CommandContext, { task, question, id, word, folder }: Refused): UserError {
  const command = word === "approve" ? `looper approve ${id}` : `looper answer ${id} edit`;
  if (question.source === "tool")
    return new UserError(
      "usage",
      "cannot open an editor without a terminal",
      `write the changed arguments into a file, and name it: ${command} --edit FILE`,
    );
  const { edits = "" } = question;
  const output = task.progress?.outputs?.[edits];
  const shown = output === undefined ? "it" : shownPath(context, path.join(folder, output.file));
  return new UserError(
    "usage",
    `cannot open ${edits} in an editor without a terminal`,
    `copy ${shown}, change the copy, and name it: ${command} --edit FILE`,
  );
}
