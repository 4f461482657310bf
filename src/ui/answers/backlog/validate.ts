// The answer of `looper validate --json`. Pure.
import type { Problem } from "../../../todo/model/problem.js";
import type { ValidateAnswer } from "../../shapes/backlog.js";

/** Every problem of a task file, in the file's order. */
export function validateAnswer(problems: readonly Problem[]): ValidateAnswer {
  return { ok: problems.length === 0, problems: [...problems] };
}
