// Combines the edits that others made to the backlog. Pure.
import type { Applied, Edits } from "../model/changes/change.js";
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

/** Combines lists of edits, with each task once. The last that has a copy names it. */
export function joinEdits(all: readonly Edits[]): Edits {
  const join = (ids: (edits: Edits) => readonly TaskId[] | undefined): TaskId[] => [
    ...new Set(all.flatMap((edits) => ids(edits) ?? [])),
  ];
  const rest: Partial<Edits> = {};
  for (const edits of all) Object.assign(rest, edits);
  return {
    ...rest,
    added: join(({ added }) => added),
    changed: join(({ changed }) => changed),
    removed: join(({ removed }) => removed),
    putBack: all.flatMap(({ putBack }) => putBack),
  };
}
