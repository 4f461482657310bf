// `looper questions`: the open questions, what each is about, and how to answer it.
import path from "node:path";
import type { Project } from "../../../src/config/project/open-project.js";
import { makeRepositoryPlaces } from "../../../src/loop/runs/repository-places.js";
import { openRepository } from "../../../src/git/base/repository/repository.js";
import type { Task } from "../../../src/todo/model/task.js";
import { checkBacklog } from "../../../src/todo/check/check.js";
import { findQuestion, type FoundQuestion } from "../../../src/todo/change/person-answers.js";
import { UserError } from "../../../src/system/errors.js";
import { questionsAnswer } from "../../../src/ui/answers/backlog/questions.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { listQuestions, questionLines, type QuestionScene } from "../../../src/ui/view/open-questions.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
import { printJson, printLines, projectOf, readNamedFile, shownPath } from "../../lookup/project.js";
import { readShown } from "../../lookup/workflows/shown-work.js";
import { tasksFolder } from "../../../src/config/project/tasks-folder.js";

/** The oldest question first; with an id that one in full, and what is decided on. */
export async function questions(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const project = await projectOf(context, { file: textFlag(typed, "--file") });
  const bytes = await readNamedFile(context, project.todoFile, "task file");
  const checked = checkBacklog(bytes, await checkOptionsOf(context, project));
  if (checked.kind === "invalid")
    throw new UserError(
      "usage",
      `${shownPath(context, project.todoFile)} is not a valid backlog`,
      "list the problems with `looper validate`",
    );
  const folder = tasksFolder(project);
  const all = checked.backlog?.tasks ?? [];
  const [id] = typed.operands;
  const one = id === undefined ? undefined : findQuestion(all, id);
  const tasks = one === undefined ? all : [one.task];
  if (hasFlag(typed, "--json")) {
    const at = (file: string): string => path.join(folder, file);
    await printJson(
      context,
      questionsAnswer(project.todoFile, tasks, at, await treeOf(context, project, tasks)),
    );
    return "ok";
  }
  const { out, ports } = context;
  const scene: QuestionScene = {
    colours: coloursFor(out.colour),
    now: ports.clock.now(),
    ...(out.isTerminal ? { columns: out.columns() } : {}),
    whole: one !== undefined,
  };
  const open = listQuestions(tasks, shownPath(context, folder));
  const lines = open.flatMap((asked, at) => [...(at === 0 ? [] : [""]), ...questionLines(asked, scene)]);
  await printLines(out, open.length === 0 ? ["no question is open"] : lines);
  return one === undefined ? "ok" : printSubject(context, project, one);
}

/** The working tree that refs are named by. Git is asked only where a question shows saved work: nothing else has a ref. */
async function treeOf(
  { ports, env }: CommandContext,
  project: Project,
  tasks: readonly Task[],
): Promise<string> {
  if (!tasks.some(({ progress }) => progress?.work !== undefined && progress.question?.shows !== undefined))
    return "main";
  const opened = await openRepository(ports, makeRepositoryPlaces({ project, env }));
  return opened.ok ? opened.value.tree : "main";
}

/** Prints what is decided on; it is no longer that if it was changed after the question. */
async function printSubject(
  context: CommandContext,
  project: Project,
  found: FoundQuestion,
): Promise<CommandOutcome> {
  const shown = await readShown(context, project, found, context.out);
  if ("changed" in shown) {
    await context.report({ level: "error", lines: [`looper: ${shown.changed}`] });
    return "no";
  }
  if ("text" in shown) await printLines(context.out, ["", ...shown.text]);
  return "ok";
}
