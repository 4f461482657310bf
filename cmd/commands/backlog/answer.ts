// `looper answer`, `approve` and `reject`: a person's answer to the open question of a task. An edit of the row like any
// other, and the first one counts. Leaves the rules to src/todo/change/person-answers.ts.
import { answerEdited, type EditedAnswer } from "../../lookup/workflows/edited-output.js";
import { nameOfUser } from "../../lookup/name-of-user.js";
import { given } from "../../../src/system/given.js";
import {
  answerQuestion,
  decideQuestion,
  type Person,
  type TypedAnswer,
} from "../../../src/todo/change/person-answers.js";
import type { EditAnswer } from "../../../src/ui/shapes/backlog.js";
import { describeAnswer } from "../../../src/workflow/question.js";
import { textFlag, type Command, type CommandContext, type Typed } from "../../context/command-context.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";
import { printLines, projectOf } from "../../lookup/project.js";
import { readTasks } from "../../lookup/read-tasks.js";
import { mustBeAsShown } from "../../lookup/workflows/shown-work.js";
import { clean } from "../../../src/ui/text.js";
import { edit } from "./edit.js";

const REFUSED = {
  what: "an agent of a run may not answer questions",
  instead: "report your own questions in the summary: questions",
};

/** `looper answer ID [OUTCOME] [-m TEXT] [--edit FILE]` */
export const answer: Command = async (context, typed) => {
  const [id = "", word] = typed.operands;
  const file = textFlag(typed, "--file");
  // Before anything is written or opened.
  await refuseAgents(context, { ...REFUSED, file });
  const said: TypedAnswer = given({ word, ...flagsOf(typed) });
  const edited = await answerEdited(context, typed, { id, word });
  if (edited === "left") return leave(context, id);
  await mustHaveSeen(context, typed, { id, word, edited });
  return edit(context, typed, {
    decide: answerQuestion(id, { ...said, ...edited }, personOf(context)),
    say: answeredLines,
    refused: REFUSED,
  });
};

/** `looper approve ID [-m TEXT]`: the outcome that agrees. */
export const approve: Command = (context, typed) => decide(context, typed, "approve");

/** `looper reject ID [-m TEXT]`: the outcome that refuses. */
export const reject: Command = (context, typed) => decide(context, typed, "reject");

async function decide(
  context: CommandContext,
  typed: Typed,
  word: "approve" | "reject",
): ReturnType<Command> {
  const [id = ""] = typed.operands;
  await refuseAgents(context, { ...REFUSED, file: textFlag(typed, "--file") });
  const edited = await answerEdited(context, typed, { id, word });
  if (edited === "left") return leave(context, id);
  await mustHaveSeen(context, typed, { id, word, edited });
  return edit(context, typed, {
    decide: decideQuestion(id, { word, ...given(flagsOf(typed)), ...edited }, personOf(context)),
    say: answeredLines,
    refused: REFUSED,
  });
}

/** The person who names no digest has read the files, which must be what was asked about. */
async function mustHaveSeen(
  context: CommandContext,
  typed: Typed,
  { id, word, edited }: { id: string; word: string | undefined; edited: Exclude<EditedAnswer, "left"> },
): Promise<void> {
  if (textFlag(typed, "--shown") !== undefined || Object.keys(edited).length > 0) return;
  const project = await projectOf(context, { file: textFlag(typed, "--file"), quiet: true });
  const { tasks } = await readTasks(context, project);
  await mustBeAsShown(context, project, { tasks, id, word });
}

/** The person changed nothing: the question stays open. */
async function leave({ err }: CommandContext, id: string): ReturnType<Command> {
  await printLines(err, [`${clean(id)} stays open: nothing was answered`]);
  return "no";
}

function flagsOf(typed: Typed): { message: string | undefined; shown: string | undefined } {
  return { message: textFlag(typed, "--message"), shown: textFlag(typed, "--shown") };
}

/** The person who types a command. */
export function personOf({ env }: CommandContext): Person {
  return { by: nameOfUser(env), via: "cli" };
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
