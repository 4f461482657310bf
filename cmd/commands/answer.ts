// `looper answer`, `approve` and `reject`: a person's answer to the open question of a task, with the text that they changed: that of
// --edit, or from an editor, where the result is shown once more. An edit of the row like any other, and the first one counts.
// Leaves the rules to src/todo/change/person-answers.ts.
import path from "node:path";
import { Argument, Option } from "commander";
import { UserError, usageError } from "../../src/system/errors.js";
import { given } from "../../src/system/given.js";
import {
  answerQuestion,
  decideQuestion,
  EDIT,
  findQuestion,
  type TypedAnswer,
} from "../../src/todo/change/person-answers.js";
import type { Task } from "../../src/todo/model/task.js";
import type { EditAnswer } from "../../src/ui/shapes/backlog.js";
import { clean } from "../../src/ui/text.js";
import type { Question } from "../../src/workflow/progress.js";
import { describeAnswer } from "../../src/workflow/question.js";
import { QUESTION, type SaidAnswer } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { edit, EDITING, type EditingCommand } from "../lookup/edit.js";
import { personOf } from "../lookup/name-of-user.js";
import { printLines, projectOf, readNamedFile, shownPath } from "../lookup/project.js";
import { readTasks } from "../lookup/read-tasks.js";
import { refuseAgents } from "../lookup/under-an-agent.js";
import { editShown, takeEdited } from "../lookup/workflows/edit-in-place.js";
import { mustBeAsShown, readShown, showText, type AskedTask } from "../lookup/workflows/shown-work.js";

interface Request {
  id: string;
  outcome?: string;
  message?: string;
  /** The file of the changed text; `true`: it is changed in an editor. */
  edit?: string | true;
  shown?: string;
  file?: string;
}

const MESSAGE = new Option("-m, --message <text>", "a remark, or the answer's text");
const EDIT_OPTION = new Option("--edit [file]", "change what is shown: in $EDITOR, or as this JSON file");
const SHOWN = new Option("--shown <text>", "only if it still shows this SHA-256 (see questions --json)");

export const command: EditingCommand<Request> = {
  ...EDITING,
  arguments: [QUESTION, new Argument("[outcome]", "one of its outcomes, or the answer's text")],
  options: [MESSAGE, EDIT_OPTION, SHOWN, ...EDITING.options],
  examples: [
    ['looper answer T3 revise -m "leave the API as it is"', "send a plan back"],
    ['looper answer T3 -m "port 8080"', "answer the question of an agent"],
    ["looper answer T3 edit", "change the plan in $EDITOR; you are asked about it again"],
    ["looper answer T3 edit --edit plan.json", "the same with a file"],
  ],
  answer: (context, request) => give(context, request, request.outcome, answerQuestion),
};

/** `looper approve ID [-m TEXT]`: the outcome that agrees. */
export const approve: EditingCommand<Request> = {
  ...EDITING,
  arguments: [QUESTION],
  options: [MESSAGE, EDIT_OPTION, SHOWN, ...EDITING.options],
  examples: [
    ["looper approve T3", "carry out what T3 asks about"],
    ["looper approve T3 --edit", "change the plan in $EDITOR, see it, and approve that"],
    ['looper approve T3 -m "skip the tests of the CLI"', "the same, with a remark for the agent"],
  ],
  answer: (context, request) =>
    give(context, request, "approve", (id, said, by) => decideQuestion(id, { ...said, word: "approve" }, by)),
};

/** `looper reject ID [-m TEXT]`: the outcome that refuses. */
export const reject: EditingCommand<Request> = {
  ...EDITING,
  arguments: [QUESTION],
  options: [MESSAGE, SHOWN, ...EDITING.options],
  examples: [
    ['looper reject T3 -m "too big"', "give T3 up, or send it back, as its workflow says"],
    ["looper reject T3.3", "the same, only if that question is still open"],
  ],
  answer: (context, request) =>
    give(context, request, "reject", (id, said, by) => decideQuestion(id, { ...said, word: "reject" }, by)),
};

const REFUSED = {
  what: "an agent of a run may not answer questions",
  instead: "report your own questions in the summary: questions",
};

async function give(
  context: CommandContext,
  request: Request,
  word: string | undefined,
  decide: typeof answerQuestion,
): Promise<SaidAnswer> {
  const { id, file, message, shown } = request;
  // Before anything is written or opened.
  await refuseAgents(context, { ...REFUSED, file });
  const edited = await answerEdited(context, request, word);
  if (edited === "left") {
    await printLines(context.err, [`${clean(id)} stays open: nothing was answered`]);
    return { json: undefined, lines: [], end: "no" };
  }
  // The person who names no digest has read the files, which must be what was asked about.
  if (shown === undefined && Object.keys(edited).length === 0)
    await mustBeAsShown(context, { file, id, word });
  return edit(context, request, {
    decide: decide(id, { ...given({ word, message, shown }), ...edited }, personOf(context)),
    say: answeredLines,
    refused: REFUSED,
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

/** A changed text, or none; `left`: the person changed nothing or did not confirm it. */
type EditedAnswer = Pick<TypedAnswer, "edited" | "arguments"> | "left";

/** The text that the answer changes. `word`: the outcome that was typed, `approve` included. */
async function answerEdited(
  context: CommandContext,
  { id, file, edit: named }: Request,
  word: string | undefined,
): Promise<EditedAnswer> {
  const wanted = named !== undefined;
  if (!wanted && word !== EDIT) return {};
  const project = await projectOf(context, { file, quiet: true });
  const { tasks } = await readTasks(context, project);
  const { task, question } = findQuestion(tasks, id);
  const asked = { context, project, task, question };
  if (!wanted && !isAboutText(task, question)) return {};
  mustFitCall(question, word);
  if (typeof named === "string") {
    const bytes = await readNamedFile(context, path.resolve(context.cwd, named), "file");
    const text = new TextDecoder().decode(bytes);
    return (await takeEdited(asked, text)).typed;
  }
  if (!context.stdin.isTerminal || !context.out.isTerminal) throw noTerminal(asked, id, word);
  const shown = await readShown(asked);
  if ("changed" in shown) throw new UserError("no", shown.changed);
  const changed = await editShown(asked);
  if (changed === undefined) return "left";
  // A person approves what was shown: the changed text, once more.
  await showText(asked, changed.text);
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
  throw usageError(
    `cannot answer ${word} with changed arguments`,
    `\`looper answer ${id} edit\` changes the call and allows it`,
  );
}

/** The refusal without a terminal, with the way that needs none. */
function noTerminal(
  { context, project, task, question }: AskedTask,
  id: string,
  word: string | undefined,
): UserError {
  const command = word === "approve" ? `looper approve ${id}` : `looper answer ${id} edit`;
  if (question.source === "tool")
    return usageError(
      "cannot open an editor without a terminal",
      `write the changed arguments into a file, and name it: ${command} --edit FILE`,
    );
  const { edits = "" } = question;
  const output = task.progress?.outputs?.[edits];
  const shown =
    output === undefined ? "it" : shownPath(context, path.join(project.paths.tasksDir, output.file));
  return usageError(
    `cannot open ${edits} in an editor without a terminal`,
    `copy ${shown}, change the copy, and name it: ${command} --edit FILE`,
  );
}
