// The answer of `looper rollback --json`. Pure.
import type { RolledBack } from "../../../loop/undo/rollback.js";
import { given } from "../../../system/given.js";
import type { RollbackAnswer } from "../../shapes/work.js";

/** The result of rolling a task back that is not done. */
export function rollbackAnswer(task: string, done: Exclude<RolledBack, { outcome: "done" }>): RollbackAnswer {
  const none = { created: [], modified: [], deleted: [] };
  const { created, modified, deleted } = done.outcome === "nothing" ? none : done;
  return {
    outcome: done.outcome,
    task,
    created: [...created],
    modified: [...modified],
    deleted: [...deleted],
    paths: done.outcome === "foreign" ? [...done.paths] : [],
    ...(done.outcome === "rolled-back"
      ? given({ rescue: done.rescue?.replace(/^refs\/looper\/rescue\//u, "") })
      : {}),
    warnings: done.outcome === "rolled-back" ? [...done.warnings] : [],
  };
}
