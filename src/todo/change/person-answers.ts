// A person's answers, pauses and messages as changes of the newest backlog. Pure; throws a `UserError` for a task or question
// that does not exist or an answer that does not fit. stage-changes.ts makes the changes.
import { usageError, UserError } from "../../system/errors.js";
import { given } from "../../system/given.js";
import { nearest } from "../../system/text/nearest.js";
import type { Answer, By, GivenAnswer, Question, StageOutput } from "../../workflow/progress.js";
import {
  answerCommand,
  describeAnswer,
  describeBy,
  isAnswered,
  noOf,
  yesOf,
} from "../../workflow/question.js";
import type { PersonChange } from "../model/changes/person-change.js";
import { didYouMean } from "../model/problem.js";
import type { Task } from "../model/task.js";
import { whyComplete } from "./stage-changes.js";
import { requireTask, type PersonEdit } from "./person-edits.js";

/** The person, and the way in which their word arrived. */
export type Person = Pick<By, "by" | "via">;

/** An answer as a person typed it. */
export interface TypedAnswer {
  /** An outcome; where any text is an answer, the text. */
  word?: string;
  /** The comment; where any text is an answer and a word is missing, the text. */
  message?: string;
  /** The digest of what the person saw, or how it begins; absent: what the question shows now. */
  shown?: string;
  edited?: StageOutput;
  /** Of a call, as the person changed them. */
  arguments?: Readonly<Record<string, unknown>>;
}

/** A question that has no answer yet, and its task. */
export interface FoundQuestion {
  task: Task;
  question: Question;
}

/** Answers the question of a task; `id`: of the task or the question. */
export function answerQuestion(id: string, typed: TypedAnswer, person: Person): PersonEdit {
  return ({ tasks }) => {
    const found = findQuestion(tasks, id);
    const { edited, arguments: changed } = typed;
    const args = changed === undefined ? undefined : { ...changed };
    const shown = completeDigest(typed.shown, found.question.shows?.sha256);
    return [
      {
        op: "answer",
        id: found.task.id,
        question: found.question.id,
        ...readAnswer(found.question, typed),
        ...given({ shown_sha256: shown, edited, arguments: args }),
        ...person,
      },
    ];
  };
}

/** As many letters of a digest as git shows of a commit. */
const SHORTEST_DIGEST = 7;

/** The digest that a person means: the one that is shown if they name none, or its beginning. */
function completeDigest(typed: string | undefined, shown: string | undefined): string | undefined {
  if (typed === undefined || shown === undefined || !shown.startsWith(typed)) return typed ?? shown;
  if (typed.length < SHORTEST_DIGEST)
    throw usageError(
      `the digest ${typed} is too short: name at least its first ${String(SHORTEST_DIGEST)} letters`,
      `the question shows ${shown}`,
    );
  return shown;
}

/** Gives the answer that agrees, or the one that refuses. */
export function decideQuestion(
  id: string,
  how: Omit<TypedAnswer, "word"> & { word: "approve" | "reject" },
  person: Person,
): PersonEdit {
  return (backlog) => {
    const { question } = findQuestion(backlog.tasks, id);
    const outcome = how.word === "approve" ? yesOf(question) : noOf(question);
    if (outcome === undefined) {
      const why =
        question.outcomes.length === 0
          ? `${question.id} is answered with a text`
          : `${question.id} has no outcome that refuses`;
      throw usageError(`cannot ${how.word}: ${why}`, `answer it with \`${answerCommand(question)}\``);
    }
    return answerQuestion(id, { ...how, word: outcome }, person)(backlog);
  };
}

/** The open question that an id names: the id of a question, or of a task that has one. */
export function findQuestion(tasks: readonly Task[], id: string): FoundQuestion {
  const asked = tasks.find(({ progress }) => progress?.question?.id === id);
  const named = tasks.find((task) => task.id === id);
  if (asked !== undefined && named?.progress?.question !== undefined && asked !== named)
    throw usageError(
      `${id} is a task with a question of its own, and a question of ${asked.id}`,
      `name the question: ${named.progress.question.id}; or the task: ${asked.id}`,
    );
  const task = asked ?? named;
  const question = task?.progress?.question;
  if (task !== undefined && question !== undefined) {
    const { answer } = task.progress ?? {};
    if (answer === undefined || !isAnswered(task.progress)) return { task, question };
    throw answeredBefore(question.id, answer);
  }
  throw notOpen(tasks, id);
}

function answeredBefore(id: string, answer: GivenAnswer): UserError {
  return new UserError(
    "no",
    `${id} was already answered: ${describeAnswer(answer)}, by ${describeBy(answer)}`,
    "list the open questions with `looper questions`",
  );
}

/** Says of a question that is not open what became of it. */
function notOpen(tasks: readonly Task[], id: string): UserError {
  const hint = "list the open questions with `looper questions`";
  const given = tasks
    .flatMap(({ progress }) => progress?.answers ?? [])
    .findLast((one) => one.question === id);
  if (given !== undefined) return answeredBefore(id, given);
  const of = tasks.find(
    (task) => id.startsWith(`${task.id}.`) && /^\d+$/u.test(id.slice(task.id.length + 1)),
  );
  const task = of ?? requireTask(tasks, id);
  const open = task.progress?.question;
  if (of !== undefined) {
    const now = open === undefined ? "" : `; the question of ${task.id} is ${open.id}`;
    return new UserError("no", `the question ${id} is not open${now}`, hint);
  }
  const last = task.progress?.answers?.at(-1);
  const before =
    last === undefined
      ? ""
      : `; its last one, ${last.question}, was answered: ${describeAnswer(last)}, by ${describeBy(last)}`;
  return new UserError("no", `${id} has no open question${before}`, hint);
}

function readAnswer(
  question: Question,
  { word, message, edited, arguments: args }: TypedAnswer,
): Pick<Answer, "outcome" | "text" | "comment"> {
  const { id, outcomes } = question;
  const hint = `answer it with \`${answerCommand(question)}\``;
  if (outcomes.length === 0) {
    const text = word ?? message;
    if (text === undefined || text.trim() === "") throw usageError(`${id} needs a text`, hint);
    return { text, ...given({ comment: word === undefined ? undefined : message }) };
  }
  const outcome = word ?? (edited === undefined && args === undefined ? undefined : EDIT);
  if (outcome === undefined) throw usageError(`${id} needs an outcome`, hint);
  if (!outcomes.includes(outcome))
    throw usageError(
      `${outcome} is not an outcome of ${id}`,
      didYouMean(nearest(outcome, [...outcomes]), `possible are ${outcomes.join(", ")}`),
    );
  return { outcome, ...given({ comment: message }) };
}

/** The outcome of a person who changed what is shown. */
export const EDIT = "edit";

/** Pauses a task. */
export function pauseTask(id: string, why: string | undefined, person: Person): PersonEdit {
  return changeTask(id, (task) => ({ op: "pause", id: task.id, ...given({ why }), ...person }));
}

/** Lifts a pause. */
export function resumeTask(id: string, person: Person): PersonEdit {
  return changeTask(id, (task) => ({ op: "resume", id: task.id, ...person }));
}

/** Leaves a message for the task's agent. */
export function steerTask(id: string, text: string, person: Person): PersonEdit {
  if (text.trim() === "") throw usageError("the message is empty", 'looper steer T3 "use tabs"');
  return changeTask(id, (task) => ({ op: "note", id: task.id, text: text.trim(), ...person }));
}

/** Ends a task's workflow; no change if it has ended. */
export function completeTask(id: string, person: Person): PersonEdit {
  return ({ tasks }) => {
    const task = requireTask(tasks, id);
    return whyComplete(task) === undefined ? [{ op: "complete", id: task.id, ...person }] : [];
  };
}

/** Begins a task's workflow again, or at a stage of it. */
export function restartTask(id: string, stage: string | undefined, person: Person): PersonEdit {
  return changeTask(id, (task) => ({ op: "restart", id: task.id, ...given({ stage }), ...person }));
}

function changeTask(id: string, change: (task: Task) => PersonChange): PersonEdit {
  return ({ tasks }) => [change(requireTask(tasks, id))];
}
