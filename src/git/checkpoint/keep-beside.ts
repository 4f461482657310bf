// Keeps beside the tree, in the second parent of a checkpoint, everything the tree cannot contain: an index that
// differs from HEAD (the file itself, and content that exists only in it), and metadata.
import type { DiffEntry } from "../base/read/diff.js";
import type { ImportedCommit } from "../base/fast-import.js";
import { isPlain, findOnlyStaged, type ByPath } from "../index/index-compare.js";
import type { IndexEntry, PersonIndex } from "../index/index-person.js";
import type { Repository } from "../base/repository/repository.js";
import { unseenFile, type Unseen } from "./metadata.js";

/** The path of a kept index file in the tree of its commit. */
export const KEPT_INDEX = "index";
/** The folder in the same tree for content that existed only in the index. */
export const KEPT_STAGED = "staged";

/** The result of keeping the state beside the tree. */
export type Beside = Required<Pick<ImportedCommit, "entries" | "beside">> & {
  /** The person's index was kept. */
  index: boolean;
  /** Metadata was kept. */
  unseen: boolean;
  /** Content that existed only in the index: blobs by path (bytes). */
  staged: ReadonlyMap<string, string>;
};

/** Collects the state to keep. Contract: the own index was just staged, and `tree` is its content. */
export function keepBeside(
  repo: Repository,
  found: {
    person: PersonIndex & { entries: readonly IndexEntry[] };
    all: readonly DiffEntry[];
    tree: ByPath;
    unseen: Unseen;
  },
): Beside {
  const { person, all, tree } = found;
  const file = unseenFile(found.unseen);
  const unseen = file.length > 0;
  if (isPlain(person.entries, tree, new Map(all.map((entry) => [entry.path, entry])))) {
    return { entries: [], beside: file, index: false, unseen, staged: new Map() };
  }
  const staged = findOnlyStaged(person.entries, tree, repo.isOwn);
  return {
    entries: staged.map((entry) => ({ ...entry, path: `${KEPT_STAGED}/${entry.path}` })),
    beside: [{ path: KEPT_INDEX, mode: "100644", content: person.bytes }, ...file],
    index: true,
    unseen,
    staged: new Map(staged.map(({ path, to }) => [path, to.oid])),
  };
}
