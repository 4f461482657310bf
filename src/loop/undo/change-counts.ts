// The changes that a task made, by what happened to each path: for the question before they are taken back. Pure.
import { toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry } from "../../git/base/read/diff.js";

/** Paths as text, from the top of the repository, sorted. */
export interface ChangeCounts {
  created: readonly string[];
  modified: readonly string[];
  deleted: readonly string[];
}

/** The changes of a task. */
export function countChanges(changes: readonly DiffEntry[]): ChangeCounts {
  const paths = (some: readonly DiffEntry[]): string[] => some.map(({ path }) => toText(path)).sort();
  return {
    created: paths(changes.filter(({ from }) => !exists(from))),
    modified: paths(changes.filter(({ from, to }) => exists(from) && exists(to))),
    deleted: paths(changes.filter(({ to }) => !exists(to))),
  };
}

/** The changes of the tasks that these revert: a path that goes was created. */
export function countReverted(changes: readonly DiffEntry[]): ChangeCounts {
  return countChanges(changes.map((change) => ({ ...change, from: change.to, to: change.from })));
}
