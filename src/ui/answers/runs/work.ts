// The answers of `looper rescue` and `looper undo` with --json. Pure. Leaves finding, restoring and undoing to git and the loop.
import { toText } from "../../../git/base/bytes.js";
import type { BroughtBack, Rescue } from "../../../git/bring-back/bring-back.js";
import type { ListedWork } from "../../../git/saved-work/work-ref.js";
import type {
  RescueShape,
  RescueListAnswer,
  RescueRestoreAnswer,
  RescueShowAnswer,
  UndoAnswer,
} from "../../shapes/work.js";
import type { Undoing } from "../../../loop/undo/undo.js";
import { never } from "../../../system/never.js";

/** All rescues, in their order, and the saved work of tasks. */
export function rescueListAnswer(rescues: readonly Rescue[], works: readonly ListedWork[]): RescueListAnswer {
  const saved = works.map(({ tip, at, ...work }) => ({
    ...work,
    at: new Date(at).toISOString(),
    commit: tip,
  }));
  return { rescues: rescues.map(factsOf), ...(saved.length === 0 ? {} : { saved }) };
}

/** One rescue. `diff`: as git prints it. */
export function rescueShowAnswer(rescue: Rescue, diff: string): RescueShowAnswer {
  const { changes, staged } = rescue;
  const paths = (entries: typeof changes): string[] => entries.map(({ path }) => toText(path));
  return { ...factsOf(rescue), paths: paths(changes), staged: paths(staged), diff };
}

/** The result of restoring a rescue. `task`: the task that continues from it. */
export function rescueRestoreAnswer(
  { id }: Rescue,
  back: BroughtBack,
  task: string | undefined,
): RescueRestoreAnswer {
  if ("clashes" in back) return { id, ok: false, clashes: [...back.clashes] };
  const { restored, already, left } = back;
  return {
    id,
    ok: true,
    restored: [...restored],
    already: [...already],
    left: [...left],
    task: task ?? null,
  };
}

function factsOf({ id, at, task, why, changes, staged, commit, ref }: Rescue): RescueShape {
  return {
    id,
    at: new Date(at).toISOString(),
    task,
    why,
    files: new Set([...changes, ...staged].map(({ path }) => path)).size,
    commit,
    ref,
  };
}

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
