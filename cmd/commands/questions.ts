// `looper questions`: the open questions, what each is about, and how to answer it.
import path from "node:path";
import { Argument } from "commander";
import type { Project } from "../../src/config/project/open-project.js";
import { openRepository } from "../../src/git/base/repository/repository.js";
import { makeRepositoryPlaces } from "../../src/loop/runs/run-request.js";
import { findQuestion } from "../../src/todo/change/person-answers.js";
import type { Task } from "../../src/todo/model/task.js";
import { questionsAnswer } from "../../src/ui/answers/backlog/questions.js";
import { listQuestions, questionLines } from "../../src/ui/view/open-questions.js";
import { JSON_OPTION, QUESTION, TODO_FILE, type AnsweringCommand } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { lookOf, projectOf, shownPath, warn } from "../lookup/project.js";
import { readValidTasks } from "../lookup/read-tasks.js";
import { shareHere } from "../lookup/share.js";
import { readShown, type Shown } from "../lookup/workflows/shown-work.js";

interface Request {
  id?: string;
  file?: string;
  json?: true;
}

/** The oldest question first; with an id that one in full, and what is decided on. */
export const command: AnsweringCommand<Request> = {
  arguments: [new Argument("[id]", QUESTION.description)],
  options: [TODO_FILE, JSON_OPTION],
  examples: [
    ["looper questions", "list what is asked, with the commands that answer"],
    ["looper questions T3", "one question in full, with the plan or the diff that it shows"],
  ],
  answer: async (context, { id, file, json }) => {
    const project = await projectOf(context, { file });
    for (const late of await shareHere(context, project)) await warn(context, late);
    const all = await readValidTasks(context, project);
    const one = id === undefined ? undefined : findQuestion(all, id);
    const tasks = one === undefined ? all : [one.task];
    const folder = project.paths.tasksDir;
    const at = (name: string): string => path.join(folder, name);
    const answer = questionsAnswer(project.todoFile, tasks, at, await treeOf(context, project, tasks));
    const { out, ports } = context;
    const scene = { ...lookOf(out), now: ports.clock.now(), whole: one !== undefined };
    const open = listQuestions(tasks, shownPath(context, folder));
    const lines = open.flatMap((asked, nth) => [...(nth === 0 ? [] : [""]), ...questionLines(asked, scene)]);
    if (open.length === 0) return { json: answer, lines: ["no question is open"] };
    // The subject of the decision, unless it was changed after the question.
    const shown: Shown =
      one === undefined || json === true
        ? { nothing: true }
        : await readShown({ context, project, ...one }, out);
    const changed = "changed" in shown ? shown.changed : undefined;
    const subject = "text" in shown ? ["", ...shown.text] : [];
    return { json: answer, lines: [...lines, ...subject], problem: changed };
  },
};

/** The working tree that refs are named by. Only a question that shows saved work has one. */
async function treeOf({ ports, env }: CommandContext, project: Project, tasks: readonly Task[]) {
  if (!tasks.some(({ progress }) => progress?.work !== undefined && progress.question?.shows !== undefined))
    return "main";
  const opened = await openRepository(ports, makeRepositoryPlaces({ project, env }));
  return opened.ok ? opened.value.tree : "main";
}
