// Keeps beside the tree, in the second parent of a checkpoint, what the tree cannot contain: an index that differs
// from HEAD (the file itself, and content that exists only in it).
import type { DiffEntry } from "../base/read/diff.js";
import type { ImportedFile } from "../base/fast-import.js";
import { isPlain, findOnlyStaged, type ByPath } from "../index/index-compare.js";
import type { IndexEntry, PersonIndex } from "../index/index-person.js";
import type { Repository } from "../base/repository/repository.js";

/** The path of a kept index file in the tree of its commit. */
export const KEPT_INDEX = "index";
/** The folder in the same tree for content that existed only in the index. */
export const KEPT_STAGED = "staged";

/** The person's index as it is kept. */
export interface Beside {
  file: ImportedFile;
  /** The content that existed only in the index, below `KEPT_STAGED`. */
  entries: readonly DiffEntry[];
  /** The same content: blobs by path (bytes). */
  staged: ReadonlyMap<string, string>;
}

/** The index to keep; `undefined` if it equals HEAD. Contract: the own index was just staged, and `tree` is its content. */
export function keepBeside(
  repo: Repository,
  found: {
    person: PersonIndex & { entries: readonly IndexEntry[] };
    all: readonly DiffEntry[];
    tree: ByPath;
  },
): Beside | undefined {
  const { person, all, tree } = found;
  if (isPlain(person.entries, tree, new Map(all.map((entry) => [entry.path, entry])))) return undefined;
  const staged = findOnlyStaged(person.entries, tree, repo.isOwn);
  return {
    file: { path: KEPT_INDEX, mode: "100644", content: person.bytes },
    entries: staged.map((entry) => ({ ...entry, path: `${KEPT_STAGED}/${entry.path}` })),
    staged: new Map(staged.map(({ path, to }) => [path, to.oid])),
  };
}
