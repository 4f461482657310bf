// The answer of `looper questions --json`. Pure.
import { workRef } from "../../../git/base/names.js";
import type { Task } from "../../../todo/model/task.js";
import { answerCommand } from "../../../workflow/question.js";
import type { QuestionsAnswer } from "../../shapes/workflows.js";
import { listQuestions } from "../../view/open-questions.js";

type Shown = QuestionsAnswer["questions"][number]["shows"];

/**
 * The open questions, the oldest first. `at`: the absolute path of a file below `tasks_dir`; `tree`: the working tree, as it is part
 * of the name of a ref.
 */
export function questionsAnswer(
  file: string,
  tasks: readonly Task[],
  at: (file: string) => string,
  tree: string,
): QuestionsAnswer {
  const byId = new Map(tasks.map((task) => [task.id as string, task]));
  const questions = listQuestions(tasks, "").map(
    ({ task, title, stage, visit, question, paused, verdict }) => ({
      id: question.id,
      task,
      title,
      stage,
      visit,
      source: question.source,
      text: question.text,
      outcomes: question.outcomes,
      asked_at: question.asked_at,
      since: question.asked_at,
      deadline: question.deadline ?? null,
      on_timeout: question.on_timeout ?? null,
      edits: question.edits ?? null,
      paused: paused === true,
      verdict: verdict ?? null,
      shows: shownBy(byId.get(task), at, tree),
      call: question.call ?? null,
      command: answerCommand(question),
    }),
  );
  return { file, questions };
}

function shownBy(task: Task | undefined, at: (file: string) => string, tree: string): Shown {
  const { question, outputs, work } = task?.progress ?? {};
  const shows = question?.shows;
  if (task === undefined || shows === undefined) return null;
  if (question?.call !== undefined)
    return { ...shows, ...{ file: null, readable: null, ref: null, commit: null, base: null } };
  const output = outputs?.[shows.what];
  const isWork = output === undefined && work !== undefined;
  return {
    ...shows,
    file: output === undefined ? null : at(output.file),
    readable: output === undefined ? null : at(output.file.replace(/\.json$/u, ".md")),
    ref: isWork ? workRef(tree, task.id) : null,
    commit: isWork ? work.commit : null,
    base: isWork ? work.base : null,
  };
}
