// Questions and answers of a task's progress: which question is open, whether an answer may be given to it, and what to say
// if it may not. Pure. Leaves changing the row to todo/change.
import type { Answer, GivenAnswer, Progress, Question } from "./progress.js";

/** The id of the question that a task asks, or would ask, in its visit. */
export function questionId(task: string, { visit, first = 0 }: Pick<Progress, "visit" | "first">): string {
  return `${task}.${String(first + visit)}`;
}

/** The id of the question of the visit before. */
export function questionIdBefore(task: string, { visit, first }: Pick<Progress, "visit" | "first">): string {
  return questionId(task, { visit: visit - 1, first });
}

/** The question that waits for an answer; `undefined` if none is asked, or it was answered and the answer is not taken yet. */
export function openQuestion(progress: Progress | undefined): Question | undefined {
  return isAnswered(progress) ? undefined : progress?.question;
}

/** Whether the question has an answer that fits, and a run has yet to take it. */
export function isAnswered(progress: Progress | undefined): boolean {
  const { question, answer } = progress ?? {};
  return question !== undefined && answer !== undefined && whyNotValid(question, answer) === undefined;
}

/** The person who did something, with time and way: `ada (cli), 2026-11-24T08:00:00Z`. A person may leave it out of the file. */
export function describeBy({
  by = UNKNOWN,
  via = "file",
  at,
}: Pick<GivenAnswer, "by" | "via" | "at">): string {
  return `${by} (${via})${at === undefined ? "" : `, ${at}`}`;
}

/** The person in `by` whose name is not known. */
export const UNKNOWN = "unknown";

/** Whether the task was given up because a person said no: it is at `block`, and the answer that led there paused it. */
export function isRejected({ stage, paused, answers }: Partial<Progress> = {}): boolean {
  const last = answers?.at(-1);
  return stage === "block" && last !== undefined && paused?.at === last.at && paused.by === last.by;
}

/** An answer as it is taken: with what a person left out of the file. */
export function completeAnswer(question: Question, answer: GivenAnswer, now: string): Answer {
  const { by = UNKNOWN, via = "file", at = now, shown_sha256: shown = question.shows?.sha256 } = answer;
  return {
    ...answer,
    question: question.id,
    ...{ by, via, at, asked: question.text },
    ...(shown === undefined ? {} : { shown_sha256: shown }),
  };
}

/** An answer in a few words: its outcome, or the first line of its text. */
export function describeAnswer({ outcome, text = "" }: Pick<Answer, "outcome" | "text">): string {
  return outcome ?? `"${text.trim().split("\n")[0] ?? ""}"`;
}

/** Why an answer is refused; `undefined` if it may be given. */
export function whyNotAnswered(progress: Progress | undefined, given: GivenAnswer): string | undefined {
  const { question, answer, answers = [] } = progress ?? {};
  const { question: to = question?.id } = given;
  if (question === undefined || to !== question.id) {
    const before = answers.findLast((one) => one.question === to);
    if (before !== undefined) return wasAnswered(before.question, before);
    const named = to === undefined ? "no question of it" : `the question ${to}`;
    if (question === undefined) return `${named} is ${to === undefined ? "" : "not "}open`;
    return `${named} is not open; ${question.id} is`;
  }
  if (answer !== undefined && isAnswered(progress)) return wasAnswered(question.id, answer);
  return whyNotValid(question, given);
}

function wasAnswered(id: string, answer: GivenAnswer): string {
  return `${id} was already answered: ${describeAnswer(answer)}, by ${describeBy(answer)}`;
}

/** Why an answer does not fit its question, which is open. */
export function whyNotValid(question: Question, given: GivenAnswer): string | undefined {
  if (given.question !== undefined && given.question !== question.id)
    return `it answers ${given.question}, and the question is ${question.id}`;
  return whyNotOutcome(question, given) ?? whyNotShown(question, given) ?? whyNotChanged(question, given);
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

/** The output or the arguments that a person changed; L24: a changed call is one whose new arguments the answer holds. */
function whyNotChanged(
  { id, edits, source }: Question,
  { edited, outcome, arguments: args }: GivenAnswer,
): string | undefined {
  const isCall = source === "tool" && outcome === "edit";
  if (args !== undefined && !isCall) return `the answer to ${id} cannot change arguments`;
  if (isCall && args === undefined) return `the answer edit to ${id} needs the changed arguments`;
  if (edited === undefined || edited.stage === edits) return undefined;
  return edits === undefined
    ? `the answer to ${id} cannot change an output`
    : `the answer to ${id} can change the output of ${edits}, not of ${edited.stage}`;
}

/** The command that answers a question: `looper answer T1.2 (approve, reject)`. A shell that it is pasted into runs nothing. */
export function answerCommand({ id, outcomes }: Pick<Question, "id" | "outcomes">): string {
  return `looper answer ${id} ${outcomes.length === 0 ? "-m TEXT" : `(${outcomes.join(", ")})`}`;
}

/** The names of an outcome that refuses. */
const REFUSALS: readonly string[] = ["reject", "no"];

/** The outcome that agrees: the first that is declared; `undefined` where any text is an answer. */
export function yesOf({ outcomes }: Pick<Question, "outcomes">): string | undefined {
  return outcomes[0];
}

/** The outcome that refuses: the declared one of that name, else the last; `undefined` where it has only one. */
export function noOf({ outcomes }: Pick<Question, "outcomes">): string | undefined {
  return (
    outcomes.find((one) => REFUSALS.includes(one)) ?? (outcomes.length > 1 ? outcomes.at(-1) : undefined)
  );
}
