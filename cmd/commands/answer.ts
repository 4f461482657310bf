// `looper answer`, `approve` and `reject`: a person's answer to the open question of a task: an edit of its
// row like any other, and the first one counts. The text of --edit becomes a file of its own; what was shown
// stays. Leaves the rules to src/todo/change/person-answers.ts.
import path from "node:path";
import { Argument, Option } from "commander";
import { type UserError, usageError } from "../../src/system/errors.js";
import { given } from "../../src/system/given.js";
import { answerQuestion, decideQuestion, EDIT, findQuestion } from "../../src/todo/change/person-answers.js";
import type { Task } from "../../src/todo/model/task.js";
import type { EditAnswer } from "../../src/ui/shapes/backlog.js";
import type { Question } from "../../src/workflow/progress.js";
import { describeAnswer } from "../../src/workflow/question.js";
import { QUESTION, type NotForAgents } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { edit, EDITING, type EditingCommand } from "../lookup/edit.js";
import { personOf } from "../lookup/caller.js";
import { projectOf, readNamedFile, shownPath } from "../lookup/project.js";
import { readTasks } from "../lookup/read-tasks.js";
import { answerShared } from "../lookup/share.js";
import { takeEdited, type EditedAnswer } from "../lookup/workflows/edited-answer.js";
import { mustBeAsShown, type AskedTask, type AskingPlace } from "../lookup/workflows/shown-work.js";

interface Request {
  id: string;
  outcome?: string;
  message?: string;
  /** The file of the changed text. */
  edit?: string;
  /** The changed text itself, from the server. */
  text?: string;
  shown?: string;
  file?: string;
}

const MESSAGE = new Option("-m, --message <text>", "a remark, or the answer's text");
const EDIT_OPTION = new Option("--edit <file>", "change what is shown: to the JSON of this file");
const SHOWN = new Option("--shown <text>", "only if it still shows this SHA-256 (see questions --json)");

const REFUSED: NotForAgents = ["answer questions", "report your own questions in the summary: questions"];

export const command: EditingCommand<Request> = {
  ...EDITING,
  arguments: [QUESTION, new Argument("[outcome]", "one of its outcomes, or the answer's text")],
  options: [MESSAGE, EDIT_OPTION, SHOWN, ...EDITING.options],
  examples: [
    ['looper answer T3 revise -m "leave the API as it is"', "send a plan back"],
    ['looper answer T3 -m "port 8080"', "answer the question of an agent"],
    ["looper answer T3 edit --edit plan.json", "change the plan; you are asked about it again"],
  ],
  refused: REFUSED,
  answer: (context, request) => give(context, request, request.outcome, answerQuestion),
};

/** A command that answers with the outcome that agrees or refuses, whatever its name. */
const decision = (
  word: "approve" | "reject",
  options: readonly Option[],
  examples: EditingCommand<Request>["examples"],
): EditingCommand<Request> => ({
  ...{
    ...EDITING,
    examples: examples ?? [],
    arguments: [QUESTION],
    options: [...options, ...EDITING.options],
  },
  refused: REFUSED,
  answer: (context, request) =>
    give(context, request, word, (id, said, by) => decideQuestion(id, { ...said, word }, by)),
});

export const approve = decision(
  "approve",
  [MESSAGE, EDIT_OPTION, SHOWN],
  [
    ["looper approve T3", "carry out what T3 asks about"],
    ["looper approve T3 --edit plan.json", "change the plan, and approve that"],
  ],
);

export const reject = decision(
  "reject",
  [MESSAGE, SHOWN],
  [['looper reject T3 -m "too big"', "give T3 up, or send it back, as its workflow says"]],
);

async function give(
  context: CommandContext,
  request: Request,
  word: string | undefined,
  decide: typeof answerQuestion,
) {
  const { id, file, message, shown } = request;
  const project = await projectOf(context, { file, quiet: true });
  return answerShared(context, project, async () => {
    const { tasks } = await readTasks(context, project);
    const edited = await answerEdited({ context, project, tasks }, request, word);
    // The person who names no digest has read the files, which must be what was asked about.
    if (shown === undefined && Object.keys(edited).length === 0)
      await mustBeAsShown({ context, project, tasks }, id, word);
    return edit(context, request, {
      decide: decide(id, { ...given({ word, message, shown }), ...edited }, personOf(context)),
      say: answeredLines,
    });
  });
}

/** The answer that was given, and the run that takes it. */
function answeredLines({ tasks, run }: EditAnswer): string[] {
  return tasks.flatMap(({ id, progress }) => {
    const { question, answer: said } = progress ?? {};
    const next = run === null ? "the next run takes it" : `run ${run} takes it`;
    if (question === undefined || said === undefined) return [`${id}: answered; ${next}`];
    return [`${question.id}: ${describeAnswer(said)}; ${next}`];
  });
}

/** The text that the answer changes. `word`: the outcome that was typed, `approve` included. */
async function answerEdited(
  { context, project, tasks }: AskingPlace,
  { id, edit: named, text: typed }: Request,
  word: string | undefined,
): Promise<EditedAnswer> {
  if (named === undefined && typed === undefined && word !== EDIT) return {};
  const { task, question } = findQuestion(tasks, id);
  const asked = { context, project, task, question };
  if (named === undefined && typed === undefined) {
    if (!isAboutText(task, question)) return {};
    throw noFile(asked, id);
  }
  const bytes =
    named === undefined ? undefined : await readNamedFile(context, path.resolve(context.cwd, named), "file");
  return takeEdited(asked, typed ?? new TextDecoder().decode(bytes), word);
}

/** Whether the question has the outcome edit, and a text to change. */
function isAboutText({ progress }: Task, { outcomes, edits, source }: Question): boolean {
  if (!outcomes.includes(EDIT)) return false;
  return source === "tool" || (edits !== undefined && progress?.outputs?.[edits] !== undefined);
}

/** The refusal of an edit without the changed text. */
function noFile({ context, project, task, question }: AskedTask, id: string): UserError {
  const command = `looper answer ${id} edit --edit FILE`;
  if (question.source === "tool")
    return usageError("the changed arguments are missing", `write them into a file, and name it: ${command}`);
  const { edits = "" } = question;
  const output = task.progress?.outputs?.[edits];
  const shown =
    output === undefined ? "it" : shownPath(context, path.join(project.paths.tasksDir, output.file));
  return usageError(
    `the changed ${edits} is missing`,
    `copy ${shown}, change the copy, and name it: ${command}`,
  );
}
