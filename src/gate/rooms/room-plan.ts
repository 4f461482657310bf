// Plans the content of a cold room: the changes that go in, and those that stay out. The plan is made on trees before any
// file is written, so that a folder that became a symlink is never followed. Pure. sort/sort.ts tells the kinds of changes.
import { toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry } from "../../git/base/read/diff.js";

/** The changes to apply to the reference. */
export interface RoomPlan {
  entries: readonly DiffEntry[];
  /** Paths (text) whose changes are left out. */
  heldBack: readonly string[];
}

/** Plans a room with the changes that `isKept` selects by path (text), except those that cannot exist beside the others. */
export function planRoom(changes: readonly DiffEntry[], isKept: (path: string) => boolean): RoomPlan {
  const kept = changes.filter(({ path }) => isKept(toText(path)));
  const dropped = changes.filter(({ path }) => !isKept(toText(path)));
  const isFree = freeOf(dropped.filter(({ from }) => exists(from)));
  const blocked = kept.filter(({ path, to }) => exists(to) && !isFree(path));
  return {
    entries: kept.filter((entry) => !blocked.includes(entry)),
    heldBack: [...dropped, ...blocked].map(({ path }) => toText(path)),
  };
}

/** Returns whether a path can exist beside the files that stay as at the reference: neither above nor below one of them. */
function freeOf(staying: readonly DiffEntry[]): (path: string) => boolean {
  const files = new Set(staying.map(({ path }) => path));
  const folders = new Set(staying.flatMap(({ path }) => foldersOf(path)));
  return (path) => !folders.has(path) && !foldersOf(path).some((folder) => files.has(folder));
}

function foldersOf(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
}
