// The answer of `add`, `set`, `block`, `todo`, `done`, `rm` and `accept` with --json. Pure. Leaves the change to src/todo/change, and
// making it beside a run to cmd/lookup/edit.ts.
import type { Applied } from "../../../todo/model/changes/change.js";
import type { Task } from "../../../todo/model/task.js";
import type { EditAnswer, ValidateAnswer } from "../../shapes/backlog.js";
import type { Problem } from "../../../todo/model/problem.js";

/** A change that was made. `tasks`: the newest backlog; `run`: the run in progress that knows of it. */
export function editAnswer(
  file: string,
  made: { updated: Applied["updated"]; run?: string },
  tasks: readonly Task[],
): EditAnswer {
  const changed = made.updated.map(({ id, from = null, to = null }) => ({ id, from, to }));
  return {
    file,
    changed,
    tasks: tasks.filter(({ id }) => changed.some((one) => one.id === id)),
    run: made.run ?? null,
  };
}

/** Every problem of a task file, in the file's order. */
export function validateAnswer(problems: readonly Problem[]): ValidateAnswer {
  return { ok: problems.length === 0, problems: [...problems] };
}
