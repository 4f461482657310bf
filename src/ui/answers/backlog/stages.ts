// The parts of answers about a task in a workflow: where it is, its questions, what its stages used. Pure.
import { given } from "../../../system/given.js";
import { roundUsd } from "../../../agents/usage.js";
import type { Task } from "../../../todo/model/task.js";
import type { Answer, GivenAnswer, Question } from "../../../workflow/progress.js";
import type { LsAnswer } from "../../shapes/backlog.js";
import type { ShowAnswer } from "../../shapes/runs.js";
import type { OpenQuestionShape } from "../../shapes/workflows.js";
import { isAnswered, openQuestion } from "../../../workflow/question.js";
import type { OpenQuestion } from "../../view/open-questions.js";
import { isEndOfWorkflow } from "../../view/words/live-line.js";
import type { AnswerHere, AskedHere } from "../../view/stage-view.js";

type InWorkflow = Pick<LsAnswer["tasks"][number], "workflow" | "stage" | "visit" | "question" | "paused">;
type AskedAnswer = NonNullable<ShowAnswer["questions"]>[number];

/** Where a task is in its workflow; no keys for a task outside one. */
export function workflowAnswer(task: Pick<Task, "progress">): InWorkflow {
  const { progress } = task;
  if (progress === undefined) return {};
  const { workflow, stage, visit, paused } = progress;
  return {
    ...{ workflow, stage, visit },
    // Keys of the task file by these names stay.
    ...given({ question: openQuestion(progress), paused: paused && (true as const) }),
  };
}

/** Whether a task waits for a person: no run takes it. */
export function isHeld({ progress }: Pick<Task, "progress">): boolean {
  return progress !== undefined && (openQuestion(progress) !== undefined || progress.paused !== undefined);
}

/** An open question as JSON. */
export function openAnswer({ place, paused, wrong: _wrong, ...open }: OpenQuestion): OpenQuestionShape {
  return { ...open, place, paused };
}

/** The questions about a task and the answers to them in the logs, the oldest first. */
export interface LoggedQuestions {
  asked: readonly AskedHere[];
  answers: readonly AnswerHere[];
}

/** Every question about a task, by the row and the logs, the oldest first. */
export function questionsAbout(
  { progress }: Pick<Task, "progress">,
  { asked, answers }: LoggedQuestions,
): AskedAnswer[] {
  const known = new Map<string, AskedAnswer>();
  // A task that begins anew counts its visits from 1 again.
  const keyOf = ({ id, asked_at: at }: Question): string => `${id} ${at}`;
  for (const { question, stage, visit } of asked)
    known.set(keyOf(question), { question, stage, visit, answer: null });
  for (const answer of answers) {
    const one = [...known.values()].findLast(
      ({ question }) => question.id === answer.question && question.asked_at <= answer.at,
    );
    const full = progress?.answers?.findLast((row) => row.question === answer.question);
    if (one !== undefined) one.answer = loggedAnswer(answer, full);
  }
  if (progress?.question !== undefined) {
    const { question, stage, visit } = progress;
    const answer = isAnswered(progress) ? progress.answer : undefined;
    for (const [key, one] of known)
      if (one.answer === null && isSame(one.question, question)) known.delete(key);
    known.set(keyOf(question), {
      question,
      stage,
      visit,
      answer: answer === undefined ? null : rowAnswer(answer),
    });
  }
  return [...known.values()].sort((a, b) => a.question.asked_at.localeCompare(b.question.asked_at));
}

/** The log has the time of the decision, and the row that of its change a moment later. */
function isSame(logged: Question, inRow: Question): boolean {
  const later = Date.parse(inRow.asked_at) - Date.parse(logged.asked_at);
  return logged.id === inRow.id && later >= 0 && later < MOMENT_MS;
}

const MOMENT_MS = 60_000;

/** The log has no long texts: they are in the row, as long as the task is not done. */
function loggedAnswer(
  { outcome, by, via, comment, at }: AnswerHere,
  full: Answer | undefined,
): AskedAnswer["answer"] {
  return { by, via, at, outcome, text: full?.text, comment: full?.comment ?? comment };
}

/** An answer that a person wrote into the file may not say who gave it. */
function rowAnswer({ outcome, text, comment, by, via, at }: GivenAnswer): NonNullable<AskedAnswer["answer"]> {
  return { by: by ?? "", via: via ?? "file", at: at ?? "", outcome, text, comment };
}

/** The usage of each stage, and of all as `*`; `undefined` outside a workflow. */
export function spentByStage(
  { progress }: Pick<Task, "progress">,
  history: ShowAnswer["history"],
): ShowAnswer["spent"] {
  if (progress?.spent !== undefined) return progress.spent;
  const sums: NonNullable<ShowAnswer["spent"]> = {};
  for (const { stage, tokens, cost_usd: cost, duration_ms: ms } of history) {
    if (stage === undefined || isEndOfWorkflow({ stage })) continue;
    for (const key of [stage, "*"]) {
      const before = sums[key] ?? { tokens: 0, duration_ms: 0 };
      const dollars = cost === null ? before.cost_usd : roundUsd((before.cost_usd ?? 0) + cost);
      sums[key] = {
        tokens: before.tokens + tokens,
        duration_ms: before.duration_ms + ms,
        cost_usd: dollars,
      };
    }
  }
  return Object.keys(sums).length === 0 ? undefined : sums;
}
