// The question or pause that a task waits for, in words, with the command that helps. Pure.
import { shorten } from "../../../system/text/cut.js";
import type { Task } from "../../../todo/model/task.js";
import { answerCommand, describeBy, openQuestion } from "../../../workflow/question.js";

/** Of a question, which an agent may make as long as it likes; `looper questions ID` shows all of it. */
const MOST_LETTERS = 500;

export interface Help {
  /** To be read after the task's id: `waits for an answer to T1.2: Carry out this plan?` */
  because: string;
  /** To be read before the command: `answer it with`. */
  how: string;
  command: string;
}

/** `undefined`: the task waits for no one. An open question comes before a pause, as it is what a person decides first. */
export function helpOf({ id, progress }: Pick<Task, "id" | "progress">): Help | undefined {
  const question = progress?.complete === undefined ? openQuestion(progress) : undefined;
  if (question !== undefined)
    return {
      because: `waits for an answer to ${question.id}: ${shorten(question.text, MOST_LETTERS)}`,
      how: "answer it with",
      command: answerCommand(question),
    };
  const paused = progress?.paused;
  if (paused === undefined) return undefined;
  const why = paused.why === undefined ? "" : `: ${paused.why}`;
  return {
    because: `is paused, by ${describeBy(paused)}${why}`,
    how: "lift the pause with",
    command: `looper resume ${id}`,
  };
}
