// `looper questions`: the open questions, what each is about, and how to answer it.
import path from "node:path";
import { checkBacklog } from "../../../src/todo/check/check.js";
import { UserError } from "../../../src/system/errors.js";
import { questionsAnswer } from "../../../src/ui/answers/backlog/questions.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { listQuestions, questionLines } from "../../../src/ui/view/questions.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
import { printJson, printLines, projectOf, readNamedFile, shownPath } from "../../lookup/project.js";
import { tasksFolder } from "../../../src/config/project/tasks-folder.js";

/** The oldest question first. */
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
  const tasks = checked.backlog?.tasks ?? [];
  if (hasFlag(typed, "--json")) {
    const at = (file: string): string => path.join(folder, file);
    await printJson(context, questionsAnswer(project.todoFile, tasks, at));
    return "ok";
  }
  const { out, ports } = context;
  const scene = {
    colours: coloursFor(out.colour),
    now: ports.clock.now(),
    ...(out.isTerminal ? { columns: out.columns() } : {}),
  };
  const open = listQuestions(tasks, shownPath(context, folder));
  const lines = open.flatMap((one, at) => [...(at === 0 ? [] : [""]), ...questionLines(one, scene)]);
  await printLines(out, open.length === 0 ? ["no question is open"] : lines);
  return "ok";
}
