// Questions and answers of a task's progress: which question is open, whether an answer may be given to it, and what to say
// if it may not. Pure. Leaves changing the row to todo/change.
import type { Answer, By, Progress, Question } from "./progress.js";

/** An answer as it arrives, before the store adds the time. */
export type GivenAnswer = Omit<Answer, "at">;

/** The question that waits for an answer; `undefined` if none is asked, or it was answered and the answer is not taken yet. */
export function openQuestion(progress: Progress | undefined): Question | undefined {
  const { question } = progress ?? {};
  return question === undefined || isAnswered(progress) ? undefined : question;
}

/** Whether the question was answered, and a run has yet to take the answer. */
export function isAnswered(progress: Progress | undefined): boolean {
  const { question, answer } = progress ?? {};
  return question !== undefined && answer?.question === question.id;
}

/** Who did something, when, and how: `ada (cli), 2026-11-24T08:00:00Z`. */
export function describeBy({ by, via, at }: By): string {
  return `${by} (${via}), ${at}`;
}

/** An answer in a few words: its outcome, or the first line of its text. */
export function describeAnswer({ outcome, text = "" }: Pick<Answer, "outcome" | "text">): string {
  return outcome ?? `"${text.trim().split("\n")[0] ?? ""}"`;
}

/** Why an answer is refused; `undefined` if it may be given. */
export function whyNotAnswered(progress: Progress | undefined, given: GivenAnswer): string | undefined {
  const { question, answer, answers = [] } = progress ?? {};
  if (question?.id !== given.question) {
    const before = answers.findLast((one) => one.question === given.question);
    if (before !== undefined) return wasAnswered(before);
    return question === undefined
      ? `the question ${given.question} is not open`
      : `the question ${given.question} is not open; ${question.id} is`;
  }
  if (answer?.question === question.id) return wasAnswered(answer);
  return whyNotValid(question, given);
}

function wasAnswered(answer: Answer): string {
  return `${answer.question} was already answered: ${describeAnswer(answer)}, by ${describeBy(answer)}`;
}

/** Why an answer does not fit its question, which is open. */
export function whyNotValid(question: Question, given: GivenAnswer): string | undefined {
  return whyNotOutcome(question, given) ?? whyNotShown(question, given) ?? whyNotEdited(question, given);
}

function whyNotOutcome({ id, outcomes }: Question, { outcome, text }: GivenAnswer): string | undefined {
  if (outcomes.length === 0) {
    if (outcome !== undefined) return `${id} takes a text, not the outcome ${outcome}`;
    return text === undefined || text.trim() === "" ? `the answer to ${id} has no text` : undefined;
  }
  const known = outcomes.join(", ");
  if (outcome === undefined) return `the answer to ${id} has no outcome; possible are ${known}`;
  return outcomes.includes(outcome)
    ? undefined
    : `${outcome} is not an outcome of ${id}; possible are ${known}`;
}

/** L24: what is approved is what was shown. */
function whyNotShown({ id, shows }: Question, { shown_sha256: shown }: GivenAnswer): string | undefined {
  if (shown === undefined || shown === shows?.sha256) return undefined;
  if (shows === undefined) return `${id} shows nothing, and the answer names a digest`;
  return `what ${id} shows has changed: it is ${shows.what} ${shows.sha256}, and the answer is about ${shown}`;
}

function whyNotEdited({ id, edits }: Question, { edited }: GivenAnswer): string | undefined {
  if (edited === undefined || edited.stage === edits) return undefined;
  return edits === undefined
    ? `the answer to ${id} cannot change an output`
    : `the answer to ${id} can change the output of ${edits}, not of ${edited.stage}`;
}

/** The command that answers a question: `looper answer T1.2 approve|reject`. */
export function answerCommand({ id, outcomes }: Pick<Question, "id" | "outcomes">): string {
  return outcomes.length === 0 ? `looper answer ${id} -m TEXT` : `looper answer ${id} ${outcomes.join("|")}`;
}
