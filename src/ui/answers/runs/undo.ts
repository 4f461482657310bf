// The answer of `looper undo --json`. Pure.
import type { Undoing } from "../../../loop/undo/undo.js";
import { never } from "../../../system/never.js";
import type { UndoAnswer } from "../../shapes/work.js";

type Refusal = Extract<UndoAnswer, { outcome: "refused" }>;

/** The result of undoing a task. */
export function undoAnswer(task: string, undoing: Undoing): UndoAnswer {
  if (undoing.outcome === "refused") return refusalOf(task, undoing);
  const { undone, counts, warnings } = undoing;
  const isWork = !("paths" in undoing);
  const all = [...counts.created, ...counts.modified, ...counts.deleted].sort();
  const { paths, reopened } = isWork ? { paths: all, reopened: [task] } : undoing;
  const told = {
    task,
    undone: undone.map(({ commit = null, ...one }) => ({ ...one, commit })),
    paths: [...paths],
    ...{ created: [...counts.created], modified: [...counts.modified], deleted: [...counts.deleted] },
    reopened: [...reopened],
    warnings: [...warnings],
  };
  if (isWork) {
    const { outcome, rescue } = undoing;
    return { outcome, ...told, rescue: rescue?.replace(/^refs\/looper\/rescue\//u, "") };
  }
  if (undoing.outcome === "planned") return { outcome: "planned", ...told };
  return { outcome: "undone", ...told, commit: undoing.commit ?? null };
}

function refusalOf(task: string, refused: Extract<Undoing, { outcome: "refused" }>): Refusal {
  const answer: Refusal = {
    outcome: "refused",
    task,
    why: refused.why,
    tasks: [],
    paths: [],
    conflicts: [],
  };
  switch (refused.why) {
    case "dependents":
    case "in-hand":
      return { ...answer, tasks: refused.tasks.map(({ task: id, title }) => ({ task: id, title })) };
    case "conflicts": {
      const conflicts = refused.conflicts.map(({ path, later }) => ({ path, later: [...later] }));
      return { ...answer, paths: conflicts.map(({ path }) => path), conflicts };
    }
    case "changes":
    case "foreign":
      return { ...answer, paths: [...refused.paths] };
    case "interrupted":
      return answer;
    default:
      return never(refused);
  }
}
