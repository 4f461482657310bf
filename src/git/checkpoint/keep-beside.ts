// What a checkpoint keeps beside the tree, in a commit that is its second parent: an index that says more than HEAD (the file
// as it was, and what is staged in no file), line ends that git would change, and what git does not see.
import type { DiffEntry } from "../base/diff.js";
import type { ImportedCommit } from "../base/fast-import.js";
import { isPlain, onlyStaged, type ByPath } from "../index/index-compare.js";
import type { PersonIndex } from "../index/index-person.js";
import { keepLineEnds } from "./line-ends.js";
import type { Repository } from "../base/repository.js";
import { unseenFile, type Unseen } from "./metadata.js";

/** Where a kept index file lies in the tree of its commit. */
export const KEPT_INDEX = "index";
/** The folder of the same tree with what was staged and in no file. */
export const KEPT_STAGED = "staged";

/** What a checkpoint keeps beside the tree. */
export type Beside = Required<Pick<ImportedCommit, "entries" | "beside">> & {
  /** The person's index is among it. */
  index: boolean;
  /** What git does not look at is among it. */
  unseen: boolean;
  /** What was staged and in no file: the blob by its path (bytes). */
  staged: ReadonlyMap<string, string>;
};

/** Works out what to keep. Contract: the index of our own was just staged, and `tree` is what it holds. */
export async function keepBeside(
  repo: Repository,
  found: { person: PersonIndex; all: readonly DiffEntry[]; tree: ByPath; unseen: Unseen },
): Promise<Beside> {
  const { person, all, tree } = found;
  const file = unseenFile(found.unseen);
  const unseen = file.length > 0;
  const rest = [...(await keepLineEnds(repo, tree)), ...file];
  if (isPlain(person.entries, tree, new Map(all.map((entry) => [entry.path, entry])))) {
    return { entries: [], beside: rest, index: false, unseen, staged: new Map() };
  }
  const staged = onlyStaged(person.entries, tree, repo.isOwn);
  return {
    entries: staged.map((entry) => ({ ...entry, path: `${KEPT_STAGED}/${entry.path}` })),
    beside: [{ path: KEPT_INDEX, mode: "100644", content: person.bytes }, ...rest],
    index: true,
    unseen,
    staged: new Map(staged.map(({ path, to }) => [path, to.oid])),
  };
}
