// `looper answer`, `approve` and `reject`: a person's answer to the open question of a task. An edit of the row like any
// other, and the first one counts. Leaves the rules to src/todo/change/person-answers.ts.
import { answerEdited, type EditedAnswer } from "../../lookup/workflows/edited-output.js";
import { personOf } from "../../lookup/name-of-user.js";
import { given } from "../../../src/system/given.js";
import { answerQuestion, decideQuestion } from "../../../src/todo/change/person-answers.js";
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
export const answer: Command = (context, typed) => give(context, typed, typed.operands[1], answerQuestion);

/** `looper approve ID [-m TEXT]`: the outcome that agrees. */
export const approve: Command = (context, typed) =>
  give(context, typed, "approve", (id, said, by) => decideQuestion(id, { ...said, word: "approve" }, by));

/** `looper reject ID [-m TEXT]`: the outcome that refuses. */
export const reject: Command = (context, typed) =>
  give(context, typed, "reject", (id, said, by) => decideQuestion(id, { ...said, word: "reject" }, by));

async function give(
  context: CommandContext,
  typed: Typed,
  word: string | undefined,
  decide: typeof answerQuestion,
): ReturnType<Command> {
  const [id = ""] = typed.operands;
  // Before anything is written or opened.
  await refuseAgents(context, { ...REFUSED, file: textFlag(typed, "--file") });
  const edited = await answerEdited(context, typed, { id, word });
  if (edited === "left") {
    await printLines(context.err, [`${clean(id)} stays open: nothing was answered`]);
    return "no";
  }
  await mustHaveSeen(context, typed, { id, word, edited });
  const [message, shown] = [textFlag(typed, "--message"), textFlag(typed, "--shown")];
  return edit(context, typed, {
    decide: decide(id, { ...given({ word, message, shown }), ...edited }, personOf(context)),
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

/** The answer that was given, and the run that takes it. */
function answeredLines({ tasks, run }: EditAnswer): string[] {
  return tasks.flatMap(({ id, progress }) => {
    const { question, answer: said } = progress ?? {};
    const next = run === null ? "the next run takes it" : `run ${run} takes it`;
    if (question === undefined || said === undefined) return [`${id}: answered; ${next}`];
    return [`${question.id}: ${describeAnswer(said)}; ${next}`];
  });
}
