// Combines the edits that others made to the backlog. Pure.
import type { Applied, Edits, Refusal } from "../model/changes/change.js";
import type { Problem } from "../model/problem.js";
import type { TaskId } from "../model/task.js";

export const NO_EDITS: Edits = { added: [], changed: [], removed: [], putBack: [] };

/** The edits that a person's changes made. */
export function listEdits({ updated }: Pick<Applied, "updated">): Edits {
  const of = (which: (one: Applied["updated"][number]) => boolean): TaskId[] =>
    updated.filter(which).map(({ id }) => id);
  return {
    added: of(({ from }) => from === undefined),
    changed: of(({ from, to }) => from !== undefined && to !== undefined),
    removed: of(({ to }) => to === undefined),
    putBack: [],
  };
}

/** Why a person's changes cannot all be made: those that no longer hold, or the first problem of the result. */
export function listRefusals(
  { refused }: Pick<Applied, "refused">,
  changes: readonly Refusal["change"][],
  [problem]: readonly Problem[],
): Refusal[] {
  if (refused.length > 0 || problem === undefined) return refused;
  return changes.map((change) => ({ change, why: problem.message }));
}

/** Combines two lists of edits, with each task once. */
export function joinEdits(first: Edits, then: Edits): Edits {
  const join = (a: readonly TaskId[], b: readonly TaskId[]): TaskId[] => [...new Set([...a, ...b])];
  return {
    ...first,
    ...then,
    added: join(first.added, then.added),
    changed: join(first.changed, then.changed),
    removed: join(first.removed, then.removed),
    putBack: [...first.putBack, ...then.putBack],
  };
}
