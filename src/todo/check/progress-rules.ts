// Checks the rules about workflows beyond the shape: a parent that exists, a question of the task and visit that asks it.
// Works on any parsed value; a progress of a wrong shape is left to shape.ts.
import { isDateTime } from "../model/date-time.js";
import { nearest } from "../../system/text/nearest.js";
import { Progress } from "../../workflow/progress.js";
import { questionId, whyNotValid } from "../../workflow/question.js";
import { property } from "./rules.js";
import { didYouMean, show, type UnplacedProblem } from "../model/problem.js";

/** The way out of a progress that cannot be mended. */
export const BEGIN_AGAIN = 'remove "progress": the task then begins its workflow again';

/** Finds every broken rule. `answers`: also answers that do not fit, which a run does not count. */
export function checkProgress(tasks: readonly unknown[], { answers = false } = {}): UnplacedProblem[] {
  if (!tasks.some(isInWorkflow)) return [];
  const parents = new Map(tasks.map((task) => [textOf(task, "id"), textOf(task, "parent")]));
  return tasks.flatMap((task, at) => {
    if (!isInWorkflow(task)) return [];
    const id = textOf(task, "id");
    const pointer = `/tasks/${String(at)}`;
    const progress = Progress.safeParse(property(task, "progress")).data;
    return [
      ...parentProblems({ id, parent: textOf(task, "parent") }, parents, pointer),
      ...(id === undefined || progress === undefined ? [] : questionProblems(id, progress, pointer)),
      ...outputProblems(progress, pointer),
      ...(answers && progress !== undefined ? answerProblems(progress, pointer) : []),
    ];
  });
}

/** Whether a task has a progress or is a part of another task. */
function isInWorkflow(task: unknown): boolean {
  return property(task, "progress") !== undefined || property(task, "parent") !== undefined;
}

function textOf(value: unknown, key: string): string | undefined {
  const found = property(value, key);
  return typeof found === "string" ? found : undefined;
}

type Parents = ReadonlyMap<string | undefined, string | undefined>;

function parentProblems(
  { id, parent }: { id: string | undefined; parent: string | undefined },
  parents: Parents,
  pointer: string,
): UnplacedProblem[] {
  if (parent === undefined) return [];
  const at = { pointer: `${pointer}/parent` };
  if (!parents.has(parent)) {
    const known = [...parents.keys()].flatMap((one) => one ?? []);
    const suggestion = didYouMean(known.length > MOST_IDS ? undefined : nearest(parent, known), "remove it");
    return [{ rule: "unknown-parent", ...at, message: `there is no task ${show(parent)}`, suggestion }];
  }
  if (!isOwnAncestor(id, parents)) return [];
  const message = `${show(id)} is a part of itself`;
  return [{ rule: "cycle", ...at, message, suggestion: "remove it" }];
}

/** Beyond this a suggestion takes too long. */
const MOST_IDS = 2_000;

function isOwnAncestor(id: string | undefined, parents: Parents): boolean {
  const seen = new Set<string>();
  let at = parents.get(id);
  while (at !== undefined && !seen.has(at)) {
    if (at === id) return true;
    seen.add(at);
    at = parents.get(at);
  }
  return false;
}

function questionProblems(
  id: string,
  { question, visit, first }: Progress,
  pointer: string,
): UnplacedProblem[] {
  if (question === undefined) return [];
  const at = `${pointer}/progress/question`;
  const own = questionId(id, { visit, first });
  const found: UnplacedProblem[] = [];
  const bad = (key: string, message: string, suggestion: string): void => {
    found.push({ rule: "bad-value", pointer: `${at}/${key}`, message, suggestion });
  };
  if (question.id !== own)
    bad(
      "id",
      `the question of visit ${String(visit)} of ${id} must be ${own}; it is ${show(question.id)}`,
      `write ${show(own)}, or ${BEGIN_AGAIN}`,
    );
  const { deadline, on_timeout: otherwise, outcomes } = question;
  if (deadline !== undefined && !isDateTime(deadline))
    bad(
      "deadline",
      `deadline must be a date and time such as 2026-11-20T21:46:01Z; it is ${show(deadline)}`,
      "correct it, or remove it: the question then waits for ever",
    );
  if (otherwise !== undefined && !outcomes.includes(otherwise))
    bad(
      "on_timeout",
      `on_timeout must be one of ${outcomes.join(", ")}; it is ${show(otherwise)}`,
      didYouMean(nearest(otherwise, [...outcomes]), "correct it, or remove it"),
    );
  return found;
}

/** An output whose file would be looked for outside of `tasks_dir`. */
function outputProblems(progress: Progress | undefined, pointer: string): UnplacedProblem[] {
  const { outputs = {}, answer } = progress ?? {};
  const named = Object.entries(outputs).map(([key, { file }]) => ({ at: `outputs/${key}`, file }));
  if (answer?.edited !== undefined) named.push({ at: "answer/edited", file: answer.edited.file });
  return named.flatMap(({ at, file }) => {
    if (isBelowTasks(file)) return [];
    const message = `file must be a path below tasks_dir, such as T1/2-plan.json; it is ${show(file)}`;
    const place = `${pointer}/progress/${at}/file`;
    return [{ rule: "bad-value", pointer: place, message, suggestion: `correct it, or ${BEGIN_AGAIN}` }];
  });
}

function isBelowTasks(file: string): boolean {
  return (
    !/[\\\0]/u.test(file) && file.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  );
}

function answerProblems({ question, answer }: Progress, pointer: string): UnplacedProblem[] {
  if (answer === undefined) return [];
  const at = `${pointer}/progress/answer`;
  const why = question === undefined ? "there is no question" : whyNotValid(question, answer);
  if (why === undefined) return [];
  const near = answer.outcome === undefined ? undefined : nearest(answer.outcome, question?.outcomes ?? []);
  const message = `the answer does not count: ${why}`;
  return [
    { rule: "bad-value", pointer: at, message, suggestion: didYouMean(near, "correct it, or remove it") },
  ];
}
