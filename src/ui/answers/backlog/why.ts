// The answer of `looper why --json`. Pure.
import type { IndexRow, Task } from "../../../todo/model/task.js";
import type { Why } from "../../../todo/model/select.js";
import type { WhyAnswer } from "../../shapes/backlog.js";
import { verdictOfDone } from "./verdict.js";
import type { Found } from "../../view/read-doubts.js";
import { helpOf } from "../../view/words/held-text.js";

/** Why a task is or isn't next; of a done one that is not verified, why not. `found`: what its last gate found. */
export function whyAnswer(
  task: Task,
  explained: Why,
  { tasks, found }: { tasks: readonly Task[]; found: Found | undefined },
): WhyAnswer {
  const { id, status } = task;
  const ids = (rows: readonly IndexRow[]): string[] => rows.map((row) => row.id);
  return {
    task: id,
    status,
    verdict: verdictOfDone(task),
    answer: explained.answer,
    before: explained.answer === "behind" ? ids(explained.before) : [],
    waits_for: explained.answer === "waits" ? ids(explained.waitsFor) : [],
    first: explained.answer === "waits" ? ids(explained.first) : [],
    ...heldOf(task, explained, tasks),
    ...(found === undefined ? {} : { reasons: [...found.reasons], needs: [...found.needs] }),
  };
}

/** The tasks that wait for a person, with the command that helps; absent if there are none. */
function heldOf(task: Task, explained: Why, tasks: readonly Task[]): Pick<WhyAnswer, "held"> {
  const held =
    explained.answer === "waits"
      ? explained.held.flatMap((row) => tasks.find((one) => one.id === row.id) ?? [])
      : explained.answer === "asked" || explained.answer === "paused"
        ? [task]
        : [];
  const told = held.flatMap((one) => {
    const help = helpOf(one);
    return help === undefined ? [] : [{ task: one.id, because: help.because, command: help.command }];
  });
  return told.length === 0 ? {} : { held: told };
}
