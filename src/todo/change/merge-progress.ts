// Merges a task's progress from a save by others: people may answer its open question and pause it, while no
// agent is at work; everything else is put back and named. Pure. merge.ts merges the other keys.
import { isDeepStrictEqual } from "node:util";
import type { GivenAnswer, Progress } from "../../workflow/progress.js";
import { whyNotAnswered } from "../../workflow/question.js";
import type { Task } from "../model/task.js";
import { withAnswer } from "./person-changes.js";

/** The keys of progress that differ, as messages name them: `progress.stage`. */
export function nameProgress(was: Progress | undefined, is: Progress | undefined): string[] {
  if (was === undefined || is === undefined) return ["progress"];
  const [left, right] = [new Map<string, unknown>(Object.entries(was)), new Map(Object.entries(is))];
  const keys = [...new Set([...left.keys(), ...right.keys()])];
  return keys
    .filter((key) => !isDeepStrictEqual(left.get(key), right.get(key)))
    .sort()
    .map((key) => `progress.${key}`);
}

/** The task with the progress of `was`. `putBack` is told what differed. */
export function keepProgress(was: Task | undefined, is: Task, putBack: string[]): Task {
  if (isDeepStrictEqual(was?.progress, is.progress)) return is;
  putBack.push(`${nameProgress(was?.progress, is.progress).join(", ")} of ${is.id}`);
  return withProgressOf(was, is);
}

/** The task that people saved: a new answer that fits the open question and the pause are theirs. */
export function takeProgress(was: Task | undefined, is: Task, putBack: string[]): Task {
  if (is.status === "done" && was?.status !== "done" && is.progress !== undefined) {
    const { progress: _progress, ...done } = is;
    return done;
  }
  if (isDeepStrictEqual(was?.progress, is.progress)) return is;
  if (was?.progress === undefined || is.progress === undefined) return keepProgress(was, is, putBack);
  const back = nameProgress(was.progress, is.progress).filter((name) => !isForPeople(name));
  if (back.length > 0) putBack.push(`${back.join(", ")} of ${is.id}`);
  const { paused: _paused, ...known } = was.progress;
  const paused = is.progress.paused;
  const isNew = !isDeepStrictEqual(paused, was.progress.paused);
  const kept: Task = {
    ...is,
    progress:
      paused === undefined ? known : { ...known, paused: isNew ? { ...paused, via: "file" } : paused },
  };
  return takeAnswer(was.progress, { task: kept, answer: is.progress.answer }, putBack);
}

function isForPeople(name: string): boolean {
  return name === "progress.answer" || name === "progress.paused";
}

/** The first answer counts; another one, and one that does not fit, is put back with the reason. */
function takeAnswer(
  was: Progress,
  { task, answer }: { task: Task; answer: GivenAnswer | undefined },
  putBack: string[],
): Task {
  if (isDeepStrictEqual(answer, was.answer)) return task;
  const why = answer === undefined ? "it was taken away" : whyNotAnswered(was, answer);
  if (answer === undefined || why !== undefined) {
    putBack.push(`progress.answer of ${task.id}: ${why ?? ""}`);
    return task;
  }
  return withAnswer(task, { ...answer, via: "file" });
}

function withProgressOf(was: Task | undefined, is: Task): Task {
  const { progress: _progress, ...rest } = is;
  return was?.progress === undefined ? rest : { ...rest, progress: was.progress };
}
