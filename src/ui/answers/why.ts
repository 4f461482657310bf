// The answer of `looper why --json`. Pure.
import type { IndexRow, Task } from "../../todo/model/task.js";
import type { Why } from "../../todo/model/why.js";
import type { WhyAnswer } from "../shapes/backlog.js";

/** Why a task is or isn't next. */
export function whyAnswer({ id, status }: Task, explained: Why): WhyAnswer {
  const ids = (rows: readonly IndexRow[]): string[] => rows.map((row) => row.id);
  return {
    task: id,
    status,
    answer: explained.answer,
    before: explained.answer === "behind" ? ids(explained.before) : [],
    waits_for: explained.answer === "waits" ? ids(explained.waitsFor) : [],
    first: explained.answer === "waits" ? ids(explained.first) : [],
  };
}
